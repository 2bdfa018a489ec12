// The pages in a real browser, against the built binary: a person's whole way through
// the example graph, with and without scripts, in both themes, also on a phone's
// width; axe-core on every kind of page. It ends with one line that counts.
//
//   browser.mjs MODULES CHROMIUM TRAILS FILE BASE GUARDED RICH TOKEN SHOTS
//
// BASE serves FILE without a token and GUARDED with TOKEN, RICH a graph that has something
// of everything; SHOTS is where pictures go, empty when nobody wants them.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

const [modules, chromium, trails, file, base, guarded, rich, token, shots] = process.argv.slice(2)
const require = createRequire(join(modules, 'node_modules/'))
const playwright = require('playwright-core')
const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8')

const patience = 60_000
const widths = { wide: { width: 1280, height: 900 }, narrow: { width: 390, height: 844 } }
let checks = 0

function holds (truth, what) {
  if (!truth) throw new Error(`not so: ${what}`)
  checks++
}

function equal (got, want, what) {
  const [a, b] = [JSON.stringify(got), JSON.stringify(want)]
  holds(a === b, `${what}: got ${a}, want ${b}`)
}

// A page that is answered with an error is shown all the same; Chromium calls that a
// failed resource. Everything else on the console is a fault of ours.
const ownRefusal = /^Failed to load resource: the server responded with a status of (400|401|403|404|405|409|410|422|429) /

const plain = (address) => address.split('?')[0]

// open starts a browser's window that lets no request leave this machine, and keeps
// what went wrong in it.
async function open (browser, { theme = 'light', size = 'wide', scripts = true } = {}) {
  const context = await browser.newContext({ viewport: widths[size], colorScheme: theme, javaScriptEnabled: scripts, locale: 'en-GB' })
  context.setDefaultTimeout(patience)
  const page = await context.newPage()
  if (!scripts) unscripted.add(page)
  const faults = []
  const local = new Set([base, guarded, rich].map((address) => new URL(address).host))
  await context.route('**/*', (route) => {
    const url = new URL(route.request().url())
    if (local.has(url.host)) return route.continue()
    faults.push(`a request left the machine: ${url}`)
    return route.abort()
  })
  page.on('console', (m) => {
    const sent = [plain(page.url()), `${base}/admin/capabilities/requirement.update`, `${base}/admin/types/Requirement/selected`, `${guarded}/admin/capabilities/requirement.update`, `${guarded}/admin/types/Requirement/selected`] // where a cell of a list is sent
    if (['error', 'warning'].includes(m.type()) && !(ownRefusal.test(m.text()) && sent.includes(plain(m.location().url)))) {
      faults.push(`console: ${m.text()} at ${m.location().url}`)
    }
  })
  page.on('pageerror', (e) => faults.push(`script: ${e.message}`))
  page.on('dialog', (d) => { faults.push(`dialog: ${d.message()}`); d.dismiss() })
  const end = async () => { await context.close(); equal(faults, [], `faults with ${theme}, ${size}, scripts ${scripts}`) }
  return { page, end, theme, size, scripts }
}

const says = async (page, text) => {
  await page.locator('main', { hasText: text }).waitFor()
  checks++
}

// fits holds that nothing makes the page itself scroll sideways, and that a part of it that does is shaded at its edge.
async function fits (page, what) {
  await page.waitForLoadState('load') // with its styles
  const over = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
  holds(over <= 0, `${what} is ${over} px too wide`)
  if (unscripted.has(page)) return // frames are waited for by a script
  const plain = await page.evaluate(async () => {
    for (let frame = 0; frame < 3; frame++) await new Promise(requestAnimationFrame) // the shade follows the layout
    return [...document.querySelectorAll('.scroll, .around')]
      .filter((e) => e.checkVisibility() && e.scrollWidth > e.clientWidth + 1 && e.scrollLeft === 0 && !getComputedStyle(e).boxShadow.includes('inset')).length
  })
  holds(plain === 0, `${what} has ${plain} parts that scroll and do not show it`)
}

// fitsPaper holds that nothing of a page stands out of the sheet when it is printed: paper does not scroll.
async function fitsPaper (page, what) {
  await page.emulateMedia({ media: 'print' })
  const [upright, onItsSide] = [{ width: 688, height: 1017 }, { width: 1017, height: 688 }] // A4 without its margins
  await page.setViewportSize(await page.locator('main').evaluate((main) => getComputedStyle(main).page) === 'wide' ? onItsSide : upright)
  const out = await page.evaluate(() => [...document.querySelectorAll('main :is(table, svg, form, pre, section, p, ul, dl)')]
    .filter((it) => it.getClientRects().length && !it.closest('.CodeMirror') && it.getBoundingClientRect().right > innerWidth + 1)
    .map((it) => `${it.localName}.${it.getAttribute('class')}`).slice(0, 5))
  equal(out, [], `what stands out of the paper of ${what}`)
  await page.emulateMedia({ media: 'screen' })
  await page.setViewportSize(widths.wide)
}

// barriers are what axe-core found, all of it: one fault often stands on many pages.
const barriers = []

// unscripted are the pages without scripts. axe-core needs timers, which are scripts, too.
const unscripted = new WeakSet()

// accessible runs axe-core on the page as it stands, unless that is without scripts.
async function accessible (page, what) {
  if (unscripted.has(page)) return
  await page.evaluate(axe)
  // What the header covers of a page that is scrolled counts as small.
  const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ['violations'], rules: { 'target-size': { enabled: window.scrollY === 0 } } }))
  const bad = violations.filter((v) => ['serious', 'critical'].includes(v.impact))
    .map((v) => `${what}: ${v.id} (${v.impact}): ${v.nodes.slice(0, 3).map((n) => n.html.slice(0, 200)).join(' | ')}`)
  barriers.push(...bad)
  checks++
}

// pictures returns what keeps a picture of the page under a name, where pictures are asked for.
const pictures = ({ page, size, scripts, theme }) => async (name) => {
  // Hiding the caret would leave style attributes behind, which the pages' policy refuses.
  if (shots) await page.screenshot({ path: join(shots, `${name}-${size}-${theme}${scripts ? '' : '-plain'}.png`), fullPage: true, caret: 'initial' })
}

let code = 100
const nextCode = () => `R-${++code}`

