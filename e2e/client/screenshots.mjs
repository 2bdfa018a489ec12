// Pictures of thirty pages, to look at: the demo, a large graph where there is one, one of 60 types, an empty one, one with
// texts from right to left, and one with very long and hostile texts; in both themes and on two widths.
//
//   screenshots.mjs MODULES CHROMIUM TRAILS DIR [DATA]
//
// DIR gets the pictures, DATA is a file of records for the large graph.
import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

const [modules, chromium, trails, dir, data] = process.argv.slice(2).map((path) => resolve(path))
const require = createRequire(join(modules, 'node_modules/'))
const playwright = require('playwright-core')
const work = mkdtempSync(join(tmpdir(), 'trails-screenshots-'))
const run = (...args) => execFileSync(trails, args, { cwd: work, stdio: ['ignore', 'ignore', 'inherit'] })
const servers = []

// serve starts a server and returns its address.
function serve (...args) {
  const server = spawn(trails, [...args, '--addr', '127.0.0.1:0'], { cwd: work, stdio: ['ignore', 'pipe', 'pipe'] })
  servers.push(server)
  return new Promise((resolve, reject) => {
    let text = ''
    const read = (chunk) => {
      text += chunk
      const address = /http:\/\/127\.0\.0\.1:\d+/.exec(text)
      if (address) resolve(address[0])
    }
    server.stdout.on('data', read)
    server.stderr.on('data', read)
    server.on('exit', () => reject(new Error(`trails ${args.join(' ')} ended: ${text}`)))
  })
}

// graph makes a file with a schema and records.
function graph (name, schema, records) {
  writeFileSync(join(work, name + '.yaml'), schema)
  writeFileSync(join(work, name + '.ndjson'), records.map((r) => JSON.stringify(r)).join('\n') + '\n')
  run('init', name + '.trails', '--schema', name + '.yaml')
  if (records.length) run('load', name + '.trails', name + '.ndjson')
  return serve('serve', name + '.trails')
}

const person = 'types:\n  Person:\n    label: name\n    properties:\n      name: {type: string, required: true}\n      about: {type: string}\n      age: {type: integer}\n      knows: {class: Person, many: true}\n'
const people = (texts) => texts.map(([name, about], i) => ({ type: 'Person', id: 'p' + i, data: { name, about, age: i * 1111, knows: ['p' + (i + 1) % texts.length, 'p' + (i + 2) % texts.length] } }))
const long = 'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft'.repeat(3)
const hostile = [
  [long, long + ' ' + long], ['<script>alert(1)</script>', '"><img src=x onerror=alert(1)> {{.}} ${1}'], ['\u202eevil\u202c and back', 'a\u0000b'.replace('\u0000', ' ')], ['Z̸̡͝a̷l̴g̶o̵'.repeat(10), 'x'.repeat(3000)],
  ['   ', 'blank'], ['👩‍👩‍👧‍👦'.repeat(20), 'family'], ['https://example.org/' + 'path/'.repeat(40), '[click](javascript:alert(1)) **bold** `code`'],
]
const rightToLeft = [['ليلى حسن', 'مهندسة من القاهرة، تعمل منذ 2019.'], ['דוד לוי', 'מהנדס מחיפה, עובד מאז 2019.'], ['Ana Novak', 'Left to right, beside العربية and עברית.'], ['محمد Smith (2)', 'نص\nمن سطرين']]
const sixty = 'types:\n' + Array.from({ length: 60 }, (_, i) => `  Kind${String(i).padStart(2, '0')}${'OfThing'.repeat(i % 4)}:\n    label: name\n    properties: {name: {type: string}, next: {class: Kind00}}\n`).join('')

try {
  mkdirSync(dir, { recursive: true })
  run('init', 'empty.trails')
  const demo = await serve('demo')
  const empty = await serve('serve', 'empty.trails')
  const right = await graph('right', person, people(rightToLeft))
  const bad = await graph('hostile', person, people(hostile))
  const many = await graph('many', sixty, Array.from({ length: 40 }, (_, i) => ({ type: 'Kind00', id: 'k' + i, data: { name: 'Thing ' + i, next: 'k' + (i + 1) % 40 } })))
  const shots = [
    [demo, '/admin'], [demo, '/admin/types/Requirement'], [demo, '/admin/types/Component/kg'], [demo, '/admin/types/Component/kg/graph'], [demo, '/admin/commits'], [demo, '/admin/commits/head'],
    [demo, '/admin/schema'], [demo, '/admin/query?type=Requirement&run=1'], [demo, '/admin/search?q=graph'], [demo, '/admin/capabilities/decision.create'], [demo, '/admin/branches'], [demo, '/admin/help?page=/admin/commits'],
    [demo, '/admin/help/tour'], [demo, '/admin/types/Requirement?by=status'], [demo, '/admin/types/Requirement/R-013/history'], [demo, '/admin/doctor'], [empty, '/admin'], [empty, '/admin/import'],
    [right, '/admin/types/Person'], [right, '/admin/types/Person/p0'], [right, '/admin/commits'], [bad, '/admin/types/Person'], [bad, '/admin/types/Person/p0'], [bad, '/admin/types/Person/p1'], [bad, '/admin/search?q=evil'],
    [many, '/admin'], [many, '/admin/schema'], [many, '/admin/types/Kind00'],
  ]
  if (data && existsSync(data)) {
    execFileSync(trails, ['import', 'large.trails', resolve(data), '--yes'], { cwd: work, stdio: 'ignore' })
    const large = await serve('serve', 'large.trails')
    shots.push([large, '/admin'], [large, '/admin/schema'])
  } else {
    console.log('there is no data for a large graph: its two pages are left out')
  }
  const browser = await playwright.chromium.launch({ executablePath: chromium })
  let pictures = 0
  for (const theme of ['light', 'dark']) {
    for (const [size, viewport] of Object.entries({ wide: { width: 1280, height: 900 }, narrow: { width: 390, height: 844 } })) {
      const context = await browser.newContext({ viewport, colorScheme: theme, locale: 'en-GB' })
      const page = await context.newPage()
      for (const [i, [base, path]] of shots.entries()) {
        await page.goto(base + path)
        await page.waitForTimeout(150)
        const over = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
        if (over > 0) console.log(`${path} is ${over} px too wide (${size})`)
        const name = `${String(i + 1).padStart(2, '0')}${path.replace(/[^A-Za-z0-9]+/g, '-')}-${size}-${theme}.png`
        await page.screenshot({ path: join(dir, name), caret: 'initial' })
        pictures++
      }
      await context.close()
    }
  }
  await browser.close()
  console.log(`${pictures} pictures of ${shots.length} pages are in ${dir}`)
} finally {
  for (const server of servers) {
    server.removeAllListeners('exit')
    server.kill()
  }
  rmSync(work, { recursive: true, force: true })
}
