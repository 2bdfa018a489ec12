// The TypeScript MCP client against the binary, over one transport: see client.mjs
// for the arguments. It works on a file with the schema of notes (see notes_test.go)
// and ends with one line that counts.
import { connect, done, equal, holds, kind, refusal, token } from './client.mjs'

async function work (client) {
  const { tools } = await client.listTools()
  const create = tools.find((tool) => tool.name === 'note_create')
  holds(create, 'note_create is listed')
  equal(create._meta.trails.kind, 'runtime', 'the discriminator in _meta')
  equal(create.inputSchema.required.includes('title'), true, 'title is required')
  equal(create.annotations.readOnlyHint, false, 'a write says so')
  equal(create.outputSchema.properties.commit, { type: ['string', 'null'] }, 'note_create says what it answers')

  const code = `ts-${kind}-${process.pid}`
  const draft = { code, title: 'No', rank: -1, tag: ['a', 'b'] }
  const refused = await refusal(client.callTool({ name: 'note_create', arguments: draft }))
  equal(refused.code, -32602, 'the code of a refusal')
  equal(refused.data.fields.map((f) => [f.field, f.code, f.value, f.constraint]),
    [['rank', 'min_value', -1, 0], ['title', 'min_length', 'No', 3]], 'the fields of a refusal')
  const unknown = await refusal(client.callTool({ name: 'no_such_tool', arguments: {} }))
  equal([unknown.code, unknown.message.replace(/^MCP error -\d+: /, '')], [-32602, 'unknown tool: no_such_tool'], 'an unknown tool')

  const made = await client.callTool({ name: 'note_create', arguments: { ...draft, title: 'Note', rank: 1 } })
  equal(made.structuredContent.id, code, 'the id of what was written')
  equal(made.content[0].text.startsWith(`id: ${made.structuredContent.id}\n`), true, 'the text says what the structured content does')

  const lost = await client.callTool({ name: 'note_delete', arguments: { id: 'none' } })
  equal([lost.isError, lost.structuredContent.kind], [true, 'missing'], 'a refusal fits the output schema, too')

  const { contents } = await client.readResource({ uri: `trails://kg/Note?where=code=${code}` })
  equal([contents[0].mimeType, JSON.parse(contents[0].text)],
    ['application/json', [{ iri: `urn:trails:notes:Note/${code}`, label: 'Note' }]], 'the note is found')
  const one = (await client.readResource({ uri: `trails://kg/Note/${code}` })).contents[0]
  equal([one.mimeType, JSON.parse(one.text)['@id']], ['application/ld+json', `urn:trails:notes:Note/${code}`], 'the note as JSON-LD')
  const missing = await refusal(client.readResource({ uri: 'trails://kg/Note/none' }))
  equal([missing.code, missing.data], [-32602, { uri: 'trails://kg/Note/none' }], 'a missing resource')

  const { resources } = await client.listResources()
  holds(resources.some((r) => r.uri === 'trails://schema'), 'trails://schema is listed')
  const { resourceTemplates } = await client.listResourceTemplates()
  holds(resourceTemplates.some((r) => r.uriTemplate.startsWith('trails://kg/Note')), 'notes have a template')
  const stale = await client.callTool({ name: 'note_update', arguments: { id: code, rank: 2, if_commit: '11'.repeat(32) } })
  equal([stale.isError, stale.structuredContent.kind], [true, 'precondition_failed'], 'a lost precondition is a result')
}

if (token) {
  const refused = await refusal(connect('wrong'))
  holds(kind !== 'stdio' || refused.code === -32001, `a wrong token is refused with ${refused.code}`)
}
const client = await connect(token)
await work(client)
await client.close()
done()