// journey is a person's way through the pages, by links and buttons only.
async function journey ({ page, size, scripts, theme }) {
  const id = nextCode()
  const shot = pictures({ page, size, scripts, theme })
  await page.goto(`${base}/admin`)
  await fits(page, 'the overview')
  await shot('overview')
  await page.locator('main a.card', { hasText: 'Requirement' }).click()
  await page.waitForURL('**/admin/types/Requirement')

  const rows = page.locator('table.list-table tbody tr')
  await rows.first().waitFor()
  const all = await rows.count()
  await page.locator('.facet', { hasText: 'status' }).getByRole('link', { name: 'accepted' }).click()
  await page.waitForURL(/where=status(=|%3D)accepted/)
  await page.locator('.chips').waitFor()
  const few = await rows.count()
  holds(few > 0 && few < all, `a filter keeps some of ${all} rows, not ${few}`)
  await page.locator('thead').getByRole('link', { name: 'code' }).click()
  await page.waitForURL(/sort=code/)
  await page.locator('th[aria-sort="ascending"]').waitFor()
  const ids = await page.locator('table.list-table tbody th').allInnerTexts()
  holds(ids.length === few, 'sorting keeps the filter')
  await fits(page, 'a list')
  await shot('list')
  await page.locator('.chips a').first().click()
  await page.locator('.chips').waitFor({ state: 'detached' })
  await rows.first().locator('th a').click()
  await page.waitForURL('**/admin/types/Requirement/R-*')
  await says(page, 'Referred to by')
  await fits(page, 'an instance')
  await shot('instance')

  await page.locator('.crumbs').getByRole('link', { name: 'Requirement' }).click()
  await page.getByRole('link', { name: 'New Requirement' }).click()
  await page.getByLabel('code').fill(id)
  await page.getByLabel('title').fill('Tiny')
  await page.getByLabel('priority').fill('9')
  await page.getByRole('button', { name: 'Create' }).last().click()
  await says(page, '2 things to mend')
  equal(await page.locator('.errors').allInnerTexts().then((list) => list.map((text) => text.split(' ')[0])), ['Title', 'Priority'], 'the fields with errors')
  equal(await page.locator('#f-priority').getAttribute('aria-invalid'), 'true', 'the wrong field is marked')
  equal([await page.locator('#f-code').inputValue(), await page.locator('#f-title').inputValue()], [id, 'Tiny'], 'what was written is still there')
  // The page's script gives the summary the focus: a busy browser can leave its autofocus out.
  if (scripts) await page.waitForFunction(() => document.activeElement.id === 'problems', null, { timeout: patience })
  else equal(await page.locator('#problems').getAttribute('autofocus'), '', 'the summary asks for the focus')
  await fits(page, 'a form with errors')
  await shot('errors')
  await page.locator('#problems a', { hasText: 'title' }).click()
  equal(await page.evaluate(() => document.activeElement.id), 'f-title', 'a link of the summary leads to its field')
  await page.keyboard.press('ControlOrMeta+A')
  await page.keyboard.type('It can be used without a mouse')
  await page.getByLabel('priority').fill('2')
  await page.getByRole('button', { name: 'Preview' }).click()
  await says(page, 'Preview: nothing was changed')
  await shot('dry-run')
  await page.getByRole('button', { name: 'Create' }).last().click()
  await says(page, 'Requirement created')
  await says(page, 'trails invoke')
  await fits(page, 'a result')
  await shot('result')
  await page.reload()
  await says(page, 'Requirement created')
  await page.getByRole('link', { name: 'See the commit' }).click()
  await says(page, 'It can be used without a mouse')
  await fits(page, 'a commit')
  await shot('commit')
  const told = JSON.parse(execFileSync(trails, ['invoke', file, 'commits_list', 'limit=1', '-o', 'json'], { encoding: 'utf8' }))
  holds(page.url().includes('/' + told.rows[0][0]), 'the commit is the newest')

  await page.goBack()
  await page.getByRole('link', { name: 'Open the Requirement' }).click()
  await page.getByRole('link', { name: 'Delete' }).click()
  await page.getByRole('button', { name: 'Delete…' }).last().click()
  await says(page, 'What this would do')
  await shot('confirm')
  await page.getByRole('button', { name: 'Yes, delete it' }).click()
  await says(page, 'Requirement deleted')
}

const write = (...args) => execFileSync(trails, ['invoke', file, ...args], { encoding: 'utf8' })

// arrives opens a page and lets another process write what it shows.
async function arrives ({ page }) {
  await page.goto(`${base}/admin/types/Requirement/R-012`)
  await page.locator('#live[data-state="on"]').waitFor()
  const title = `Shapes are full SHACL, said ${Date.now()}`
  write('requirement.update', 'id=R-012', `title=${title}`)
  await page.locator('h1', { hasText: title }).waitFor()
  await page.goto(`${base}/admin`)
  await page.locator('#live[data-state="on"]').waitFor()
  write('requirement.update', 'id=R-012', 'priority=2', `message=Seen at once ${title}`)
  await page.locator('.log', { hasText: `Seen at once ${title}` }).waitFor()
  checks += 2
}

// stale edits what another process changes meanwhile.
async function stale ({ page }, body) {
  await page.goto(`${base}/admin/capabilities/requirement.update?id=R-011`)
  await page.getByLabel('title').fill(`A line of work has a branch of its own, ${Date.now()}`)
  write('requirement.update', 'id=R-011', `title=A line of work is a branch, ${Date.now()}`)
  await page.getByRole('button', { name: 'Save changes' }).last().click()
  await says(page, 'It changed meanwhile')
  await body()
  await page.getByRole('button', { name: 'Save changes' }).last().click()
  await says(page, 'Requirement changed')
}

// references finds a node by typing, with the keyboard alone, and adds a row.
async function references ({ page }) {
  await page.goto(`${base}/admin/capabilities/component.update?id=kg`)
  await page.locator('.field[data-field="dependsOn"]').getByRole('button', { name: 'Add a row' }).click()
  await page.keyboard.type('Model')
  await page.locator('.listbox:not([hidden]) [data-value="Component/mcp"]').waitFor()
  await page.keyboard.press('ArrowDown')
  const input = page.locator(':focus')
  equal(await input.getAttribute('role'), 'combobox', 'the role of the field')
  equal(await input.getAttribute('aria-expanded'), 'true', 'the list is open')
  const active = await input.getAttribute('aria-activedescendant')
  equal(await page.locator(`[id="${active}"]`).getAttribute('aria-selected'), 'true', 'the option is the active one')
  await accessible(page, 'an open list of suggestions')
  await page.keyboard.press('Enter')
  equal([await input.inputValue(), await input.getAttribute('aria-expanded')], ['Component/mcp', 'false'], 'what was taken')
  await page.getByRole('button', { name: 'Preview' }).click()
  await says(page, 'Component/mcp')
}

// inPlace makes what a form refers to in a form of its own, and comes back with all that was typed; with scripts a reload
// offers the draft, lists are chips, and others' changes are told of.
async function inPlace ({ page, scripts }) {
  const name = scripts ? 'in-place' : 'in-place-plain'
  const form = `${base}/admin/capabilities/component.create`
  await page.goto(form)
  await page.locator('#f-name').fill(name)
  await page.locator('#f-path').fill(name.replaceAll('-', '/'))
  await page.locator('#f-title').fill('Made with what it follows')
  await page.locator('#f-row').selectOption('graph')
  if (scripts) {
    await page.reload()
    await page.locator('.draft', { hasText: 'Your draft of' }).waitFor()
    equal(await page.locator('#f-name').inputValue(), '', 'a draft is not filled in by itself')
    await accessible(page, 'a form with a draft')
    await page.getByRole('button', { name: 'Restore' }).click()
    equal([await page.locator('#f-name').inputValue(), await page.locator('#f-row').inputValue()], [name, 'graph'], 'the draft')
  }
  await page.getByRole('button', { name: 'New Standard' }).click()
  await page.getByText('When it is made, you are back').waitFor()
  equal(await page.getByRole('dialog', { name: 'Create Standard' }).count(), scripts ? 1 : 0, 'the dialog')
  await page.locator('#f-name').fill(`${name}-standard`)
  await page.locator('#f-title').fill('The words of the house')
  await page.locator('#f-url').fill('https://example.org/words')
  await accessible(page, 'a form inside another')
  await page.getByRole('button', { name: 'Create', exact: true }).last().click()
  await says(page, 'It was made, and is chosen below')
  equal(await page.locator('#f-name').inputValue(), name, 'what was typed')
  equal(await page.locator('#f-follows').inputValue(), `Standard/${name}-standard`, 'the new node')
  await accessible(page, 'a form that got a node')
  await page.getByRole('button', { name: 'Preview' }).click()
  await says(page, 'Preview: nothing was changed')
  await page.getByRole('button', { name: 'Create', exact: true }).last().click()
  await says(page, 'Component created')
  if (!scripts) return
  await page.waitForFunction(() => !Object.keys(localStorage).some((key) => key.startsWith('trails:draft:')), null, { timeout: patience }) // drafts of forms that were sent
  await page.goto(`${base}/admin/capabilities/component.update?id=${name}`)
  const follows = page.locator('[data-rows="follows"]')
  await follows.locator('.chip-text', { hasText: 'The words of the house' }).waitFor()
  await accessible(page, 'chips')
  await follows.locator('input').last().fill('Standard/shacl')
  await page.keyboard.press('Escape')
  await page.keyboard.press('Enter')
  equal(await follows.locator('.chip').count(), 2, 'chips after Enter')
  await follows.locator('.chip-text').first().click()
  equal(await page.evaluate(() => document.activeElement.value), `Standard/${name}-standard`, 'a chip that is opened')
  await follows.locator('[data-drop]').first().click()
  write('component.update', `id=${name}`, 'title=Changed beside the form')
  await page.locator('#changed details', { hasText: 'Changed beside the form' }).waitFor()
  await accessible(page, 'a banner of what was changed')
  await page.goto(`${base}/admin/capabilities/decision.create`)
  await page.locator('#f-reason').fill('# Because\n\nit is *so*')
  const drawn = page.getByRole('button', { name: 'See as Markdown' }).first()
  await drawn.click()
  await page.locator('.drawn em', { hasText: 'so' }).waitFor()
}

