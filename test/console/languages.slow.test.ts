import type { Page } from 'playwright-core'
import t from 'tap'
import { table as german } from '../../src/features/console/page/languages/de/index.ts'
import { table as english } from '../../src/features/console/page/languages/en/index.ts'
import { needsBrowser } from '../helpers/browser.ts'
import { jpeg, upload } from '../helpers/upload.ts'
import { createScene } from './scene.ts'

const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()

/** All texts of a table. A plural has several. */
const textsOf = (value: unknown): string[] =>
  typeof value === 'string' ? [value] : Object.values(value ?? {}).flatMap(textsOf)

/** Finds a sentence of a table with any values: a short text as the whole, a longer one as a part too. */
function toPattern(sentence: string): RegExp {
  const source = sentence.replace(/[.*+?^$()[\]\\|]/g, '\\$&').replace(/\{\w+\}/g, '.+?')
  return sentence.split(' ').length > 4 ? new RegExp(source, 's') : new RegExp(`^${source}$`, 's')
}

/** The texts of a page that people read: single ones, those of paragraphs and controls, and those of attributes. */
const readTexts = (page: Page) =>
  page.evaluate(`{
    const texts = new Set()
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    // The options of networks have their names and descriptions from the catalogue.
    const isOption = (element) => element.closest('.field') !== null
    while (walker.nextNode()) {
      if (!isOption(walker.currentNode.parentElement)) texts.add(walker.currentNode.data.trim())
    }
    for (const element of document.querySelectorAll('p, li, button, label, summary, h1, h2, h3, td, dd, figcaption, legend')) {
      if (!isOption(element)) texts.add(element.textContent.trim())
    }
    for (const element of document.querySelectorAll('[aria-label], [placeholder], [title], [aria-valuetext]')) {
      for (const name of ['aria-label', 'placeholder', 'title', 'aria-valuetext']) {
        const text = element.getAttribute(name)
        if (text && !isOption(element)) texts.add(text.trim())
      }
    }
    Array.from(texts).filter((text) => /\\p{L}/u.test(text))
  }`) as Promise<string[]>

/** A user whose posts are drafts, scheduled, failed and published. The texts have no word of the tables. */
async function createPosts(t: Parameters<typeof createScene>[0]) {
  const scene = await createScene(t)
  const { app, db, ada, accountIds } = scene
  const { body: file } = await upload(app, ada, [
    ['altText', 'xyz'],
    ['file', await jpeg()],
  ])
  const create = async (caption: string, body: object = {}) =>
    (await ada.call('POST', '/posts', { accountIds, caption, ...body })).body.id as string
  const draft = await create('xyz 1', { mediaIds: [file.id] })
  const failed = await create('xyz 2', { scheduledAt: inDays(2) })
  const scheduled = await create('xyz 3', { scheduledAt: inDays(1), mediaIds: [file.id] })
  const published = await create('xyz 4', { scheduledAt: inDays(3) })
  const set = (id: string, values: object) =>
    db.updateTable('postTargets').set(values).where('postId', '=', id).execute()
  await set(failed, {
    state: 'failed',
    error: JSON.stringify({ code: 'content_refused', message: 'xyz', retryable: false }),
  })
  const sent = JSON.stringify([{ id: '1', url: null }])
  await set(published, { state: 'published', sent, publishedAt: new Date(), startedAt: new Date() })
  await db.updateTable('posts').set({ status: 'published' }).where('id', '=', published).execute()
  const hashes = [
    ...['/calendar', '/calendar?view=week', '/calendar?view=list', '/compose', `/media?file=${file.id}`],
    ...['/numbers', '/accounts?connect=yes', '/activity', '/nowhere'],
    ...[draft, failed, scheduled, published].map((id) => `/posts/${id}`),
  ]
  return { ...scene, hashes }
}

/** Opens what a page has folded, and chooses what it offers. */
async function unfold(page: Page, hash: string): Promise<void> {
  if (hash === '/compose') for (const box of await page.locator('.choice input').all()) await box.check()
  if (hash === '/calendar') await page.locator('.bar [aria-pressed]').last().click()
  for (const summary of await page.locator('summary').all()) if (await summary.isVisible()) await summary.click()
}

