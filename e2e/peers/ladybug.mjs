// LadybugDB (npm's @ladybugdb/core, native code), a property graph, as a peer of the benchmark
// kit (db/querykit). Its argument is the directory that has node_modules. Entities of each kind
// are a table of nodes, literals their properties, and links between entities tables of
// relationships. It answers the shapes that have a text in Cypher. The time of a query ends when
// all rows are values of JavaScript; text for the digest is made afterwards.
import { createReadStream, createWriteStream, mkdtempSync, rmSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { digest, literal, serve } from './digest.mjs'

const ladybug = createRequire(join(process.argv[2], 'node_modules/'))('@ladybugdb/core')
const dir = mkdtempSync(join(tmpdir(), 'peers-ladybug-'))
process.on('exit', () => rmSync(dir, { recursive: true, force: true }))
process.on('SIGTERM', () => process.exit())
const file = join(dir, 'kit.db')
const db = new ladybug.Connection(new ladybug.Database(file))
await db.query('CALL var_length_extend_max_depth=1000')

const base = 'http://example.org/'
const xsd = 'http://www.w3.org/2001/XMLSchema#'
const types = { [xsd + 'integer']: 'INT64', [xsd + 'decimal']: 'DECIMAL(18, 4)', [xsd + 'date']: 'DATE', [xsd + 'dateTime']: 'TIMESTAMP' }
const line = /^<([^>]*)> <([^>]*)> (?:<([^>]*)>|"((?:[^"\\]|\\.)*)"(?:@([\w-]+)|\^\^<([^>]*)>)?) \.$/
const unescaped = (text) => text.replace(/\\(u....|U........|.)/g, (_, c) => c.length > 1 ? String.fromCodePoint(parseInt(c.slice(1), 16)) : { n: '\n', r: '\r', t: '\t' }[c] ?? c)
const local = (iri) => iri.match(/[^/#]*$/)[0]
const kindOf = (iri) => iri.slice(base.length).split('/')[0]

// graph reads the triples: entities by kind, the type of each property, and links by name, and
// the kinds that they lead from and to.
async function graph (path) {
  const nodes = new Map(); const columns = new Map(); const links = new Map(); let triples = 0
  const node = (iri) => {
    const kind = kindOf(iri)
    if (!nodes.has(kind)) { nodes.set(kind, new Map()); columns.set(kind, new Map()) }
    const of = nodes.get(kind)
    if (!of.has(iri)) of.set(iri, {})
    return of.get(iri)
  }
  for await (const text of createInterface({ input: createReadStream(path) })) {
    const [, s, p, o, value, lang, datatype] = text.match(line)
    triples++
    const row = node(s)
    const name = local(p)
    if (name === 'type' || value !== undefined) {
      const column = name === 'type' ? 'class' : lang ? name + '_' + lang : name
      if (row[column] !== undefined) throw new Error(`${s} has two values of ${column}`)
      row[column] = name === 'type' ? local(o) : unescaped(value)
      columns.get(kindOf(s)).set(column, types[datatype] ?? 'STRING')
      continue
    }
    node(o)
    const link = 'ex_' + name // properties, too, may have the name of a kind
    if (!links.has(link)) links.set(link, new Map())
    const pair = kindOf(s) + ' ' + kindOf(o)
    if (!links.get(link).has(pair)) links.get(link).set(pair, [])
    links.get(link).get(pair).push([s, o])
  }
  return { nodes, columns, links, triples }
}

// copy passes rows to a table by a file of comma-separated values.
async function copy (table, rows, options) {
  const path = join(dir, 'rows.csv')
  const out = createWriteStream(path)
  for (const row of rows) {
    if (!out.write(row.map((v) => v === undefined ? '' : '"' + v.replaceAll('"', '""') + '"').join(',') + '\n')) await new Promise((resolve) => out.once('drain', resolve))
  }
  await new Promise((resolve) => out.end(resolve))
  await db.query(`COPY \`${table}\` FROM "${path}" (header=false, parallel=false, escape='"'${options})`)
}

async function load (path) {
  const { nodes, columns, links, triples } = await graph(path)
  for (const [kind, of] of nodes) {
    const names = [...columns.get(kind).keys()]
    await db.query(`CREATE NODE TABLE \`${kind}\`(id STRING PRIMARY KEY${names.map((n) => `, \`${n}\` ${columns.get(kind).get(n)}`).join('')})`)
    await copy(kind, function * () { for (const [iri, row] of of) yield [iri, ...names.map((n) => row[n])] }(), '')
  }
  for (const [name, pairs] of links) {
    const ends = [...pairs.keys()].map((pair) => pair.split(' '))
    await db.query(`CREATE REL TABLE \`${name}\`(${ends.map(([from, to]) => `FROM \`${from}\` TO \`${to}\``).join(', ')})`)
    for (const [from, to] of ends) await copy(name, pairs.get(from + ' ' + to), `, from="${from}", to="${to}"`)
  }
  await db.query('CHECKPOINT')
  return triples
}

// The kinds of columns of package querykit.
const [iri, string, number, whole, integer, date, moment] = [0, 1, 6, 7, 8, 9, 10]

function text (value, kind) {
  if (value === null) return ''
  switch (kind) {
    case iri: return value
    case string: return literal(value)
    case number: case integer: return literal(String(value), '', xsd + 'integer')
    case whole: return literal(String(value), '', xsd + 'decimal')
    case date: return literal(value.toISOString().slice(0, 10), '', xsd + 'date')
    case moment: return literal(value.toISOString().replace('.000Z', 'Z'), '', xsd + 'dateTime')
  }
  throw new Error('it has no column of kind ' + kind)
}

await serve(async (q) => {
  const begin = process.hrtime.bigint()
  const before = process.cpuUsage()
  const took = () => {
    const { user, system } = process.cpuUsage(before)
    return { ns: Number(process.hrtime.bigint() - begin), cpu: (user + system) * 1000 }
  }
  if (q.load) return { rows: await load(q.load), ...took(), bytes: statSync(file).size }
  const cypher = q.cypher.replace(/\{(\w+):(\d+)\}/g, (_, kind, n) => `"${base}${kind}/${n}"`)
  const got = await (await db.query(cypher)).getAll()
  const reply = { rows: got.length, ...took() }
  return { ...reply, digest: q.digest ? digest(got.map((row) => Object.values(row).map((v, i) => text(v, q.columns[i]))), q.ordered) : '' }
})