const prologue = 'PREFIX : <urn:trails:example:>\n'
const asking = (query, more = {}) => '/admin/query?' + new URLSearchParams({ query: prologue + query, run: '1', ...more })

// compose puts a query into the editor in the place of what is there. Keys that a busy page has not taken yet are pressed again.
async function compose (page, scripts, query) {
  if (!scripts) return page.locator('#query').fill(query)
  const has = () => page.evaluate(() => document.querySelector('.tabPanel.active .CodeMirror').CodeMirror.getValue())
  for (let tries = 0; tries < 20 && await has() !== query; tries++) {
    await page.locator('.tabPanel.active .CodeMirror textarea').focus()
    await page.keyboard.press('ControlOrMeta+A')
    await page.keyboard.insertText(query)
  }
  equal(await has(), query, 'what the editor has')
}

// queries asks the graph: an example, words that the editor completes, a mistake, a
// picture, a page of rows, and a file. Without scripts there is no editor to look at.
async function queries ({ page, size, theme, scripts }) {
  const shot = pictures({ page, size, scripts, theme })
  const rows = page.locator('.answer-table tbody tr')
  await page.goto(`${base}/admin`)
  await page.locator('.main-nav').getByRole('link', { name: 'Query' }).click()
  if (scripts) await page.locator('[data-ready="query"]').waitFor({ state: 'attached' })
  const write = (query) => compose(page, scripts, query)
  const ask = async (query) => {
    await write(query)
    if (scripts) await page.keyboard.press('ControlOrMeta+Enter')
    else await page.getByRole('button', { name: 'Run', exact: true }).click()
  }

  await ask(prologue + 'SELECT ?r ?t WHERE { ?r a :Requirement ; :title ?t } ORDER BY ?r')
  await says(page, '12 rows')
  holds(await rows.count() === 12, 'every row is shown')
  await fits(page, 'a table of an answer')
  await shot('query')
  await page.getByRole('button', { name: 'CSV', exact: true }).click()
  await says(page, 'urn:trails:example:Requirement/R-001,')
  await page.getByRole('button', { name: 'How it is run' }).click()
  await says(page, 'What is run: SQL')
  await fits(page, 'an explanation')

  await page.locator('#output').selectOption('table')
  await ask(prologue + 'SELECT ?r WHERE {\n  ?r a :Requirement ;\n}\nORDER BY')
  await says(page, 'The query does not parse')
  holds((await page.locator('.quoted').innerText()).startsWith('5 ORDER BY'), 'the line is shown')
  if (scripts) holds(await page.locator('.CodeMirror .wrong-here').count() === 1, 'its place is marked')
  await fits(page, 'a query that does not parse')
  await shot('query-error')
  await ask('INSERT DATA { <urn:a> <urn:b> 1 }')
  await says(page, 'This is an update')
  holds((await page.getByRole('link', { name: 'Open mutate' }).getAttribute('href')).includes('INSERT'), 'mutate is opened with it')

  await ask(prologue + 'CONSTRUCT { ?a :dependsOn ?b } WHERE { ?a :dependsOn ?b }')
  await says(page, 'triples')
  await page.getByRole('button', { name: 'Picture', exact: true }).click()
  await page.getByRole('region', { name: 'The answer as a picture' }).locator('svg').waitFor()
  await fits(page, 'a picture of an answer')
  await shot('query-picture')
  const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name: 'Turtle', exact: true }).click()])
  holds(readFileSync(await file.path(), 'utf8').includes(':dependsOn <urn:trails:example:Component/'), 'a download is the graph')
  equal(file.suggestedFilename(), 'answer.ttl', 'the name of a download')

  await page.goto(base + asking('SELECT ?s ?p ?o WHERE { ?s ?p ?o } ORDER BY ?s ?p ?o'))
  await says(page, 'There is more')
  await page.getByRole('button', { name: 'Next' }).click()
  await says(page, 'Rows 101–200')
  if (scripts) await page.waitForURL(/offset=100/)
  await rows.first().getByRole('link').first().click()
  await page.waitForURL('**/admin/types/**')
}

// storing writes a query with a parameter, is told what is wrong with it, stores it, asks
// it, replaces it and removes it, all where queries are written.
async function storing ({ page, size, theme, scripts }) {
  const shot = pictures({ page, size, scripts, theme })
  const ready = () => scripts && page.locator('[data-ready="query"]').waitFor({ state: 'attached' })
  const name = `needs_${size}_${theme}_${scripts}`
  const write = (query) => compose(page, scripts, query)
  const button = (name) => page.getByRole('button', { name, exact: true })
  await page.goto(`${guarded}/admin/query`)
  await page.getByLabel('Token').fill(token)
  await page.keyboard.press('Enter')
  await page.waitForURL('**/admin/query')
  await ready()
  await write('#+ params:\n#+   component: ref(Component)\nSELECT ?other WHERE {\n  ?component :dependsOn ?other ;\n}\nORDER BY')
  await page.getByText('Save as a stored query', { exact: true }).click()
  await page.locator('#save-id').fill(name)
  await button('Save').click()
  await says(page, 'Nothing was stored')
  equal((await page.locator('.quoted').innerText()).slice(0, 10), '7 ORDER BY', 'the line that is shown, with the id before it')
  if (scripts) holds(await page.locator('.CodeMirror .wrong-here').count() === 1, 'its place is marked')
  await accessible(page, 'a query that is not stored')

  const good = `#+ id: ${name}\n#+ params:\n#+   component: ref(Component)\nSELECT ?other WHERE {\n  ?component :dependsOn ?other\n}`
  await write(good.slice(good.indexOf('\n') + 1)) // the server puts the id before it
  if (scripts) await page.locator('[name="arg.params.component"]').waitFor()
  await page.locator('#save-id').fill(name)
  await button('Save').click()
  await says(page, `Stored: ${name}(component: Component)`)
  equal((await page.locator('#query').inputValue()).replaceAll('\r', ''), good, 'what the form sends behind the editor')
  await page.locator('[name="arg.params.component"]').fill('Component/mcp')
  await button('Run').click()
  await says(page, 'Component/invoke')
  await accessible(page, 'a stored query that was asked')
  await fits(page, 'a stored query that was asked')
  await shot('query-stored')

  await page.goto(`${guarded}/admin/query`)
  await ready()
  await page.locator('#stored-menu summary').click()
  await page.getByRole('link', { name, exact: true }).click()
  await page.locator('.stored-open').waitFor()
  await ready()
  await write(good + ' ORDER BY ?other')
  await page.getByText('Save as a stored query', { exact: true }).click()
  await button('Save').click()
  await says(page, `Replace ${name}?`)
  await button('Yes, replace it').click()
  await says(page, `Stored: ${name}(`)
  await button('Remove…').click()
  await says(page, `Remove ${name}?`)
  await shot('query-remove')
  await button('Yes, remove it').click()
  await says(page, `Removed: ${name}`)
}

