import { sql } from 'kysely'
import t from 'tap'
import { needsBrowser } from '../helpers/browser.ts'
import { onServer } from '../helpers/database.ts'
import { until } from '../helpers/until.ts'
import { createScene, startProxy } from './scene.ts'

t.test('too many requests are said, and made again when the service allows it', needsBrowser, async (t) => {
  const { ada, open } = await createScene(t, { rateLimits: { all: 12, write: 12 } })
  const { page } = await open()
  await until('the quota is used up', () => ada.call('GET', '/posts'), { isMet: ({ status }) => status === 429 })
  await page.getByRole('link', { name: 'Accounts' }).click()
  const alert = page.getByRole('alert').filter({ hasText: 'Too many requests at the moment' })
  await alert
    .getByText(/This is tried again in \d+ seconds\./)
    .first()
    .waitFor()
  await page.getByRole('region', { name: 'Bluesky' }).waitFor()
  await until('no error is left', () => alert.count(), { isMet: (count) => count === 0 })
})

t.test('a page that is opened while there are too many requests opens by itself', needsBrowser, async (t) => {
  const { ada, open } = await createScene(t, { rateLimits: { all: 12, write: 12 } })
  await until('the quota is used up', () => ada.call('GET', '/posts'), { isMet: ({ status }) => status === 429 })
  const { page } = await open()
  await page.getByRole('button', { name: 'Today' }).waitFor()
})

