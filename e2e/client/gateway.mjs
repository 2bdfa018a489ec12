// Three servers from npm behind a file that names them as everything, files and memory, with
// the TypeScript MCP client: see client.mjs for the arguments, with three more behind the
// token. HOME is that of somebody who has agreed to the servers, FOLDER what the server files
// may read and write, and PID a file with the process id of the server everything.
import { readFileSync, writeFileSync } from 'node:fs'
import { connect, done, equal, holds, token } from './client.mjs'

const [home, folder, pid] = process.argv.slice(-3)
process.env.HOME = home
const client = await connect(token)
equal((await client.listTools()).tools.map((tool) => tool.name), ['tool_browse', 'tool_execute', 'tool_view',
  'resource_browse', 'resource_read', 'prompt_browse', 'prompt_get'], 'the list has no tool of a server')

// An agent looks for what it wants, and finds it among the first cards.
const call = (name, args, options) => client.callTool({ name, arguments: args }, undefined, options)
async function find (namespace, name, query, browse = 'tool_browse') {
  const { structuredContent: { cards } } = await call(browse, { query, top_k: 5 })
  const card = cards.find((card) => card.namespace === namespace && card.name === name)
  holds(card, `${query}: ${cards.map((card) => card.id)}`)
  return card.id
}
const execute = (id, args, options) => call('tool_execute', { tool_id: id, args }, options)
const said = (answer) => answer.content[0].text

// Files are written and read in the folder, and nowhere else.
const write = await find('files', 'write_file', 'write a text into a new file')
const read = await find('files', 'read_text_file', 'read the text of a file')
await execute(write, { path: `${folder}/one.txt`, content: 'first\nsecond\n' })
equal(readFileSync(`${folder}/one.txt`, 'utf8'), 'first\nsecond\n', 'the file is written')
equal(said(await execute(read, { path: `${folder}/one.txt`, head: 1 })), 'first', 'its first line is read')
const outside = await execute(read, { path: `${home}/two.txt` })
equal([outside.isError, said(outside).startsWith('Access denied')], [true, true], 'the server refuses another folder')
const wrong = await execute(read, { pth: `${folder}/one.txt` })
equal([wrong.isError, wrong.structuredContent.error], [true, 'ARGS_INVALID'], 'wrong arguments are refused')
holds(said(wrong).includes("missing property 'path'"), 'and what is missing is said')

// A long file is kept, and read in parts.
writeFileSync(`${folder}/long.txt`, Array.from({ length: 2000 }, (_, i) => `line ${i}\n`).join(''))
const long = await execute(read, { path: `${folder}/long.txt` })
equal(long.structuredContent.artifacts.length, 1, 'it is kept once, though the server wraps the text in an object, too')
const [{ handle }] = long.structuredContent.artifacts
holds(said(long).length < 1000 && said(long).includes(handle), 'a long result is bounded, and names what is kept')
const part = await call('tool_view', { handle, selector: { type: 'grep', pattern: '^line 1234$' } })
holds(said(part).includes('line 1234'), `a part of it is read: ${said(part)}`)

// An entity of the memory is made and found.
const entity = { name: 'Ann', entityType: 'person', observations: ['likes tea'] }
await execute(await find('memory', 'create_entities', 'create entities in the knowledge graph'), { entities: [entity] })
const found = await execute(await find('memory', 'search_nodes', 'search for nodes in the knowledge graph'), { query: 'tea' })
equal(found.structuredContent.result.entities, [entity], 'the entity is found')

// What the server everything has of every kind.
const echo = await find('everything', 'echo', 'echo back a text')
equal(said(await execute(echo, { message: 'hello' })), 'Echo: hello', 'an echo')
const weather = await execute(await find('everything', 'get-structured-content', 'structured content'), { location: 'Chicago' })
equal(weather.structuredContent.result.conditions, 'Light rain / drizzle', 'structured content')
const image = await execute(await find('everything', 'get-tiny-image', 'tiny image of a logo'), {})
const kept = image.structuredContent.artifacts[0]
equal([kept.media_type, kept.size_bytes > 1000], ['image/png', true], 'an image is kept')
equal((await call('tool_view', { handle: kept.handle, selector: { type: 'image' } })).isError, undefined, 'and can be looked at')
const slow = await find('everything', 'trigger-long-running-operation', 'long running operation with progress')
const steps = []
await execute(slow, { duration: 0.6, steps: 3 }, { onprogress: (p) => steps.push(p) })
holds(steps.length > 0 && steps.every((p) => p.total === 3 && p.message === 'everything'), `progress passes through: ${JSON.stringify(steps)}`)

// Resources and prompts.
const graph = await call('resource_read', { resource_id: await find('memory', 'knowledge-graph', 'knowledge graph', 'resource_browse') })
equal(graph.structuredContent.result.entities, [entity], 'a resource is read, as it is now')
const text = await find('everything', 'Dynamic Text Resource', 'dynamic text', 'resource_browse')
holds(said(await call('resource_read', { resource_id: text, params: { resourceId: '3' } })).startsWith('Resource 3:'), 'a resource of a template')
const prompt = await find('everything', 'args-prompt', 'prompt with two arguments', 'prompt_browse')
equal(said(await call('prompt_get', { prompt_id: prompt, args: { city: 'Ulm' } })), "user: What's weather in Ulm?", 'a prompt')
equal((await call('prompt_get', { prompt_id: prompt, args: {} })).structuredContent.error, 'ARGS_INVALID', 'a prompt without what it needs')

// A server is killed while it works. It says so until it is up again; others go on.
let alive = true
const kill = () => { if (alive) process.kill(Number(readFileSync(pid, 'utf8')), 'SIGKILL'); alive = false }
const killed = await execute(slow, { duration: 30, steps: 300 }, { onprogress: kill })
equal([killed.isError, killed.structuredContent.error, killed.structuredContent.retryable], [true, 'UPSTREAM_UNAVAILABLE', true], 'a server that is killed')
equal(said(await execute(read, { path: `${folder}/one.txt`, head: 1 })), 'first', 'another server goes on')
let refused = 0
for (;;) {
  const answer = await execute(echo, { message: 'again' })
  if (!answer.isError) {
    equal(said(answer), 'Echo: again', 'it is up again')
    break
  }
  refused++
  equal(answer.structuredContent.error, 'UPSTREAM_UNAVAILABLE', 'until then it is unavailable')
  await new Promise((resolve) => setTimeout(resolve, 50))
}
holds(refused > 0, 'it rested first')

await client.close()
done()