// editing is what only scripts can: tabs that stay, words of this graph, and leaving
// the editor with the keys that move through every page.
async function editing ({ page }) {
  const line = () => page.locator('.tabPanel.active .CodeMirror textarea')
  await page.goto(`${base}/admin/query`)
  await page.locator('[data-ready="query"]').waitFor({ state: 'attached' })
  await line().focus()
  const wrong = page.locator('.tabPanel.active .parseErrorIcon')
  await page.keyboard.press('ControlOrMeta+A')
  await page.keyboard.insertText('SELECT * WHERE { ?a a nowhere:Component }')
  await wrong.waitFor()
  await page.keyboard.press('ControlOrMeta+A')
  await page.keyboard.insertText('SELECT * WHERE { ?a a :Component ; skos:note ?n }')
  await wrong.waitFor({ state: 'detached' })
  await page.keyboard.press('ControlOrMeta+A')
  await page.keyboard.insertText('SELECT * WHERE { ?a :dep')
  await page.keyboard.press('Control+Space')
  await page.locator('.CodeMirror-hint', { hasText: ':dependsOn' }).waitFor()
  await accessible(page, 'a list of completions')
  await page.keyboard.press('Enter')
  await page.keyboard.type(' ?b }')
  await page.keyboard.press('ControlOrMeta+Enter')
  await says(page, 'rows')
  await page.keyboard.press('Tab')
  holds(await page.evaluate(() => !document.activeElement.closest('.CodeMirror')), 'Tab leaves the editor')
  await page.locator('#examples summary').click()
  await page.getByRole('link', { name: 'How many of each type' }).click()
  await says(page, 'GROUP BY')
  await says(page, 'Component')
  equal(await page.getByRole('tab').count(), 2, 'tabs')
  await accessible(page, 'two queries')
  await page.reload()
  await page.locator('[data-ready="query"]').waitFor({ state: 'attached' })
  equal(await page.getByRole('tab').count(), 2, 'tabs after a reload')
  await page.getByRole('tab').first().click()
  holds((await page.locator('.tabPanel.active .CodeMirror').innerText()).includes(':dependsOn'), 'what was written is still there')
  const stored = await page.evaluate(() => Object.keys(localStorage))
  holds(stored.some((key) => key.startsWith('trails_')), `queries are kept under the graph's name, not ${stored}`)
}

// themes chooses each of the three, also without scripts, and always finds the way back.
async function themes (browser, system, scripts) {
  const window = await open(browser, { theme: system, scripts })
  const { page } = window
  const isDark = () => page.evaluate(() => {
    const [r, g, b] = getComputedStyle(document.body).backgroundColor.match(/\d+/g).map(Number)
    return r + g + b < 384
  })
  const cookies = { 'Light theme': 'light', 'Theme of the system': undefined, 'Dark theme': 'dark' }
  const kept = async () => (await page.context().cookies()).find((cookie) => cookie.name.startsWith('trails-theme'))?.value
  const dark = { 'Light theme': false, 'Theme of the system': system === 'dark', 'Dark theme': true }
  const shows = async (name, when) => {
    equal(await isDark(), dark[name], `${name} on a ${system} system, ${when}`)
    for (const other of Object.keys(dark)) {
      const button = page.getByRole('button', { name: other, exact: true })
      holds(await button.isVisible(), `${other} can be chosen, ${when}`)
      equal(await button.getAttribute('aria-pressed'), String(other === name), `${other} is pressed, ${when}`)
    }
  }
  await page.goto(`${base}/admin`)
  await shows('Theme of the system', 'before any choice')
  for (const name of ['Dark theme', 'Light theme', 'Theme of the system', 'Light theme', 'Dark theme', 'Theme of the system']) {
    await page.getByRole('button', { name, exact: true }).click()
    for (const end = Date.now() + patience; await kept() !== cookies[name];) {
      holds(Date.now() < end, `${name} is kept`)
      await page.waitForTimeout(20)
    }
    await page.waitForLoadState('load')
    await shows(name, 'at once')
    await accessible(page, `${name} on a ${system} system`)
    await page.goto(`${base}/admin/schema`)
    await shows(name, 'on another page')
  }
  await window.end()
}

// cells sorts a list by two columns and changes a cell by keys: with a value that is refused, with one while somebody else
// writes, and not at all.
async function cells ({ page }) {
  await page.goto(`${base}/admin/types/Requirement?col=code&col=status&col=priority`)
  await page.locator('#sort-status').click()
  await page.waitForURL(/sort=status/)
  await page.locator('#too-code').waitFor()
  await page.locator('#sort-code').click({ modifiers: ['Shift'] })
  await page.waitForURL(/sort=status(,|%2C)code/)
  await page.locator('thead th[aria-sort]').nth(1).waitFor()
  equal((await page.locator('thead th[aria-sort] .arrow').allInnerTexts()).sort(), ['▲1', '▲2'], 'two columns sort')
  const rows = await page.locator('table.list-table tbody tr').evaluateAll((list) => list.map((row) => row.cells[3].innerText + ' ' + row.cells[2].innerText))
  holds(rows.length > 3 && rows.every((row, i) => i === 0 || rows[i - 1] < row), `the rows are in the order of both: ${rows}`)

  const active = () => page.evaluate(() => [document.activeElement.cellIndex, document.activeElement.parentElement.sectionRowIndex])
  await page.locator('table.list-table[role=grid] tbody th').first().focus()
  for (const key of ['ArrowDown', 'ArrowRight', 'ArrowRight', 'ArrowRight']) await page.keyboard.press(key)
  equal(await active(), [4, 1], 'arrows lead to the priority of the second row')
  await page.keyboard.press('x')
  const ticked = () => page.locator('tbody .tick input:checked').count()
  equal(await ticked(), 1, 'x ticks the row')
  const box = (i) => page.locator('tbody .tick input').nth(i)
  await box(3).click({ modifiers: ['Shift'] })
  equal([await ticked(), await page.locator('#ticked').innerText()], [3, '3 ticked'], 'a click with Shift ticks all from the last one on')
  const all = page.locator('thead .tick input')
  equal(await all.evaluate((it) => it.indeterminate), true, 'the box in the head tells some from all')
  await all.click()
  equal(await ticked(), rows.length, 'the box in the head ticks all rows')
  await accessible(page, 'a list with all rows ticked')
  await all.click()
  equal([await ticked(), await page.locator('#ticked').innerText()], [0, ''], 'and no row')
  await page.locator('table.list-table tbody tr').nth(1).locator('td').nth(3).click()
  equal(await active(), [4, 1], 'a cell that is clicked has the focus')
  const cell = page.locator('table.list-table tbody tr').nth(1).locator('td').nth(3)
  const before = await cell.innerText()
  await page.keyboard.press('e')
  await cell.locator('.cell-edit input#f-priority').waitFor()
  await accessible(page, 'a cell that is edited')
  await page.keyboard.type('77')
  await page.keyboard.press('Enter')
  await cell.locator('.errors').waitFor()
  holds(await page.locator('#f-priority').inputValue() === '77', 'what was refused is still there')
  await accessible(page, 'a cell whose value is refused')
  await page.keyboard.press('Escape')
  equal([await cell.innerText(), await active()], [before, [4, 1]], 'Escape leaves the cell as it was')

  const other = before === '1' ? '2' : '1'
  await page.keyboard.press('Enter')
  await cell.locator('#f-priority').waitFor()
  await page.keyboard.type(other)
  const id = (await page.locator('table.list-table tbody tr').nth(1).getAttribute('data-key')).split('/').at(-1)
  const change = await page.request.post(`${base}/invoke/requirement.update`, { data: { id, title: 'Written by somebody else' } })
  holds(change.ok(), 'somebody else writes')
  await page.keyboard.press('Enter')
  await cell.locator('.filter-error').waitFor()
  holds((await cell.innerText()).includes('It changed meanwhile'), 'a conflict is told in the cell')
  await page.keyboard.press('Enter')
  await page.locator('#edited a').waitFor()
  equal([await cell.innerText(), await active()], [other, [4, 1]], 'the second time it is written')
  holds((await page.request.post(`${base}/invoke/requirement.update`, { data: { id, title: 'Written once more' } })).ok(), 'somebody else writes again')
  await page.locator('table.list-table tbody tr', { hasText: 'Written once more' }).waitFor()
  equal(await active(), [4, 1], 'the focus stays where it is when others write')
  await accessible(page, 'a list with a cell that was changed')
  await page.locator('#edited a').click()
  await page.waitForURL('**/admin/undo?**')
}

