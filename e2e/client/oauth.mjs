// An identity provider that the TypeScript MCP client finds by itself: see client.mjs for the arguments, with one more
// behind them: ISSUER. The client knows the address of the server alone, and a secret for the provider.
import { load, equal, holds, done, refusal } from './client.mjs'

const [address, issuer] = process.argv.slice(-2)
const { Client } = await load('client/index.js')
const { StreamableHTTPClientTransport } = await load('client/streamableHttp.js')
const { discoverOAuthServerInfo, discoverOAuthProtectedResourceMetadata } = await load('client/auth.js')
const { ClientCredentialsProvider } = await load('client/auth-extensions.js')

const found = await discoverOAuthProtectedResourceMetadata(address)
equal(found.resource, address, 'the resource is the address')
equal(found.authorization_servers, [issuer], 'the provider is named')
equal(found.scopes_supported, ['builder', 'runtime'], 'so are the scopes')
equal((await discoverOAuthServerInfo(address)).authorizationServerUrl, issuer, 'the provider is found')

const connect = async (options) => {
  const client = new Client({ name: 'check', version: '1' }, { capabilities: {} })
  await client.connect(new StreamableHTTPClientTransport(new URL(address), options))
  return client
}
equal((await refusal(connect({}))).code, 401, 'nobody is let in without a token')

const authProvider = new ClientCredentialsProvider({ clientId: 'robot', clientSecret: 'secret', expectedIssuer: issuer, scope: 'runtime' })
const client = await connect({ authProvider })
holds(authProvider.tokens().access_token, 'the client has got a token')
const { tools } = await client.listTools()
holds(tools.length > 0, 'it may list tools')
const answer = await client.callTool({ name: 'note_create', arguments: { code: 'robot', title: 'by the robot', rank: 1, tag: ['a', 'b'] } })
holds(!answer.isError, 'it may write')
await client.close()
done()
process.exit(0)
