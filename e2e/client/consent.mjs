// A person who connects a client that takes no token, by the TypeScript MCP client: see client.mjs for the arguments, with
// one more behind them: the person's token. The client knows the address of the server alone. The person's browser is played.
import { load, equal, holds, done, refusal } from './client.mjs'

const [address, secret] = process.argv.slice(-2)
const base = address.replace(/\/mcp$/, '')
const { Client } = await load('client/index.js')
const { StreamableHTTPClientTransport } = await load('client/streamableHttp.js')
const { auth } = await load('client/auth.js')

const back = 'http://localhost:33418/callback'
const kept = {}
const authProvider = {
  redirectUrl: back,
  clientMetadata: { client_name: 'Check', redirect_uris: [back], grant_types: ['authorization_code', 'refresh_token'], response_types: ['code'], token_endpoint_auth_method: 'none', scope: 'runtime' },
  state: () => 'a state',
  clientInformation: () => kept.client,
  saveClientInformation: (client) => { kept.client = client },
  tokens: () => kept.tokens,
  saveTokens: (tokens) => { kept.tokens = tokens },
  redirectToAuthorization: (url) => { kept.ask = url },
  saveCodeVerifier: (verifier) => { kept.verifier = verifier },
  codeVerifier: () => kept.verifier
}
const connect = async () => {
  const client = new Client({ name: 'check', version: '1' }, { capabilities: {} })
  const transport = new StreamableHTTPClientTransport(new URL(address), { authProvider })
  return { client, transport, failed: await client.connect(transport).then(() => null, (error) => error) }
}
const first = await connect()
equal(first.failed?.constructor.name, 'UnauthorizedError', 'the client asks for authorization')
equal(kept.ask.searchParams.get('resource'), address, 'it names the graph')
equal(kept.client.token_endpoint_auth_method, 'none', 'it has no secret')

// The person signs in, reads what is asked, and allows it.
const send = async (path, fields, cookie) => {
  const body = new FormData()
  for (const [name, value] of fields) body.append(name, value)
  return fetch(base + path, { method: 'POST', body, redirect: 'manual', headers: cookie ? { cookie } : {} })
}
const stranger = await fetch(kept.ask + '&trails_again=1')
holds((await stranger.text()).includes('name="token"'), 'a stranger is asked to sign in')
const entry = await send('/admin/login', [['token', secret], ['next', '/admin']])
const cookie = entry.headers.get('set-cookie').split(';')[0]
const page = await (await fetch(kept.ask, { headers: { cookie } })).text()
holds(page.includes('Check') && page.includes('localhost') && page.includes('token:ana'), 'the page says who asks, from where, and whom')
const fields = [...kept.ask.searchParams, ['trails_scope', 'runtime']]
const refused = await send('/admin/authorize', [...fields, ['trails_decision', 'refuse']], cookie)
equal(new URL(refused.headers.get('location')).searchParams.get('error'), 'access_denied', 'a person may refuse')
equal((await send('/admin/authorize', [...fields, ['trails_decision', 'allow']])).status, 403, 'nobody allows without the session')
const allowed = new URL((await send('/admin/authorize', [...fields, ['trails_decision', 'allow']], cookie)).headers.get('location'))
equal([allowed.origin + allowed.pathname, allowed.searchParams.get('state'), allowed.searchParams.get('iss')], [back, 'a state', base], 'the answer')

await first.transport.finishAuth(allowed.searchParams.get('code'))
equal([kept.tokens.token_type, kept.tokens.scope], ['Bearer', 'runtime'], 'the tokens')
const { client, failed } = await connect()
equal(failed, null, 'the client is let in')
const answer = await client.callTool({ name: 'note_create', arguments: { code: 'by-consent', title: 'by the client', rank: 1, tag: ['a', 'b'] } })
holds(!answer.isError, 'it writes')
await client.close()

const before = kept.tokens
equal(await auth(authProvider, { serverUrl: address }), 'AUTHORIZED', 'it renews its tokens')
holds(before.access_token !== kept.tokens.access_token && before.refresh_token !== kept.tokens.refresh_token, 'both are new')
const again = await connect()
equal(again.failed, null, 'they count')
await again.client.close()

const latest = kept.tokens
kept.tokens = before
await refusal(auth(authProvider, { serverUrl: address })) // the older refresh token revokes what was given
const stolen = await fetch(address, { method: 'POST', headers: { authorization: 'Bearer ' + latest.access_token, 'content-type': 'application/json' }, body: '{}' })
equal(stolen.status, 401, 'nothing counts after a refresh token was used twice')
done()
process.exit(0)