// atOnce changes ten rows as somebody would who sees the pages for the first time, and takes that back; presses of the mouse
// and keys are counted. Then it tries a value that is refused, the rows of a list that shows them no longer, and the keys.
async function atOnce ({ page }) {
  await page.addInitScript(() => {
    const add = (e) => {
      if (e.isTrusted && !['Shift', 'Control'].includes(e.key)) sessionStorage.setItem('presses', pressed() + 1)
    }
    const pressed = () => Number(sessionStorage.getItem('presses') || 0)
    addEventListener('mousedown', add, true)
    addEventListener('keydown', add, true)
  })
  const presses = () => page.evaluate(() => { const n = Number(sessionStorage.getItem('presses')); sessionStorage.removeItem('presses'); return n })
  const box = (i) => page.locator('tbody .tick input').nth(i)
  const cell = (i) => page.locator('table.list-table tbody tr').nth(i).locator('td:has(.vals)', { hasText: /^(proposed|accepted|met)$/ })
  const values = async (count) => (await page.locator('table.list-table tbody tr').evaluateAll((rows, at) => rows.map((row) => row.cells[at].innerText), await cell(0).evaluate((it) => it.cellIndex))).slice(0, count)
  await page.goto(`${base}/admin`)
  await page.locator('main a.card', { hasText: 'Requirement' }).click()
  await box(9).waitFor()
  const before = await values(10)
  const to = before.every((it) => it === 'proposed') ? 'accepted' : 'proposed'
  await box(0).click()
  await box(9).click({ modifiers: ['Shift'] })
  await accessible(page, 'a list with ten rows ticked')
  await cell(3).dblclick()
  const open = page.locator('.cell-edit')
  await open.getByText(to, { exact: true }).click()
  await accessible(page, 'a cell that is edited for ten rows')
  await open.getByRole('button', { name: 'Save in all 10 ticked' }).click()
  await page.locator('#edited a').waitFor()
  equal(await values(10), Array(10).fill(to), 'ten rows are changed')
  equal(await page.locator('tbody .tick input:checked').count(), 10, 'and still ticked')
  holds((await page.locator('#edited').innerText()).includes('of 10 rows is changed'), 'the line beneath says so')
  await accessible(page, 'a list with ten rows changed')
  const change = await presses()
  holds(change > 0 && change <= 8, `changing ten at once takes ${change} presses`)
  await page.locator('#edited a').click()
  await page.getByRole('button', { name: 'Take it back' }).click()
  await page.waitForURL('**/admin/commits/*')
  const undo = await presses()
  holds(undo > 0 && undo <= 2, `taking it back takes ${undo} presses`)
  await page.goto(`${base}/admin/types/Requirement`)
  equal(await values(10), before, 'all have what they had')

  await page.goto(`${base}/admin/types/Requirement?col=code&col=status&col=priority&where=priority%3E0`)
  const number = page.locator('table.list-table tbody tr').nth(1).locator('td.num').last()
  const was = await number.innerText()
  await box(0).click()
  await box(2).click({ modifiers: ['Shift'] })
  await number.dblclick()
  await open.locator('input#f-priority').fill('77')
  await page.keyboard.press('Control+Enter')
  await open.locator('.filter-error').waitFor()
  holds((await open.locator('.filter-error').innerText()).includes('77'), 'what is refused is told in the cell')
  await accessible(page, 'a cell whose value is refused for all')
  equal(await open.locator('input#f-priority').inputValue(), '77', 'and is still there')
  await box(1).click()
  await box(2).click()
  equal(await open.locator('[data-all]').isVisible(), false, 'one row alone is saved alone')
  await open.getByRole('button', { name: 'Cancel' }).click()
  await open.waitFor({ state: 'detached' })
  equal(await number.innerText(), was, 'nothing is changed')
}

// columns chooses columns of a list, which has them again later, until it has those of the first time.
async function columns ({ page }) {
  const heads = async () => (await page.locator('.list-table thead th').allInnerTexts()).slice(1)
  const choose = async (name) => {
    await page.locator('#columns summary').click()
    await page.locator('#columns').getByText(name, { exact: true }).click()
  }
  await page.goto(`${base}/admin/types/Requirement`)
  const first = await heads()
  await choose('Priority')
  await page.getByRole('button', { name: 'Show these' }).click()
  await page.waitForURL('**col=code&col=status')
  const fewer = first.filter((it) => it !== 'Priority')
  equal(await heads(), fewer, 'the columns that were chosen, with the label once')
  await page.goto(`${base}/admin`)
  await page.locator('main a.card', { hasText: 'Requirement' }).click()
  await page.waitForURL('**col=code&col=status')
  equal(await heads(), fewer, 'the columns that the browser has kept')
  await choose('As at first')
  await page.waitForURL('**/Requirement')
  await page.goto(`${base}/admin/types/Requirement`)
  equal(await heads(), first, 'the columns of the first time')
}

// hovering moves the pointer over a row with a text that has no room: the row keeps its height, and a tooltip has the text.
async function hovering ({ page }) {
  await page.goto(`${rich}/admin/types/Alpha?col=alphaText`)
  const cell = page.locator('table.list-table tbody tr', { has: page.locator('.vals', { hasText: 'A long text' }) }).locator('td:has(.vals)')
  const high = async () => (await cell.boundingBox()).height
  const before = await high()
  await cell.hover()
  holds((await cell.getAttribute('title')).startsWith('A long text'), 'the tooltip has the text')
  equal(await high(), before, 'the row is as high as before')
}

// filters writes filters that cannot be used: the list stays, and so does what was written.
async function filters ({ page }) {
  await page.goto(`${base}/admin/types/Requirement?where=status%3Dmet`)
  const rows = page.locator('table.list-table tbody tr')
  const menus = page.locator('details.menu[open]')
  await page.locator('#files summary').click()
  await page.locator('#save-view summary').click()
  equal(await menus.evaluateAll((list) => list.map((it) => it.id)), ['save-view'], 'one menu is open at a time')
  await page.locator('h1').click()
  equal(await menus.count(), 0, 'a click beside it closes a menu')
  const before = await rows.count()
  await page.locator('#property').selectOption('priority')
  await page.locator('#value').fill('urgent')
  await page.getByRole('button', { name: 'Filter', exact: true }).click()
  await page.locator('#value-error').waitFor()
  equal([await rows.count(), await page.locator('.chips li').count()], [before, 1], 'rows and filters that are left')
  equal([await page.locator('#property').inputValue(), await page.locator('#value').inputValue()], ['priority', 'urgent'], 'what was written')
  equal(await page.locator('#value').getAttribute('aria-describedby'), 'value-error', 'the error is that of the field')
  await fits(page, 'a list with a bad filter')
  await accessible(page, 'a list with a bad filter')
  await page.locator('#value').fill('2')
  await page.getByRole('button', { name: 'Filter', exact: true }).click()
  await page.waitForURL(/where=priority(=|%3D)2/)
  await page.locator('#value-error').waitFor({ state: 'detached' })
  // What cannot be shown in place is shown as the page that it is.
  await page.evaluate(() => document.querySelector('#list form[role="search"]').insertAdjacentHTML('beforeend', '<input type="hidden" name="sort" value="nothing">'))
  await page.getByRole('button', { name: 'Search', exact: true }).click()
  await page.waitForURL(/sort=nothing/)
  await says(page, 'That cannot be asked')
}

