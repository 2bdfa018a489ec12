// What the scripts share: the TypeScript MCP client, its doors, and what counts.
//
//   node SCRIPT MODULES stdio BINARY FILE [TOKEN]
//   node SCRIPT MODULES http URL [TOKEN]
//   node SCRIPT MODULES sse URL [TOKEN]
//
// MODULES is the directory whose node_modules holds the SDK.
import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'

const [modules, door, ...places] = process.argv.slice(2)
const require = createRequire(`${modules}/package.json`)
export const load = (name) => import(pathToFileURL(require.resolve(`@modelcontextprotocol/sdk/${name}`)))
const { Client } = await load('client/index.js')
const { StdioClientTransport, getDefaultEnvironment } = await load('client/stdio.js')
const { StreamableHTTPClientTransport } = await load('client/streamableHttp.js')
const { SSEClientTransport } = await load('client/sse.js')
export const types = await load('types.js')

export const kind = door
export const token = kind === 'stdio' ? places[2] : places[1]

let checks = 0
export const equal = (got, want, what) => { assert.deepEqual(got, want, what); checks++ }
export const holds = (truth, what) => { assert.ok(truth, what); checks++ }
export const done = () => console.log(`${kind}: ${checks} checks passed`)

// transport opens the door; authorization says who we are, where there is a token.
function transport (bearer) {
  const headers = bearer ? { Authorization: `Bearer ${bearer}` } : {}
  if (kind === 'http') return new StreamableHTTPClientTransport(new URL(places[0]), { requestInit: { headers } })
  if (kind === 'sse') return new SSEClientTransport(new URL(places[0]), { requestInit: { headers } })
  const [binary, file, required] = places
  const env = { ...getDefaultEnvironment(), ...(required ? { TRAILS_MCP_TOKEN: required } : {}) }
  return new StdioClientTransport({ command: binary, args: ['mcp', file], env, stderr: 'inherit' })
}

// connect shows the token that it is given; prepare gets the client before it speaks.
export async function connect (bearer, capabilities = {}, prepare = () => {}) {
  const info = { name: 'check', version: '1' }
  if (kind === 'stdio' && bearer) info.authorization = { bearer }
  const client = new Client(info, { capabilities })
  prepare(client)
  await client.connect(transport(bearer))
  return client
}

// refusal is the error of a request that must fail.
export async function refusal (promise) {
  try {
    const answer = await promise
    assert.fail(`accepted: ${JSON.stringify(answer)}`)
  } catch (error) {
    if (error.code === 'ERR_ASSERTION') throw error
    return error
  }
}

// patience is how long anything may take before we give up on it.
const patience = 60_000

// heard returns a promise of the first notification of this kind that passes.
export function heard (client, schema, passes = () => true) {
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => reject(new Error(`nothing heard of ${schema.shape.method.value}`)), patience)
    client.setNotificationHandler(schema, (note) => {
      if (!passes(note.params)) return
      clearTimeout(late)
      resolve(note.params)
    })
  })
}
