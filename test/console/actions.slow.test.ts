import type { Page } from 'playwright-core'
import t from 'tap'
import { sequenceEvents } from '../../db/queries/events/sequence.ts'
import type { DeliveryState } from '../../schemas/delivery.ts'
import { createServedWorld } from '../connections/served-scene.ts'
import type { Reply } from '../helpers/app.ts'
import { needsBrowser } from '../helpers/browser.ts'
import { createMetricsWorld, MINUTE } from '../helpers/metrics-world.ts'
import { createScene } from '../oauth/scene.ts'
import { startConsole } from './scene.ts'

/** Presses a button, fills the fields of its question, and confirms it. */
async function act(page: Page, label: string, fields: Record<string, string> = {}) {
  await page.locator('main').getByRole('button', { name: label, exact: true }).first().click()
  const dialog = page.getByRole('dialog', { name: label, exact: true })
  for (const [name, value] of Object.entries(fields)) await dialog.getByLabel(name).fill(value)
  await dialog.getByRole('button', { name: label, exact: true }).click()
  await dialog.waitFor({ state: 'hidden' })
}

const ADDRESS = 'https://x.com/ada/status/1234567890123456789'

interface DeliveryAction {
  label: string
  /** The state of the delivery before. */
  from: DeliveryState
  fields?: Record<string, string>
  /** The delivery afterwards, as the API shows it. */
  expected: object
}

const ON_DELIVERIES: DeliveryAction[] = [
  { label: 'Cancel', from: 'queued', expected: { state: 'cancelled' } },
  {
    label: 'It is there',
    from: 'unconfirmed',
    fields: { 'Its address there': ADDRESS },
    expected: { state: 'published', externalUrl: ADDRESS },
  },
  { label: 'It is not there', from: 'unconfirmed', expected: { state: 'failed', error: { code: 'not_published' } } },
  { label: 'Published by hand', from: 'failed', expected: { state: 'published', externalUrl: null } },
  {
    label: 'Published by hand',
    from: 'queued',
    fields: { 'Its address there': ADDRESS },
    expected: { state: 'published', externalUrl: ADDRESS, externalId: '1234567890123456789' },
  },
]