t.test('a service without its database is said to be unavailable, until it is back', needsBrowser, async (t) => {
  const { ada, accountIds, databaseUrl, open, show } = await createScene(t)
  await ada.call('POST', '/posts', { accountIds, caption: 'A draft' })
  const { page } = await open()
  await page.getByRole('link', { name: /A draft/ }).waitFor()
  const name = new URL(databaseUrl).pathname.slice(1)
  const allow = (isAllowed: boolean) =>
    onServer(async (db) => {
      await sql`alter database ${sql.id(name)} with allow_connections ${sql.raw(String(isAllowed))}`.execute(db)
      await sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = ${name}`.execute(db)
    })
  await allow(false)
  t.teardown(() => allow(true))
  await page.getByRole('link', { name: 'Activity' }).click()
  const alert = page.getByRole('alert').filter({ hasText: 'The service cannot answer at the moment' })
  await alert.getByText('Database not available').first().waitFor()
  await alert.getByText('Details').first().click()
  // Another part of the page may fail meanwhile, above.
  await alert
    .getByText(/^Request /)
    .locator('visible=true')
    .first()
    .waitFor()
  await allow(true)
  await page.getByText('Everything that was due is out.').waitFor()
  await show(page, '/calendar')
  await page.getByRole('link', { name: /A draft/ }).waitFor()
})

t.test('what the service refuses is said in words of the page', needsBrowser, async (t) => {
  const { ada, accountIds, open, show, db } = await createScene(t)
  const { body: post } = await ada.call('POST', '/posts', {
    accountIds,
    caption: 'Hi',
    scheduledAt: '2030-05-15T10:00:00Z',
  })
  const { page } = await open()
  await show(page, `/posts/${post.id}`)
  await page.locator('main').getByRole('button', { name: 'Published by hand' }).first().click()
  const dialog = page.locator('dialog[open]')
  await db.updateTable('postTargets').set({ state: 'publishing' }).where('postId', '=', post.id).execute()
  await dialog.getByRole('button', { name: 'Published by hand' }).click()
  const alert = dialog.getByRole('alert')
  await alert.getByText('It is being sent at the moment').waitFor()
  t.notMatch(await alert.innerText(), /Delivery|Request/)
  await alert.getByText('Details').click()
  await alert.getByText('Delivery is being sent').waitFor()
  await alert.getByText(/^Request /).waitFor()
  await dialog.getByRole('button', { name: 'Back' }).click()

  await show(page, '/accounts')
  const account = page.getByRole('region', { name: 'Bluesky' })
  await account.getByText('Slots').click()
  // The page adds no slot twice.
  const slot = { weekday: 'monday', time: '09:00' }
  const postData = JSON.stringify({ timeZone: 'Europe/Berlin', slots: [slot, slot] })
  await page.route('**/schedule', (route) =>
    route.request().method() === 'PUT' ? route.continue({ postData }) : route.continue(),
  )
  await account.getByRole('button', { name: 'Save the slots' }).click()
  const mistake = account.getByRole('alert')
  await mistake.getByText(/^Slots 2: /).waitFor()
  t.notMatch(await mistake.innerText(), /slots\.1|Invalid request/)

  await show(page, '/compose')
  await page.getByRole('checkbox', { name: /^Bluesky/ }).check()
  await page.getByLabel('Text', { exact: true }).fill('Hello')
  const time = page.getByLabel('Time, or none for a draft')
  for (const [local, says] of [
    ['2027-03-28T02:30', 'The clocks skip this time on that day: choose another one'],
    ['2027-10-31T02:30', 'The clocks show this time twice on that day: choose another hour'],
  ] as const) {
    await time.fill(local)
    await page.getByRole('alert').getByText(says).waitFor()
    t.notMatch(await page.getByRole('alert').innerText(), /fold/)
  }
})

t.test('the page of a post explains on request what a delivery waits for', needsBrowser, async (t) => {
  const { ada, accountIds, open, show } = await createScene(t)
  const scheduledAt = '2030-05-15T10:00:00.000Z'
  const { body: post } = await ada.call('POST', '/posts', { accountIds, caption: 'Hi', scheduledAt })
  const { page } = await open()
  await show(page, `/posts/${post.id}`)
  await page.locator('main').getByRole('button', { name: 'Explain' }).first().click()
  await page.locator('main').getByText(`Next: A worker sends it at ${scheduledAt}.`).waitFor()
  t.equal(await page.getByText(`It is due at ${scheduledAt}.`).count(), 1, 'the only wait is in the summary')
})

t.test('a service that is gone loses nothing that is shown or typed', needsBrowser, async (t) => {
  const { ada, accountIds, origin, open, show } = await createScene(t)
  await ada.call('POST', '/posts', { accountIds, caption: 'A draft' })
  const proxy = await startProxy(t, origin)
  const { page } = await open(ada.key, {}, proxy.address)
  const draft = page.getByRole('link', { name: /A draft/ })
  await draft.waitFor()
  proxy.stop()
  await page.getByRole('button', { name: 'Week' }).click()
  const alert = page.getByRole('alert').filter({ hasText: 'The service cannot be reached' })
  await alert.getByText('This is tried again in 10 seconds.').waitFor()
  t.ok(await draft.isVisible(), 'drafts stay')
  await proxy.start()
  await alert.waitFor({ state: 'hidden' })

  await show(page, '/compose')
  await page.getByRole('checkbox', { name: 'ada.example.com' }).check()
  await page.getByLabel('Text', { exact: true }).fill('Typed before')
  await page.getByText('12 of 300 characters').waitFor()
  proxy.stop()
  await page.getByRole('button', { name: 'Save the draft' }).click()
  await alert.getByText('Try again in 10 seconds.').waitFor()
  t.equal(await page.getByRole('textbox', { name: 'Text', exact: true }).inputValue(), 'Typed before')
  await proxy.start()
  await page.getByRole('button', { name: 'Save the draft' }).click()
  await page.getByRole('heading', { name: 'Draft', exact: true }).waitFor()
  t.equal((await ada.call('GET', '/posts')).body.data.length, 2)
})

t.test(
  'a key that is revoked meanwhile leads to the form for another, with the typed post',
  needsBrowser,
  async (t) => {
    const { app, ada, open, show } = await createScene(t)
    const scopes = ['accounts:read', 'posts:read', 'posts:write']
    const { body: other } = await ada.call('POST', '/keys', { name: 'other', scopes })
    const { page } = await open(other.key)
    await show(page, '/compose')
    await page.getByLabel('Text', { exact: true }).fill('Typed before')
    await ada.call('DELETE', `/keys/${other.id}`)
    const read = () => app.inject({ url: '/api/v1/posts', headers: { authorization: `Bearer ${other.key}` } })
    await until('the key is refused', read, { isMet: ({ statusCode }) => statusCode === 401 })
    await page.getByRole('checkbox', { name: 'ada.example.com' }).check()
    await page.getByRole('alert').getByText('The key is not valid').waitFor()
    t.notOk(await page.evaluate(`sessionStorage.getItem('postroom.key')`), 'the tab forgets the key')
    await page.getByLabel('API key').fill('pr_nothing')
    await page.getByRole('button', { name: 'Open' }).click()
    await page.getByRole('alert').waitFor()
    await page.getByLabel('API key').fill(ada.key)
    await page.getByRole('button', { name: 'Open' }).click()
    t.equal(await page.getByRole('textbox', { name: 'Text', exact: true }).inputValue(), 'Typed before')
  },
)

t.test(
  'of two tabs that change a post, the second sees the change, and keeps its own text',
  needsBrowser,
  async (t) => {
    const { ada, accountIds, open, show } = await createScene(t)
    const { body: post } = await ada.call('POST', '/posts', { accountIds, caption: 'First' })
    const captionOf = async () => (await ada.call('GET', `/posts/${post.id}`)).body.caption
    const openTab = async () => {
      const { page } = await open()
      await show(page, `/posts/${post.id}`)
      const ask = page.locator('main').getByRole('button', { name: 'Change the text' }).first()
      return { page, ask, dialog: page.getByRole('dialog', { name: 'Change the text' }) }
    }
    const [first, second] = [await openTab(), await openTab()]
    for (const { ask, dialog } of [first, second]) {
      await ask.click()
      await dialog.getByLabel('Text').fill(dialog === first.dialog ? 'Second' : 'Third')
    }
    await first.dialog.getByRole('button', { name: 'Change the text' }).click()
    await first.dialog.waitFor({ state: 'hidden' })
    await second.dialog.getByRole('button', { name: 'Change the text' }).click()
    await second.dialog.getByText('The post has changed meanwhile').waitFor()
    t.equal(await captionOf(), 'Second')
    await second.dialog.getByRole('button', { name: 'Back' }).click()
    await second.page.locator('p.text').getByText('Second').first().waitFor()
    await second.ask.click()
    t.equal(await second.dialog.getByLabel('Text').inputValue(), 'Third')
    await second.dialog.getByRole('button', { name: 'Change the text' }).click()
    await second.dialog.waitFor({ state: 'hidden' })
    t.equal(await captionOf(), 'Third')
  },
)
