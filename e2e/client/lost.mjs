// A session that is lost with its server, as the TypeScript MCP client has it: see
// client.mjs for the arguments, with three more behind them: BINARY FILE ADDRESS. The
// server is ours to start and to kill.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect, done, equal, holds, refusal } from './client.mjs'

const [binary, file, address] = process.argv.slice(-3)

async function serve () {
  const server = spawn(binary, ['serve', file, '--stateful', '--addr', address], { stdio: ['ignore', 'ignore', 'inherit'] })
  process.on('exit', () => server.kill('SIGKILL'))
  for (;;) {
    if (await fetch(`http://${address}/health`).then((answer) => answer.ok, () => false)) return server
    if (server.exitCode !== null) throw new Error(`the server ended with ${server.exitCode}`)
    await sleep(10)
  }
}

const first = await serve()
const client = await connect()
const session = client.transport.sessionId
holds(session, 'there is a session')
await client.listTools()

const killed = once(first, 'exit')
first.kill('SIGKILL')
await killed
await serve()

equal((await refusal(client.listTools())).code, 404, 'the session is not there any more')
const again = await connect()
holds(again.transport.sessionId && again.transport.sessionId !== session, 'there is another')
holds((await again.listTools()).tools.length > 0, 'it works')

await again.close()
done()
process.exit(0)