// goingBack leaves a form that was refused and comes back to it: it is as it was left, who
// is signed in stays so, and nothing asks whether it should be sent again.
async function goingBack ({ page }) {
  const signedIn = async (when) => equal(await page.getByRole('button', { name: 'Sign out' }).count(), 1, `signed in, ${when}`)
  const send = async (button) => {
    const loaded = page.waitForEvent('load')
    await page.getByRole('button', { name: button, exact: true }).last().click()
    await loaded
  }
  await page.goto(`${guarded}/admin/capabilities/requirement.create`)
  await page.getByLabel('Token').fill(token)
  await page.keyboard.press('Enter')
  await page.waitForURL('**/admin/capabilities/requirement.create')
  await page.getByLabel('title').fill('Tiny')
  await send('Create')
  await says(page, 'to mend')
  await page.locator('.main-nav').getByRole('link', { name: 'Schema' }).click()
  await page.waitForURL('**/admin/schema')
  await page.goBack()
  await says(page, 'to mend')
  equal(await page.locator('#f-title').inputValue(), 'Tiny', 'what was written')
  await signedIn('after going back to a refused form')
  await page.goForward()
  await page.waitForURL('**/admin/schema')
  await signedIn('after going forward')
  await page.goto(`${guarded}/admin/types/Nothing`)
  await says(page, 'Not found')
  await page.goBack()
  await page.goBack()
  await page.getByLabel('title').fill('Still here and long enough')
  await send('Preview')
  await signedIn('after an error page')

  // The same without a session, with a wrong token, and back.
  await page.context().clearCookies()
  await send('Preview')
  await says(page, 'You are not signed in any more')
  await page.getByLabel('Token').fill('a guess')
  await send('Sign in')
  await says(page, 'This is not the token')
  await page.goBack()
  await says(page, 'You are not signed in any more')
  await page.getByLabel('Token').fill(token)
  await send('Sign in')
  equal(await page.locator('#f-title').inputValue(), 'Still here and long enough', 'the form after a wrong token and going back')
  await signedIn('in the end')
}

// absence edits values that are chosen from a list: each has one control for no value.
async function absence ({ page, scripts }) {
  await page.goto(`${rich}/admin/capabilities/alpha.update?id=one`)
  for (const [field, value] of [['alphaState', 'new'], ['alphaSize', 'm'], ['alphaDone', 'true']]) {
    const box = page.locator(`.field[data-field="${field}"]`)
    equal(await box.getByText('Remove the value').count(), 0, `${field} has no second control`)
    equal(await box.getByText('no value', { exact: true }).count(), 1, `${field} has an entry for no value`)
    if (field === 'alphaSize') {
      equal(await box.locator('select').inputValue(), value, field)
      await box.locator('select').selectOption('')
    } else {
      await box.getByLabel('no value', { exact: true }).check()
    }
  }
  equal(await page.locator('.field[data-field="alphaText"]').getByText('Remove the value').count(), 1, 'a text has a box')
  await page.getByRole('button', { name: 'Preview' }).click()
  await says(page, 'Preview: nothing was changed')
  await says(page, 'Alpha done')
  equal(await page.locator('#preview del').count(), 3, 'values that would go')
  equal(await page.locator('#preview ins').count(), 0, 'values that would come')
}

// referrers pages through all that refer to one instance.
async function referrers ({ page }) {
  await page.goto(`${rich}/admin/types/Alpha/one`)
  await page.getByRole('link', { name: /^All 61 that refer here by Beta to/ }).click()
  await page.waitForURL('**/admin/types/Beta?**')
  await says(page, '1–61 of 61')
}

// drawing opens a group, expands a node, takes the picture as a file, and finds a tree from a list.
async function drawing ({ page, scripts }) {
  const picture = page.locator('#around svg')
  await page.goto(`${rich}/admin/types/Alpha/one/graph`)
  await page.evaluate(() => { document.body.dataset.same = '1' }).catch(() => {})
  await picture.getByRole('link', { name: '▸ 61 Beta' }).first().click()
  await page.waitForURL('**open=**')
  await picture.getByRole('link', { name: '▾ 61 Beta' }).first().waitFor()
  if (scripts) equal(await page.evaluate(() => document.body.dataset.same), '1', 'the group opens in place')
  await fits(page, 'an open group')
  await accessible(page, 'an open group')
  const inside = page.locator('#around svg g:not(.group) > a[data-node*="Beta"]').first()
  const name = (await inside.locator('text').textContent()).replace('…', '')
  await inside.click()
  await page.waitForURL('**card=**')
  holds((await page.locator('#card h2').innerText()).startsWith(name), 'the card of the node')
  await accessible(page, 'a card')
  const [svg] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name: 'SVG', exact: true }).click()])
  holds(readFileSync(await svg.path(), 'utf8').startsWith('<svg xmlns='), 'the picture is a file')
  if (scripts) {
    const [png] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'PNG' }).click()])
    equal(readFileSync(await png.path()).subarray(1, 4).toString(), 'PNG', 'the picture as PNG')
    const loaded = page.waitForEvent('load')
    await page.goBack()
    await loaded
    holds(!page.url().includes('card='), 'going back leads to the address before')
    equal(await page.locator('#card').count(), 0, 'a card after going back')
  }
  await page.goto(`${base}/admin/types/Component`)
  await page.getByRole('link', { name: 'Tree by Depends on' }).click()
  await page.waitForURL('**/admin/trees?**')
  equal(await page.getByRole('region', { name: 'The tree as a picture' }).count(), 1, 'the picture of the trees')
}

// versions walks from the newest version of an instance to the oldest and back.
async function versions ({ page, scripts }) {
  await page.goto(`${rich}/admin/types/Alpha/one`)
  const slider = page.getByRole('slider', { name: 'Version' })
  equal(await slider.isVisible(), scripts, 'the slider stands where it does something')
  if (scripts) await slider.fill('0')
  else await page.getByRole('link', { name: 'Older' }).click()
  await page.waitForURL('**/admin/types/Alpha/one?at=**')
  await says(page, 'Version 1 of 2')
  equal(await page.getByText('something else').count(), 0, 'what was said later')
  await page.getByRole('link', { name: 'Newer' }).click()
  await page.waitForURL((url) => url.search === '')
  await says(page, 'Version 2 of 2')
  await says(page, 'something else')
}

