// Prompts and completion as the TypeScript MCP client has them: see client.mjs for
// the arguments. It works on a file with the schema of notes and the note "one".
import { connect, done, equal, holds, refusal, token } from './client.mjs'

const client = await connect(token)

const { prompts } = await client.listPrompts()
equal(prompts.map((p) => p.name), ['explore', 'write', 'recover', 'review'], 'the prompts')
holds(prompts.every((p) => p.description), 'each says what it is for')
const { messages } = await client.getPrompt({ name: 'write', arguments: { type: 'Note' } })
holds(messages[0].content.text.includes('note_create'), 'a prompt about Note names its tool')
equal((await refusal(client.getPrompt({ name: 'sing' }))).code, -32602, 'a prompt that is not there')
holds(client.getInstructions().includes('Note'), 'the instructions are about this graph')

const complete = async (ref, name, value, context) =>
  (await client.complete({ ref, argument: { name, value }, ...(context ? { context: { arguments: context } } : {}) })).completion.values
equal(await complete({ type: 'ref/prompt', name: 'write' }, 'type', 'no'), ['Note'], 'types by prefix')
const one = { type: 'ref/resource', uri: 'trails://kg/{type}/{id}' }
equal(await complete(one, 'type', ''), ['Note'], 'types of a template')
equal(await complete(one, 'id', 'Note o', { type: 'Note' }), ['one'], 'ids by label')
const all = { type: 'ref/resource', uri: 'trails://kg/Note{?where,limit,offset}' }
equal(await complete(all, 'where', 'ti'), ['title='], 'properties')
equal(await complete(all, 'where', 'ran'), ['rank='], 'another property')

await client.close()
done()
