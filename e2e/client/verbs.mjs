// The tools for any type, and those that read, with the TypeScript MCP client: see
// client.mjs for the arguments. It works on a file with the schema of notes.
import { connect, done, equal, holds, refusal, token } from './client.mjs'

const client = await connect(token)
const call = async (name, args) => {
  const answer = await client.callTool({ name, arguments: args })
  equal(answer.isError, undefined, `${name} succeeds: ${answer.content[0]?.text}`)
  return answer.structuredContent
}
const node = (code) => ({ type: 'Note', data: { code, title: `Note ${code}`, rank: 1, tag: ['a', 'b'] }, message: 'to be found' })

const planned = await call('schema_apply', { patch: '- add_property: {Note.about: {class: Note, many: true}}', plan: true })
equal(planned.commit, undefined, 'a plan changes nothing')
const applied = await call('schema_apply', { patch: '- add_property: {Note.about: {class: Note, many: true}}', message: 'notes are about notes' })
holds(applied.commit, 'the schema has a commit')

equal((await call('create', node('one'))).id, 'one', 'create answers the id')
await call('create', node('two'))
equal((await refusal(client.callTool({ name: 'create', arguments: { type: 'Note', data: {} } }))).code, -32602, 'what is missing is refused')
const updated = await call('update', { type: 'Note', id: 'one', set: { title: 'Another' }, message: 'a better title' })
equal([updated.added, updated.removed], [1, 1], 'update changes one value')
equal((await call('link', { from: 'Note/one', property: 'about', to: 'Note/two' })).added, 1, 'link adds one statement')

const found = await call('search', { text: 'anothr' })
equal([found.columns.slice(0, 2), found.rows[0].slice(0, 2)], [['node', 'label'], ['Note/one', 'Another']], 'search finds a misspelt word')
const { nodes: [got] } = await call('get', { ids: ['Another'] })
equal([got.node, got.values.about], ['Note/one', { 'Note/two': 'Note two' }], 'get reads a node by its label, with what it refers to')
const listed = await call('list', { type: 'Note', where: [{ property: 'about.title', value: 'Note two' }] })
equal([listed.total, listed.rows[0][0]], [1, 'Note/one'], 'list takes a path over a link')
const described = await call('describe', { type: 'Note' })
holds(described.rows.some(([property]) => property === 'about'), 'describe tells the new property')
const told = await call('history', { id: 'Note/one' })
equal([told.rows.length, told.rows[1][3].includes('a better title')], [3, true], 'history tells why')

const refused = await refusal(client.callTool({ name: 'delete', arguments: { type: 'Note', id: 'two' } }))
holds(refused.message.includes('Note/one'), 'a deletion names who refers to the node')
equal((await call('unlink', { from: 'Note/one', property: 'about', to: 'Note/two' })).removed, 1, 'unlink removes one statement')
const gone = await call('delete', { type: 'Note', id: 'two', message: 'no longer' })
equal((await call('undo', { commit: gone.commit })).nodes, ['Note/two'], 'undo names what comes back')
equal((await call('get', { ids: ['Note/two'] })).nodes[0].label, 'Note two', 'it is there again')

await client.close()
done()