// pages are every kind of page, by its address and what must be done there.
const pages = [
  ['the overview', '/admin'],
  ['a list', '/admin/types/Requirement?where=status%3Dmet&sort=priority'],
  ['an empty list', '/admin/types/Requirement?search=nothing'],
  ['an instance', '/admin/types/Component/kg'],
  ['a history', '/admin/types/Requirement/R-012/history'],
  ['a neighbourhood', '/admin/types/Component/kg/graph'],
  ['a neighbourhood by direction', '/admin/types/Component/kg/graph?layout=layers&expand=Component/db&card=Component/db'],
  ['a neighbourhood further away', '/admin/types/Component/kg/graph?depth=2'],
  ['the trees of a type', '/admin/trees?type=Component&by=dependsOn'],
  ['a picture of rows', asking('SELECT ?a ?b { ?a :dependsOn ?b }', { output: 'picture' })],
  ['the log', '/admin/commits'],
  ['a commit', '/admin/commits/head'],
  ['the schema', '/admin/schema'],
  ['a query', '/admin/query?type=Requirement&run=1'],
  ['a query that asks for a graph', asking('CONSTRUCT WHERE { ?a :dependsOn ?b }', { output: 'picture' })],
  ['a query that does not parse', asking('SELECT')],
  ['a query that is explained', asking('ASK { ?a :dependsOn ?b }', { output: 'explain' })],
  ['an answer as text', asking('DESCRIBE <urn:trails:example:Component/kg>', { output: 'jsonld' })],
  ['the gateway', '/admin/gateway?path=%2Ftrails'],
  ['the capabilities', '/admin/capabilities'],
  ['an empty form', '/admin/capabilities/decision.create'],
  ['a form to edit', '/admin/capabilities/component.update?id=kg'],
  ['a question for an instance', '/admin/capabilities/component.update'],
  ['a form with a file', '/admin/capabilities/load'],
  ['a form with errors', '/admin/capabilities/decision.create', 'Create'],
  ['a dry run', '/admin/capabilities/requirement.update?id=R-010', 'Preview'],
  ['a result', '/admin/capabilities/commits_list', 'Run'],
  ['a question before a deletion', '/admin/capabilities/requirement.delete?id=R-010', 'Delete…'],
  ['a write that changed nothing', '/admin/capabilities/requirement.update?id=R-010', 'Save changes'],
  ['an unknown page', '/admin/types/Nothing'],
  ['an unknown instance', '/admin/types/Requirement/nothing'],
  ['an unknown commit', '/admin/commits/0123456789'],
  ['an unknown capability', '/admin/capabilities/nothing'],
  ['an address that is wrong', '/admin/commits?limit=none'],
  ['a bad filter', '/admin/types/Requirement?property=priority&value=none'],
  ['a form for JSON with an error', '/admin/capabilities/query', 'Run'],
  ['a form to edit that is refused', '/admin/capabilities/requirement.update?id=R-010', 'Save changes', (page) => page.getByLabel('title').fill('x')],
  ['an edit of what is not there', '/admin/capabilities/requirement.update?id=nothing'],
  ['a deletion that is asked for', '/admin/capabilities/requirement.delete'],
  ['the question of an overwrite', '/admin/capabilities/load', 'Run', async (page) => {
    await page.getByLabel('data').first().fill('{"type":"Standard","id":"x","data":{"name":"x","title":"One alone","url":"https://example.org/"}}')
    await page.getByLabel('mode').first().selectOption('overwrite')
  }],
  ['who said the values of a node', '/admin/types/Requirement/R-010?blame=1'],
  ['where data is given', '/admin/import'],
  ['the help of a page', '/admin/help?page=/admin/query'],
  ['a step of the tour', '/admin/help/tour?step=2'],
  ['a list as a chart', '/admin/types/Requirement?by=status&split=priority'],
  ['the log of a month', '/admin/commits?when=last+7+days&type=Requirement'],
  ['the branches', '/admin/branches'],
  ['what differs between two commits', '/admin/diff?from=head~1&to=head'],
  ['the graph of commits', '/admin/commits/graph'],
  ['the choice of a merge', '/admin/merge'],
  ['the requests', '/admin/requests'],
  ['an unknown request', '/admin/requests/1'],
  ['the tokens, without the scope for them', '/admin/tokens'],
  ['the policies, without the scope for them', '/admin/policy'],
  ['many types', `${rich}/admin`],
  ['a schema of many types', `${rich}/admin/schema`],
  ['a list of a type', `${rich}/admin/types/Beta?limit=20&offset=20`],
  ['an abstract type', `${rich}/admin/types/Thing`],
  ['an instance with much around it', `${rich}/admin/types/Alpha/one`],
  ['the values of one property', `${rich}/admin/types/Alpha/one?property=alphaTags&offset=50`],
  ['a picture of many types', `${rich}/admin/types/Alpha/one/graph`],
  ['a form with every field', `${rich}/admin/capabilities/alpha.update?id=one`],
  ['a form with every field, empty', `${rich}/admin/capabilities/alpha.create`],
  ['what was deleted', `${rich}/admin/types/Kappa/one`],
  ['the history of what was deleted', `${rich}/admin/types/Kappa/one/history`],
  ['a commit that deleted', `${rich}/admin/commits/head`],
  ['the first commit', `${rich}/admin/commits?limit=1`],
  ['a picture of an answer of many types', `${rich}/admin/query?` + new URLSearchParams({ query: 'CONSTRUCT WHERE { ?a ?p ?b . ?a a ?t }', run: '1', output: 'picture' })],
]

// everyPage looks at each page in one theme and one width: colours depend on the theme,
// and what stands where on the width. It returns the window.
async function everyPage (browser, theme, size) {
  const window = await open(browser, { theme, size })
  for (const [what, address, button, fill] of pages) {
    await window.page.goto(new URL(address, base).href)
    if (fill) await fill(window.page)
    if (button) {
      const loaded = window.page.waitForEvent('load')
      await window.page.getByRole('button', { name: button, exact: true }).last().click()
      await loaded
    }
    await fits(window.page, `${what}, ${size}`)
    await accessible(window.page, `${what}, ${theme}, ${size}`)
    if (size === 'wide' && theme === 'light') await fitsPaper(window.page, what)
  }
  return window
}

// signIn shows the token, loses the session, and has the form back.
async function signIn ({ page }) {
  await page.goto(`${guarded}/admin/capabilities/requirement.create`)
  await accessible(page, 'the sign-in')
  await page.getByLabel('Token').fill('a guess')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await says(page, 'This is not the token')
  await page.getByLabel('Token').fill(token)
  await page.keyboard.press('Enter')
  await page.waitForURL('**/admin/capabilities/requirement.create')
  await page.getByLabel('title').fill('Kept while nobody was signed in')
  await page.context().clearCookies()
  await page.getByRole('button', { name: 'Preview' }).click()
  await says(page, 'You are not signed in any more')
  await page.getByLabel('Token').fill(token)
  await page.getByRole('button', { name: 'Sign in' }).click()
  equal(await page.locator('#f-title').inputValue(), 'Kept while nobody was signed in', 'the form after the sign-in')
  await page.context().clearCookies()
  await page.getByRole('button', { name: 'Preview' }).click()
  await says(page, 'You are not signed in any more')
  const other = await page.context().newPage()
  await other.goto(`${guarded}/admin`)
  await other.getByLabel('Token').fill(token)
  await other.keyboard.press('Enter')
  await other.getByRole('button', { name: 'Sign out' }).waitFor()
  await other.close()
  await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange'))) // a headless browser shows all its tabs
  await page.locator('#f-title').waitFor()
  equal(await page.locator('#f-title').inputValue(), 'Kept while nobody was signed in', 'the form after the sign-in in another tab')
  await page.goto(`${guarded}/admin/types/Requirement?col=code&col=priority`)
  await page.locator('table.list-table tbody tr').nth(1).locator('td.num').dblclick()
  await page.locator('.cell-edit input#f-priority').fill('5')
  await page.context().clearCookies()
  await page.keyboard.press('Enter')
  await says(page, 'You are not signed in any more')
  await page.getByLabel('Token').fill(token)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await says(page, 'Change Priority of 1 Requirement')
  await page.getByRole('button', { name: 'Sign out' }).click()
  await says(page, 'Sign in')
}