for (const [locale, dir] of Object.entries({
  'de-AT': 'ltr',
  'es-MX': 'ltr',
  'pt-PT': 'ltr',
  ja: 'ltr',
  'ar-EG': 'rtl',
})) {
  t.test(`a page in ${locale} shows no English sentence, and fits a narrow window`, needsBrowser, async (t) => {
    const { ada, open, show, origin, hashes } = await createPosts(t)
    const language = locale.slice(0, 2)
    const { table } = await import(`../../src/features/console/page/languages/${language}/index.ts`)
    const own = new Set(textsOf(table))
    // Names such as `Webhooks` are the same in both.
    const foreign = textsOf(english).filter((text) => !own.has(text) && /\p{L}/u.test(text.replace(/\{\w+\}/g, '')))
    const patterns = foreign.map(toPattern)
    // The catalogue has its sentences in English.
    const said = textsOf((await ada.call('GET', '/platforms')).body).filter((text) => text.includes(' '))
    const findForeign = async (page: Page) =>
      (await readTexts(page))
        .map((text) => said.reduce((rest, each) => rest.replaceAll(each, ''), text))
        .filter((text) => !own.has(text) && patterns.some((pattern) => pattern.test(text)))
    const viewport = { width: 390, height: 844 }
    const { page, problems } = await open(ada.key, { locale, viewport })
    t.strictSame(await page.evaluate('[document.documentElement.lang, document.documentElement.dir]'), [locale, dir])
    for (const hash of hashes) {
      await show(page, hash)
      await unfold(page, hash)
      t.strictSame(await findForeign(page), [], hash)
      const tooWide = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
      t.ok(Number(tooWide) <= 0, `${hash} is ${tooWide} pixels too wide`)
    }
    const title = await page.title()
    t.notOk(foreign.includes(title.replace(' – Postroom', '')), title)
    const stranger = await page.context().browser()!.newPage({ locale })
    await stranger.goto(`${origin}/console`)
    await stranger.locator('input[name=key]').waitFor()
    t.strictSame(await findForeign(stranger), [])
    // An account without a schedule has none to read.
    t.strictSame(
      problems().filter((problem) => !problem.includes('status of 404')),
      [],
    )
  })
}

t.test('the browser chooses the language, and a person another one', needsBrowser, async (t) => {
  const { ada, open, show } = await createScene(t)
  const { page } = await open(ada.key, { locale: 'fr-FR' })
  await page.getByRole('link', { name: english.shared.shell.accounts, exact: true }).waitFor()
  t.equal(await page.evaluate('document.documentElement.lang'), 'en-FR', 'a language without a table is English')
  await show(page, '/compose')
  await page.getByLabel(english.shared.post.text, { exact: true }).fill('Kept')
  await page.getByLabel(english.shared.language).selectOption('de')
  await page.getByRole('heading', { name: german.compose.title }).waitFor()
  t.equal(await page.getByLabel(german.shared.post.text, { exact: true }).inputValue(), 'Kept')
  await page.evaluate('sessionStorage.clear()')
  await page.reload()
  await page.getByLabel(german.shared.signIn.key).waitFor()
})

t.test('dates, numbers and weeks are those of the language', needsBrowser, async (t) => {
  const { ada, open, show } = await createScene(t)
  const firstDays = { 'de-DE': 'Mo', 'pt-BR': 'dom.', 'ar-EG': 'السبت' }
  const titles = { 'de-DE': 'März 2027', 'pt-BR': 'março de 2027', 'ar-EG': 'مارس ٢٠٢٧' }
  for (const [locale, title] of Object.entries(titles)) {
    const { page } = await open(ada.key, { locale })
    await show(page, '/calendar?date=2027-03-15')
    t.equal(await page.locator('h1').innerText(), title)
    t.equal(await page.locator('.weekday').first().textContent(), firstDays[locale as keyof typeof titles])
    await page.close()
  }
})

t.test('a page from right to left is mirrored, its calendar and its arrow keys too', needsBrowser, async (t) => {
  const { ada, open, show } = await createScene(t)
  const { page } = await open(ada.key, { locale: 'ar-EG', viewport: { width: 1440, height: 900 } })
  await show(page, '/calendar?date=2030-05-15')
  const leftOf = async (selector: string) => (await page.locator(selector).first().boundingBox())!.x
  t.ok((await leftOf('.drafts')) < (await leftOf('.grid')), 'the drafts stand to the left of the month')
  const firstDay = page.locator('.day').first()
  t.ok((await firstDay.boundingBox())!.x > (await page.locator('.day').nth(1).boundingBox())!.x)
  await page.locator('.add[data-day="2030-05-15"]').focus()
  await page.keyboard.press('ArrowLeft')
  t.equal(await page.evaluate('document.activeElement.dataset.day'), '2030-05-16', 'the next day is on the left')
})

t.test('a value of a sentence runs nothing, and is no sentence itself', needsBrowser, async (t) => {
  const { ada, open, show } = await createScene(t)
  const hostile = '<img src=x onerror="window.ran = true">{network}\u202e'
  const account = await ada.account('bluesky', { username: hostile })
  const scheduledAt = inDays(1)
  const { body } = await ada.call('POST', '/posts', { accountIds: [account], caption: hostile, scheduledAt })
  for (const locale of ['de-DE', 'ar-EG']) {
    const { page, problems } = await open(ada.key, { locale })
    for (const hash of ['/calendar', '/compose', '/accounts', `/posts/${body.id}`]) await show(page, hash)
    const named = await page.locator('section.card').first().getAttribute('aria-label')
    t.ok(named!.includes(hostile), `${locale} shows the name as it is`)
    t.equal(await page.evaluate('window.ran'), undefined)
    t.strictSame(problems(), [])
    await page.close()
  }
})