t.test('the API says that each action was carried out', needsBrowser, async (t) => {
  const webhookUrls = { allowsHttp: true, isReachable: async () => true }
  const world = await createScene(t, { servesConsole: true, webhookUrls })
  const { db, origin } = world
  const ada = await world.user()
  const account = await ada.account('x', { username: 'ada', externalId: '42' })
  const other = await ada.account('bluesky', { username: 'ada.example.com' })
  const { open, show } = await startConsole(t, origin, ada.key)
  const { page, problems } = await open()

  const createPost = async (accountIds = [account]) => {
    const post = { accountIds, caption: 'The lamp is lit.', scheduledAt: '2030-05-15T10:00:00Z' }
    return (await ada.call('POST', '/posts', post)).body.id as string
  }
  for (const { label, from, fields, expected } of ON_DELIVERIES) {
    t.test(`${label}, of a delivery that is ${from}`, async (t) => {
      const id = await createPost()
      await db.updateTable('postTargets').set({ state: from }).where('postId', '=', id).execute()
      await show(page, `/posts/${id}`)
      await act(page, label, fields)
      t.hasStrict((await ada.call('GET', `/posts/${id}`)).body.targets[0].delivery, expected)
    })
  }

  t.test('an account gets a time of its own, and gives it back', async (t) => {
    const id = await createPost([account, other])
    const timeOf = async () => {
      const { targets } = (await ada.call('GET', `/posts/${id}`)).body
      return targets.find(({ accountId }: { accountId: string }) => accountId === account).scheduledAt
    }
    await show(page, `/posts/${id}`)
    await act(page, 'Its own time', { 'Time in Europe/Berlin, or none': '2030-05-16T09:30' })
    t.equal(await timeOf(), '2030-05-16T07:30:00.000Z')
    await page.getByText(/Its time: 16 May 2030, 09:30/).waitFor()
    await act(page, 'Its own time', { 'Time in Europe/Berlin, or none': '' })
    t.equal(await timeOf(), null)
  })

  t.test('an address on another network is refused, and stays in its field', async (t) => {
    const id = await createPost()
    await show(page, `/posts/${id}`)
    await page.getByRole('button', { name: 'Published by hand' }).click()
    const dialog = page.getByRole('dialog', { name: 'Published by hand' })
    await dialog.getByLabel('Its address there').fill('https://example.com/1')
    await dialog.getByRole('button', { name: 'Published by hand' }).click()
    await dialog.getByRole('alert').waitFor()
    t.equal(await dialog.getByLabel('Its address there').inputValue(), 'https://example.com/1')
    t.equal((await ada.call('GET', `/posts/${id}`)).body.targets[0].delivery.state, 'queued')
  })

  t.test('Delete a post', async (t) => {
    const id = await createPost()
    await show(page, `/posts/${id}`)
    await act(page, 'Delete')
    await page.waitForURL(/#\/calendar$/)
    t.equal((await ada.call('GET', `/posts/${id}`)).status, 404)
  })

  const rows = async (reply: Promise<Reply>, name: string) =>
    (await reply).body.data.map((row: Record<string, string>) => row[name])

  t.test('Disconnect an account', async (t) => {
    await show(page, '/accounts')
    await act(page, 'Disconnect')
    t.equal((await rows(ada.call('GET', '/accounts'), 'id')).length, 1)
  })

  t.test('Revoke a key', async (t) => {
    t.equal((await ada.call('POST', '/keys', { name: 'old', scopes: ['posts:read'] })).status, 201)
    await show(page, '/activity')
    const row = page.getByRole('listitem').filter({ hasText: 'old' })
    await row.getByRole('button', { name: 'Revoke' }).click()
    await row.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
    await row.waitFor({ state: 'hidden' })
    t.strictSame(await rows(ada.call('GET', '/keys'), 'name'), [null])
  })

  t.test('Test a webhook', async (t) => {
    const { id } = (await ada.call('POST', '/webhooks', { url: 'https://hooks.example.com/postroom' })).body
    await show(page, '/calendar')
    await show(page, '/activity')
    await act(page, 'Test')
    await sequenceEvents(db)
    t.ok((await rows(ada.call('GET', `/webhooks/${id}/deliveries`), 'type')).includes('webhook.test'))
    await page.getByText('https://hooks.example.com/postroom').click()
    await page.getByText(/webhook\.test: pending, 0 attempts/).waitFor()
  })

  t.test('events are named in words', async () => {
    await sequenceEvents(db)
    await page.getByRole('link', { name: 'Post created' }).first().waitFor()
  })

  t.test('Disconnect an app', async (t) => {
    await world.connect(ada.key)
    await show(page, '/calendar')
    await show(page, '/activity')
    await page.getByText('Test app').first().waitFor()
    await act(page, 'Disconnect')
    t.strictSame(await rows(ada.call('GET', '/connected-apps'), 'id'), [])
  })

  t.test('no script is blocked', async (t) => {
    t.strictSame(
      problems().filter((problem) => !problem.includes('status of 40')),
      [],
    )
  })
})

t.test('an account is connected on the page of its network, and connected again', needsBrowser, async (t) => {
  const { ada, db, host } = await createServedWorld(t, { servesConsole: true })
  const { open, show } = await startConsole(t, `http://${host}`, ada.key)
  const { page, problems } = await open()
  const connect = async () => {
    const opened = page.waitForEvent('popup')
    await page.getByRole('button', { name: /^Allow access at X/ }).click()
    const window = await opened
    await window.getByRole('link', { name: 'Allow' }).click()
    await window.getByRole('heading', { name: 'Connected' }).waitFor()
    await window.close()
    await page.getByRole('button', { name: 'Close' }).waitFor({ state: 'hidden' })
  }
  const accounts = async () => (await ada.call('GET', '/accounts')).body.data
  await show(page, '/accounts')
  await page.getByRole('button', { name: 'Connect an account' }).click()
  await page.getByRole('button', { name: /^X\b/ }).click()
  await connect()
  await page.getByText('Ready to publish.').waitFor()
  const [{ id, username }] = await accounts()
  t.equal(username, 'lighthouses')

  const attention = JSON.stringify({ code: 'unauthorized', message: 'The access was withdrawn.' })
  await db.updateTable('accounts').set({ attention }).execute()
  await page.reload()
  await page.getByRole('button', { name: 'Connect again' }).click()
  await connect()
  await page.getByText('Ready to publish.').waitFor()
  const [again, ...others] = await accounts()
  t.strictSame([again.id, again.attention, others], [id, undefined, []])
  t.strictSame(problems(), [])
})

t.test('a post that its network does not show any more is said to be gone', needsBrowser, async (t) => {
  const world = await createMetricsWorld(t, 'on', undefined, { servesConsole: true })
  const { app, ada, connect, publish, read, mastodon } = world
  const account = await connect('mastodon')
  const id = await publish({ accountIds: [account] })
  const { open, show } = await startConsole(t, await app.listen({ host: '127.0.0.1', port: 0 }), ada.key)
  const { page, problems } = await open()
  await read(15 * MINUTE)
  await show(page, `/posts/${id}`)
  const check = page.getByRole('button', { name: 'Check whether it is still there' })
  await check.click()
  await page.getByText('The network shows it.').waitFor()

  mastodon.statuses.splice(0)
  for (let reading = 0; reading < 2; reading++) await read(15 * MINUTE)
  await page.reload()
  await page.getByText(/The network does not show it any more since .*: it was deleted or hidden there\.$/).waitFor()
  await check.click()
  await page.getByText('The network does not show it any more.', { exact: true }).waitFor()
  t.equal(await page.getByText('The network has it.').count(), 0)
  t.strictSame(problems(), [])
})
