import type { Page } from 'playwright-core'
import t from 'tap'
import { needsBrowser } from '../helpers/browser.ts'
import { until } from '../helpers/until.ts'
import { createScene } from './scene.ts'

const SECRET = 'A secret plan'
const storageOf = (page: Page) => page.evaluate('JSON.stringify({ ...sessionStorage })') as Promise<string>
const lead = (page: Page, key: string) => page.evaluate(`location.hash = 'key=${key}'`)

/** A tab in which Ada has typed a text, and the key of somebody else. */
async function createVictim(t: Parameters<typeof createScene>[0]) {
  const scene = await createScene(t)
  const bob = await scene.user('Bob')
  const scopes = ['accounts:read', 'posts:read', 'posts:write']
  const { body } = await bob.call('POST', '/keys', { name: 'bait', scopes })
  const { page } = await scene.open()
  await scene.show(page, '/compose')
  const text = page.getByLabel('Text', { exact: true })
  await text.fill(SECRET)
  const question = page.getByRole('dialog', { name: 'Use another key?' })
  const answer = (name: string) => question.getByRole('button', { name, exact: true })
  return { ...scene, bait: body.key as string, page, text, question, answer }
}

t.test('a link with the key of somebody else asks, and changes nothing by itself', needsBrowser, async (t) => {
  const { ada, bait, origin, page, text, question, answer } = await createVictim(t)
  await lead(page, bait)
  await question.getByText('Bob').waitFor()
  await question.getByText('bait').waitFor()
  t.equal(page.url(), `${origin}/console#/compose`, 'the key leaves the address, the page stays')
  await page.keyboard.press('Enter')
  await question.waitFor({ state: 'detached' })
  t.equal(await text.inputValue(), SECRET, 'a key that was typed on keeps the own one')

  await lead(page, bait)
  await question.getByText('Bob').waitFor()
  await page.keyboard.press('Escape')
  await question.waitFor({ state: 'detached' })
  await lead(page, ada.key)
  await lead(page, `pr_${'0'.repeat(36)}`)
  await question.getByText('The key is not valid').waitFor()
  t.ok(await answer('Use the key of the link').isDisabled())
  await lead(page, bait)
  await answer('Keep the present key').click()
  t.equal(await text.inputValue(), SECRET, 'an invalid key ends no session')

  await page.goto(`${origin}/?elsewhere`)
  await page.goto(`${origin}/console#key=${bait}`)
  await question.getByText('Bob').waitFor()
  t.match(await storageOf(page), ada.key)
  t.notMatch(await storageOf(page), bait)
  await answer('Keep the present key').click()
  await page
    .getByRole('banner')
    .getByText(await nameOf(ada))
    .waitFor()
})

const nameOf = async ({ call }: { call: (method: 'GET', path: string) => Promise<{ body: { userName: string } }> }) =>
  (await call('GET', '/key')).body.userName

t.test('a person who takes the key of a link leaves nothing to its owner', needsBrowser, async (t) => {
  const { bait, page, text, question, answer, show } = await createVictim(t)
  await lead(page, bait)
  await answer('Use the key of the link').click()
  await page.getByRole('banner').getByText('Bob, key bait').waitFor()
  t.equal(await question.count(), 0)
  await show(page, '/compose')
  t.equal(await text.inputValue(), '')
  t.notMatch(await storageOf(page), SECRET)
})

t.test('a kept key is not replaced in a new tab', needsBrowser, async (t) => {
  const { ada, bait, origin, page } = await createVictim(t)
  const context = await page.context().browser()!.newContext()
  const [tab, other] = [await context.newPage(), await context.newPage()]
  await tab.goto(`${origin}/console`)
  await tab.getByLabel('API key').fill(ada.key)
  await tab.getByLabel('Keep it in this browser').check()
  await tab.getByRole('button', { name: 'Open' }).click()
  await tab.getByRole('navigation').waitFor()
  await other.goto(`${origin}/console#key=${bait}`)
  await other.getByRole('dialog').getByText('Bob').waitFor()
  await other.getByRole('button', { name: 'Use the key of the link' }).click()
  await other.getByRole('banner').getByText('Bob').waitFor()
  t.equal(await tab.evaluate(`localStorage.getItem('postroom.key')`), ada.key, 'other tabs keep theirs')
})

t.test('a text that was typed before its key was revoked is not shown to another user', needsBrowser, async (t) => {
  const { app, ada, bait, open, show } = await createVictim(t)
  const scopes = ['accounts:read', 'posts:read', 'posts:write']
  const { body: own } = await ada.call('POST', '/keys', { name: 'own', scopes })
  const { page } = await open(own.key)
  await show(page, '/compose')
  const text = page.getByLabel('Text', { exact: true })
  await text.fill(SECRET)
  await ada.call('DELETE', `/keys/${own.id}`)
  const read = () => app.inject({ url: '/api/v1/posts', headers: { authorization: `Bearer ${own.key}` } })
  await until('the key is refused', read, { isMet: ({ statusCode }) => statusCode === 401 })
  await page.reload()
  await page.getByLabel('API key').waitFor()
  await lead(page, bait)
  await page.getByRole('banner').getByText('Bob').waitFor()
  await show(page, '/compose')
  t.equal(await text.inputValue(), '')
  t.notMatch(await storageOf(page), SECRET)
})

t.test('a site that opens the console loses hold of it', needsBrowser, async (t) => {
  const { origin, page } = await createVictim(t)
  const context = await page.context().browser()!.newContext()
  const site = await context.newPage()
  await site.route('http://127.0.0.1/site', (route) => route.fulfill({ contentType: 'text/html', body: '<title>Site' }))
  await site.goto('http://127.0.0.1/site')
  const opened = context.waitForEvent('page')
  await site.evaluate(`globalThis.opened = open('${origin}/console')`)
  await (await opened).getByLabel('API key').waitFor()
  await until('the handle is cut', () => site.evaluate('opened.closed'), { isMet: Boolean })
  t.equal(await (await opened).evaluate('opener'), null)
})
