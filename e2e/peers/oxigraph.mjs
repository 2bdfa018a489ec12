// The store of npm's oxigraph as a peer of the benchmark kit (db/querykit). Its argument is
// the directory that has node_modules. The time of a query ends when the value of each term
// of each row has been read; text for the digest is made afterwards.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { digest, literal, serve } from './digest.mjs'

const oxigraph = createRequire(join(process.argv[2], 'node_modules/'))('oxigraph')
const store = new oxigraph.Store()
const boolean = oxigraph.namedNode('http://www.w3.org/2001/XMLSchema#boolean')

// chunks cuts what is too large for one string.
function * chunks (path) {
  const bytes = readFileSync(path)
  for (let at = 0; at < bytes.length; at += 1 << 20) yield bytes.subarray(at, at + (1 << 20))
}

// read asks for each value and returns how many there were.
function read (answer) {
  let values = 0
  for (const row of answer) {
    if (row instanceof Map) {
      for (const term of row.values()) values += term.value.length > 0
    } else {
      values += row.subject.value.length > 0 && row.predicate.value.length > 0 && row.object.value.length > 0
    }
  }
  return values
}

function text (term) {
  if (!term) return ''
  return term.termType === 'Literal' ? literal(term.value, term.language, term.datatype.value) : term.value
}

function rows (answer, vars) {
  return answer.map((row) => (row instanceof Map ? vars.map((v) => row.get(v)) : [row.subject, row.predicate, row.object]).map(text))
}

await serve((q) => {
  const begin = process.hrtime.bigint()
  const before = process.cpuUsage()
  const took = () => {
    const { user, system } = process.cpuUsage(before)
    return { ns: Number(process.hrtime.bigint() - begin), cpu: (user + system) * 1000 }
  }
  if (q.load) {
    store.load(chunks(q.load), { format: 'application/n-triples', no_transaction: true })
    return { rows: store.size, ...took() }
  }
  let got = store.query(q.query)
  if (typeof got === 'boolean') got = [new Map([['holds', oxigraph.literal(String(got), boolean)]])]
  read(got)
  return { rows: got.length, ...took(), digest: q.digest ? digest(rows(got, q.vars), q.ordered) : '' }
})
