// What a session hears, with the TypeScript MCP client: see client.mjs for the
// arguments, with four more behind them: BINARY FILE SCHEMA TASKS. It works on a file with
// the schema of notes, to which another process writes meanwhile; SCHEMA has a type
// Task besides, of which it loads so many.
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { connect, done, equal, heard, holds, refusal, token, types } from './client.mjs'

const [binary, file, schema, tasks] = process.argv.slice(-4)
const trails = (...args) => promisify(execFile)(binary, args)
const write = (code) => trails('invoke', file, 'note.create', '--json', JSON.stringify({ code, title: 'Note', rank: 1, tag: ['a', 'b'] }))

const asked = []
let answer = { action: 'decline' }
const client = await connect(token, { elicitation: {} }, (client) => {
  client.setRequestHandler(types.ElicitRequestSchema, (request) => {
    asked.push(request.params.message)
    return answer
  })
})
const can = client.getServerCapabilities()
equal([can.resources, can.tools.listChanged], [{ listChanged: true, subscribe: true }, true], 'what a session can hear')

// Another process writes: the type and the one node are told, and nothing else.
await write('one')
await client.subscribeResource({ uri: 'trails://kg/Note' })
await client.subscribeResource({ uri: 'trails://kg/Note/one' })
const ofType = heard(client, types.ResourceUpdatedNotificationSchema, (p) => p.uri === 'trails://kg/Note')
await write('two')
holds((await ofType)._meta['trails/commit'], 'the commit is told')
const ofOne = heard(client, types.ResourceUpdatedNotificationSchema, (p) => p.uri === 'trails://kg/Note/one')
await trails('invoke', file, 'note.update', '--json', JSON.stringify({ id: 'one', rank: 7 }))
await ofOne
const changed = await client.readResource({ uri: 'trails://kg/Note/one' })
holds(changed.contents[0].text.includes('7'), 'what is read then is new')
await client.unsubscribeResource({ uri: 'trails://kg/Note/one' })
equal((await refusal(client.subscribeResource({ uri: 'trails://kg/Note?where=code=one' }))).code, -32602, 'a filter is refused')

// Another process changes the schema: the lists are new.
const lists = [heard(client, types.ToolListChangedNotificationSchema), heard(client, types.ResourceListChangedNotificationSchema)]
await trails('schema', 'apply', file, schema)
await Promise.all(lists)
holds((await client.listTools()).tools.some((tool) => tool.name === 'task_create'), 'the new tool is listed')
holds((await client.listResources()).resources.some((r) => r.uri === 'trails://kg/Task'), 'the new type is listed')

// A commit of one's own is logged, for who asks.
await client.setLoggingLevel('info')
const logged = heard(client, types.LoggingMessageNotificationSchema)
await client.callTool({ name: 'task_create', arguments: { name: 'rest' } })
equal((await logged).data.capability, 'task_create', 'the log names the call')

// A long call tells how far it is. The client drops a report that it reads together with the answer.
let reports = 0
const lines = Array.from({ length: Number(tasks) }, (_, i) => JSON.stringify({ type: 'Task', id: `t${i}`, data: { name: `t${i}` } })).join('\n')
await client.callTool({ name: 'load', arguments: { format: 'ndjson', data: lines } }, undefined, { onprogress: () => { reports++ } })
holds(reports > 0, 'progress is reported')

// What would remove nodes is asked first, and done only after a yes.
const overwrite = () => client.callTool({ name: 'load', arguments: { mode: 'overwrite', format: 'ndjson', data: lines.split('\n')[0] } })
const declined = await overwrite()
equal([declined.isError, declined.structuredContent.kind], [true, 'conflict'], 'a no is a refusal')
answer = { action: 'accept', content: { confirm: true } }
equal((await overwrite()).isError, undefined, 'a yes lets it through')
equal(asked.length, 2, 'each time somebody was asked')
holds(asked[0].includes('of Task'), 'the question says what is lost')
equal(JSON.parse((await client.readResource({ uri: 'trails://kg/Task' })).contents[0].text).length, 1, 'one task is left')

// So is the deletion of a node.
answer = { action: 'decline' }
const keep = await client.callTool({ name: 'note_delete', arguments: { id: 'two' } })
equal([keep.isError, keep.structuredContent.kind], [true, 'conflict'], 'a no keeps the node')
answer = { action: 'accept', content: { confirm: true } }
equal((await client.callTool({ name: 'note_delete', arguments: { id: 'two' } })).isError, undefined, 'a yes deletes it')
equal([asked.length, asked[3].includes('Note/two')], [4, true], 'the question names the node')

await client.close()
done()
