// What the peers written in JavaScript share: the protocol of lines of JSON, and the digest
// of rows whose terms are text (db/querykit says both).
import { createHash } from 'node:crypto'
import { createInterface } from 'node:readline'

// literal writes one as package querykit does.
export function literal (value, language, datatype) {
  return value + (language ? '@' + language : '^^' + (datatype ?? 'http://www.w3.org/2001/XMLSchema#string'))
}

// digest is that of rows, each a list of texts.
export function digest (rows, ordered) {
  const lines = rows.map((row) => row.join('\t'))
  if (!ordered) lines.sort()
  const sum = createHash('sha256')
  for (const line of lines) sum.update(line + '\n')
  return sum.digest('hex').slice(0, 16)
}

// serve answers each question until the input ends.
export async function serve (answer) {
  for await (const line of createInterface({ input: process.stdin })) {
    let reply
    try {
      reply = await answer(JSON.parse(line))
    } catch (e) {
      reply = { error: String(e) }
    }
    process.stdout.write(JSON.stringify(reply) + '\n')
  }
}
