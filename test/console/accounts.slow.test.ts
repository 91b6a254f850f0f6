import axe from 'axe-core'
import type { Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { storeAvatar } from '../../db/queries/avatars.ts'
import type { PlatformId } from '../../schemas/platform.ts'
import { needsBrowser } from '../helpers/browser.ts'
import { jpeg } from '../helpers/upload.ts'
import { createScene } from './scene.ts'

const NETWORKS: PlatformId[] = ['bluesky', 'mastodon', 'sandbox']

/** A user with sixty accounts, the first of which has a picture and a hostile name. */
async function createAgency(t: Test) {
  const scene = await createScene(t)
  const { db, ada } = scene
  const ids: string[] = [...scene.accountIds]
  for (let index = ids.length; index < 60; index++) {
    ids.push(await ada.account(NETWORKS[index % NETWORKS.length]!, { username: `client${index}` }))
  }
  const displayName = '<img src=x onerror=ran=1>'
  await db.updateTable('accounts').set({ displayName }).where('id', '=', ids[0]!).execute()
  await storeAvatar(db, { id: ids[0]!, bytes: await jpeg() })
  return { ...scene, ids, displayName }
}

async function checkAccessible(t: Test, page: Page) {
  await page.evaluate(axe.source)
  const { violations } = (await page.evaluate('axe.run()')) as axe.AxeResults
  t.strictSame(
    violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`),
    [],
  )
}

t.test('sixty accounts are searched, chosen together, and remembered as sets', needsBrowser, async (t) => {
  const { ada, ids, displayName, open, show } = await createAgency(t)
  const { page, problems } = await open()
  await show(page, '/compose')
  const choices = page.getByRole('group', { name: 'Accounts', exact: true })
  const boxes = choices.getByRole('checkbox')
  await boxes.nth(59).waitFor()
  await choices.getByText(displayName).waitFor()
  await choices.locator('img').waitFor()
  const search = choices.getByLabel('Search accounts')
  await search.fill('mastodon client1')
  const found = await boxes.count()
  await choices.getByRole('button', { name: `Choose these ${found}` }).click()
  await search.fill('')
  await choices.getByText(`${found} of 60 chosen`).waitFor()
  await checkAccessible(t, page)

  await choices.getByRole('button', { name: 'Remember these' }).click()
  const question = page.getByRole('dialog', { name: 'Remember these' })
  await question.getByLabel('Name').fill(`Harbour ${displayName}`)
  await question.getByRole('button', { name: 'Remember these' }).click()
  const set = choices.getByRole('button', { name: `Harbour ${displayName}` })
  await set.waitFor()
  await choices.getByRole('button', { name: 'Choose all' }).click()
  await choices.getByText('60 of 60 chosen').waitFor()
  await choices.getByRole('button', { name: 'None' }).click()
  await choices.getByText('0 of 60 chosen').waitFor()
  await page.reload()
  await set.click()
  await choices.getByText(`${found} of 60 chosen`).waitFor()
  t.equal(await set.getAttribute('aria-pressed'), 'true')
  await page.getByLabel('Text', { exact: true }).fill('Hello')
  await page.getByRole('button', { name: 'Save the draft' }).click()
  await page.getByRole('heading', { name: 'Draft', exact: true }).waitFor()
  const [draft] = (await ada.call('GET', '/posts?include=targets')).body.data
  t.equal(draft.targets.length, found)
  t.ok(draft.targets.every(({ accountId }: { accountId: string }) => ids.includes(accountId)))

  await show(page, '/compose')
  await choices.getByRole('button', { name: 'Forget a set' }).click()
  const forget = page.getByRole('dialog', { name: 'Forget a set' })
  await forget.getByRole('button', { name: 'Forget a set' }).click()
  await set.waitFor({ state: 'hidden' })
  t.equal(await page.evaluate('window.ran'), undefined)
  t.strictSame(problems(), [])
})

t.test('the page of the accounts has groups, a search, and those that need their owners', needsBrowser, async (t) => {
  const { db, ids, open, show } = await createAgency(t)
  const attention = JSON.stringify({ code: 'unauthorized', message: 'The access was withdrawn.' })
  await db.updateTable('accounts').set({ attention: null }).execute()
  await db.updateTable('accounts').set({ attention }).where('id', '=', ids[1]!).execute()
  const { page, problems } = await open()
  await show(page, '/accounts')
  const rows = page.locator('.account')
  await rows.nth(59).waitFor()
  await page.getByLabel('Search accounts').fill('mastodon client13')
  await page.getByText('1 of 60 accounts').waitFor()
  t.equal(await rows.count(), 1)
  await page.reload()
  await page.getByText('1 of 60 accounts').waitFor()
  await checkAccessible(t, page)
  await page.getByLabel('Search accounts').fill('nobody')
  await page.getByText('No account meets the filter.').waitFor()
  t.strictSame(problems(), [])
})

t.test('tags of an account are set, and the account is found by them', needsBrowser, async (t) => {
  const { ada, ids, open, show } = await createAgency(t)
  const tag = '<img src=x onerror=ran=1>'
  const { page, problems } = await open()
  await show(page, '/accounts')
  const row = page.locator('.account').filter({ hasText: 'client7' })
  await row.getByRole('button', { name: 'Tags' }).click()
  const question = page.getByRole('dialog', { name: 'Tags' })
  await question.getByLabel('Tags of the account').fill(`Berlin\n\n ${tag} `)
  await question.getByRole('button', { name: 'Tags' }).click()
  await row.getByRole('list', { name: 'Tags of the account' }).getByText('Berlin').waitFor()
  t.strictSame((await ada.call('GET', `/accounts/${ids[7]}`)).body.tags, ['Berlin', tag])
  await page.getByLabel('Search accounts').fill('berlin')
  await page.getByText('1 of 60 accounts').waitFor()
  await checkAccessible(t, page)

  const later = { scheduledAt: new Date(Date.now() + 3_600_000).toISOString() }
  const own = { accountIds: [ids[7]], caption: 'The harbour is open', ...later }
  await ada.call('POST', '/posts', own)
  await ada.call('POST', '/posts', { ...own, accountIds: [ids[6]], caption: 'A bakery opens' })
  await show(page, '/calendar?view=list')
  await page.getByText('A bakery opens').waitFor()
  await page.getByLabel('Account', { exact: true }).fill('Tag: Berlin')
  await page.getByLabel('Account', { exact: true }).press('Enter')
  await page.getByText('A bakery opens').waitFor({ state: 'hidden' })
  await page.getByText('The harbour is open').first().waitFor()
  t.match(page.url(), /accountTag=Berlin/)
  t.equal(await page.evaluate('window.ran'), undefined)
  t.strictSame(problems(), [])
})

t.test('until a real account is connected, the calendar says what is for show', needsBrowser, async (t) => {
  const { ada, open, show } = await createScene(t)
  const { page, problems } = await open()
  await show(page, '/calendar')
  const start = page.getByRole('region', { name: 'Getting started' })
  await start.getByText(/^Accounts with ⚠ are for show/).waitFor()
  await start.getByText(/Posts on Sandbox stay here/).waitFor()
  await checkAccessible(t, page)
  await start.getByRole('link', { name: 'Connect a real account' }).click()
  await page.getByRole('region', { name: 'Connect an account' }).getByRole('button', { name: 'Mastodon' }).waitFor()

  await ada.account('mastodon', { username: 'ada@example.com', credentials: { accessToken: 'secret' } })
  await show(page, '/calendar')
  await page
    .getByRole('link', { name: /^New post on/ })
    .first()
    .waitFor()
  await start.waitFor({ state: 'hidden' })
  t.strictSame(problems(), [])
})
