// Virtuoso of Debian's packages as a peer of the benchmark kit (db/querykit): a server of
// its own on the loopback interface, with two threads, asked over HTTP. Its argument is the
// directory that debian.sh wrote to. The time of a query is that of the server's threads
// and of reading its JSON here.
import { execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { digest, literal, serve } from './digest.mjs'

const root = join(process.argv[2], 'debian/root')
const env = { ...process.env, LD_LIBRARY_PATH: ['usr/lib', 'lib'].map((d) => join(root, d, 'x86_64-linux-gnu')).join(':') }
const dir = mkdtempSync(join(tmpdir(), 'peers-virtuoso-'))
const [sqlPort, httpPort] = [await freePort(), await freePort()]

function freePort () {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address()
      server.close(() => resolve(port))
    })
  })
}

writeFileSync(join(dir, 'virtuoso.ini'), `[Database]
DatabaseFile = ${dir}/kit.db
ErrorLogFile = ${dir}/kit.log
LockFile = ${dir}/kit.lck
TransactionFile = ${dir}/kit.trx
xa_persistent_file = ${dir}/kit.pxa
[TempDatabase]
DatabaseFile = ${dir}/temp.db
TransactionFile = ${dir}/temp.trx
[Parameters]
ServerPort = 127.0.0.1:${sqlPort}
DirsAllowed = ${dir}
NumberOfBuffers = 340000
MaxDirtyBuffers = 250000
ThreadsPerQuery = 2
AsyncQueueMaxThreads = 2
[HTTPServer]
ServerPort = 127.0.0.1:${httpPort}
ServerRoot = ${dir}
`)
const server = spawn(join(root, 'usr/bin/virtuoso-t'), ['-f', '-c', join(dir, 'virtuoso.ini')], { env, stdio: 'ignore', cwd: dir })
function end () {
  server.kill('SIGKILL')
  rmSync(dir, { recursive: true, force: true })
  process.exit()
}
process.on('SIGTERM', end)

function sql (statement) {
  return execFileSync(join(root, 'usr/bin/isql-vt'), [`127.0.0.1:${sqlPort}`, 'dba', 'dba', `exec=${statement}`], { env, encoding: 'utf8' })
}

// ready waits until the server answers, a minute at most.
async function ready () {
  for (let i = 0; i < 240; i++) {
    try {
      return await ask('ASK {}')
    } catch {
      await setTimeout(250)
    }
  }
  throw new Error('the server does not answer')
}

async function ask (query) {
  const response = await fetch(`http://127.0.0.1:${httpPort}/sparql`, {
    method: 'POST',
    headers: { accept: 'application/sparql-results+json' },
    body: new URLSearchParams({ query, 'default-graph-uri': 'urn:kit' })
  })
  if (!response.ok) throw new Error((await response.text()).slice(0, 500))
  return response.json()
}

function text (term) {
  if (!term) return ''
  return term.type === 'uri' ? term.value : literal(term.value, term['xml:lang'], term.datatype)
}

function rows (answer, vars) {
  if (answer.head.vars?.[0] === '__ASK_RETVAL') { // ASK
    const holds = answer.results.bindings[0]?.__ASK_RETVAL.value === '1'
    return [[literal(String(holds), '', 'http://www.w3.org/2001/XMLSchema#boolean')]]
  }
  const names = vars ?? answer.head.vars
  return answer.results.bindings.map((row) => names.map((v) => text(row[v])))
}

// serverTime is the processor's time of the server's threads, in nanoseconds.
function serverTime () {
  let sum = 0
  for (const thread of readdirSync(`/proc/${server.pid}/task`)) {
    sum += Number(readFileSync(`/proc/${server.pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0])
  }
  return sum
}

await serve(async (q) => {
  if (q.load) {
    await ready()
    symlinkSync(q.load, join(dir, 'kit.nt'))
    sql(`ld_dir('${dir}', 'kit.nt', 'urn:kit'); rdf_loader_run(); checkpoint;`)
    const [[count]] = rows(await ask('SELECT (COUNT(*) AS ?n) { ?s ?p ?o }'), ['n'])
    return { rows: parseInt(count) }
  }
  const [server, here, begin] = [serverTime(), process.cpuUsage(), process.hrtime.bigint()]
  const answer = await ask(q.query)
  const ns = Number(process.hrtime.bigint() - begin)
  const { user, system } = process.cpuUsage(here)
  const took = { ns, cpu: (user + system) * 1000 + serverTime() - server }
  const got = rows(answer, q.vars)
  return { rows: got.length, ...took, digest: q.digest ? digest(got, q.ordered) : '' }
})
end()