// issuing issues a token, whose secret is on the page until that is left, and forgets it, because the graph is open to
// everybody only without one.
async function issuing ({ page }) {
  await page.goto(`${guarded}/admin/tokens`)
  await page.getByLabel('Token').fill(token)
  await page.keyboard.press('Enter')
  await page.waitForURL('**/admin/tokens')
  await says(page, 'The graph has issued no token')
  await fits(page, 'the tokens')
  await accessible(page, 'the tokens')
  await page.getByLabel('name').fill('agent')
  await page.getByLabel('groups').fill('robots')
  await page.getByRole('button', { name: 'Add a row' }).click()
  await page.getByLabel('groups').last().fill('more')
  await page.getByRole('button', { name: 'Issue' }).click()
  await says(page, 'Token issued')
  await fits(page, 'a secret')
  await accessible(page, 'a secret')
  const secret = await page.locator('.secret pre').innerText()
  holds(/^trails_agent_/.test(secret), 'the secret is shown')
  const shown = async () => (await page.content()).includes(secret)
  await page.evaluate(() => dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true })))
  equal(await shown(), false, 'a page that is kept for going back has the secret')
  await page.getByRole('link', { name: 'All tokens' }).click()
  await says(page, 'Groups: more, robots')
  await page.goBack()
  await says(page, 'The secret was shown before')
  equal(await shown(), false, 'the secret is there after going back')
  await page.getByRole('link', { name: 'All tokens' }).click()
  await page.getByRole('link', { name: 'Forget… agent' }).click()
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  await says(page, 'Token revoked')
  await page.goto(`${guarded}/admin/tokens`)
  await says(page, 'The graph has issued no token')
}

// governing sets policies after a look at what they change, reads why somebody may not do something, and takes them away. Those to begin
// with are there before and after.
async function governing ({ page, size, theme, scripts }) {
  const looks = async what => {
    await fits(page, `${what}, ${size}`)
    await accessible(page, `${what}, ${theme}, ${size}`)
  }
  const send = async button => {
    const loaded = page.waitForEvent('load')
    await page.getByRole('button', { name: button, exact: true }).click()
    await loaded
  }
  await page.goto(`${guarded}/admin/policy`)
  await page.getByLabel('Token').fill(token)
  await page.keyboard.press('Enter')
  await page.waitForURL('**/admin/policy')
  await says(page, 'Everybody may do what the scopes of their token permit')
  await looks('the policies to begin with')
  const text = page.getByLabel('Policies, in Cedar')
  await text.fill('permit (principal, action, resource);\npermit (principal, action == Action::"fly", resource);')
  await send('Check')
  await says(page, 'Nothing was set')
  await says(page, 'line 2: policy policy1 does not fit the vocabulary')
  await looks('policies that are wrong')
  await text.fill('@id("all") permit (principal, action, resource);\n@id("drafts") forbid (principal == Actor::"anonymous", action == Action::"change", resource in Type::"Requirement");')
  await send('Check')
  await says(page, 'What would change')
  await looks('what would change')
  await send('Set these policies')
  await says(page, 'Policies set')
  await page.getByRole('link', { name: 'The policies' }).click()
  await page.getByLabel('Who calls').fill('anonymous')
  await send('Explain')
  await says(page, 'anonymous with runtime')
  await looks('what somebody may do')
  await page.getByRole('link', { name: 'no why: change Type::"Requirement"' }).click()
  await says(page, 'forbidden by drafts')
  await looks('why somebody may not do something')
  await page.getByRole('link', { name: 'drafts (line 2)' }).click()
  holds(page.url().endsWith('#L2'), 'the line of the policy')
  await text.fill('')
  await send('Check')
  await says(page, 'All policies are taken away')
  await send('Set these policies')
  await says(page, 'Policies set')
  await page.goto(`${guarded}/admin/policy`)
  await says(page, 'trails policy set FILE --starter')
  await looks('no policies')
  execFileSync(trails, ['policy', 'set', file, '--starter'])
}

// importing is somebody with a spreadsheet of 200 people: dates in two orders, decimals with a comma, yes and no, and three
// bad cells. They mend these, load all, look at the list, and take it back. It counts what they click and fill.
async function importing ({ page, size, theme, scripts }) {
  let done = 0
  const click = async (name) => { done++; await page.getByRole('button', { name, exact: false }).click() }
  const fill = async (field, text) => { done++; await field.fill(text) }
  const day = (i) => i % 2 ? `2023-04-${String(i % 28 + 1).padStart(2, '0')}` : `${i % 28 + 1}.4.2023`
  const rows = Array.from({ length: 200 }, (_, i) => [`Person ${i}`, day(i), `${1000 + i},50`, i % 3 ? 'yes' : 'no'])
  rows[3][1] = '31.2.2023'
  rows[7][2] = 'unknown'
  rows[9][3] = 'perhaps'
  await page.goto(`${base}/admin/import`)
  await fill(page.getByLabel('or paste a table'), [['Name', 'Hired', 'Salary', 'Full time'], ...rows].map((row) => row.join('\t')).join('\n'))
  await fill(page.getByLabel('What the rows are'), 'Person')
  await click('Look at it')
  await says(page, '197 rows fit, 3 do not')
  await accessible(page, `the plan of an import, ${theme}`)
  await fits(page, 'the plan of an import')
  await pictures({ page, size, scripts, theme })('import')
  for (const [at, text] of [['5.1', '28.2.2023'], ['9.2', '1007,50'], ['11.3', 'no']]) {
    await fill(page.locator(`[name="cell.${at}"]`), text)
  }
  await click('Check')
  await says(page, '200 rows fit')
  await click('Load all 200')
  await says(page, '200 rows were loaded')
  holds(done <= 25, `an import takes ${done} clicks and fields`)
  await accessible(page, `what was imported, ${theme}`)
  await page.getByRole('link', { name: 'Look at Person' }).click()
  await says(page, 'of 200')
  await page.goBack()
  await click('Undo')
  await page.goto(`${base}/admin/types/Person`)
  await says(page, '404')
}

async function main () {
  const browser = await playwright.chromium.launch({
    executablePath: chromium,
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync']
  })
  try {
    for (const options of [
      { theme: 'light' }, { theme: 'dark', size: 'narrow' },
      { theme: 'light', scripts: false }, { theme: 'dark', size: 'narrow', scripts: false }
    ]) {
      const window = await open(browser, options)
      await journey(window)
      await window.end()
      const second = await open(browser, options)
      await queries(second)
      await storing(second)
      await second.end()
    }
    for (const system of ['light', 'dark']) {
      await Promise.all([true, false].map((scripts) => themes(browser, system, scripts)))
    }
    for (const scripts of [true, false]) {
      for (const part of [filters, goingBack, absence, referrers, versions, inPlace, drawing]) {
        if (!scripts && part === filters) continue // its second half is about what scripts exchange
        const window = await open(browser, { scripts })
        await part(window)
        await window.end()
      }
    }
    for (const part of [cells, atOnce, columns, hovering, arrives, references, editing, signIn, issuing]) {
      const window = await open(browser)
      await part(window)
      await window.end()
    }
    for (const options of [{ theme: 'light' }, { theme: 'dark', size: 'narrow' }, { scripts: false }]) {
      const window = await open(browser, options)
      await governing(window)
      await window.end()
    }
    for (const options of [{ theme: 'light' }, { theme: 'dark', size: 'narrow', scripts: false }]) {
      const window = await open(browser, options)
      await importing(window)
      await window.end()
    }
    for (const window of await Promise.all([everyPage(browser, 'light', 'wide'), everyPage(browser, 'dark', 'narrow')])) {
      await stale(window, () => accessible(window.page, `a stale form, ${window.theme}`))
      await window.end()
    }
    equal(barriers, [], 'what axe-core found')
  } finally {
    await browser.close()
  }
  console.log(`browser: ${checks} checks passed`)
}

await main()
