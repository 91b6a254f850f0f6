import { readFile } from 'node:fs/promises'
import axe from 'axe-core'
import t from 'tap'
import { needsBrowser } from '../helpers/browser.ts'
import { createMetricsWorld, DAY, HOUR, publishMeasured } from '../helpers/metrics-world.ts'
import { startConsole, ZONE } from './scene.ts'

/** The month of a time where the browser is. */
const monthOf = (time: string) => new Date(time).toLocaleDateString('sv-SE', { timeZone: ZONE }).slice(0, 7)

t.test('numbers are plotted for a month, an account and a post, with what is missing', needsBrowser, async (t) => {
  const world = await createMetricsWorld(t, 'on', undefined, { servesConsole: true })
  const { app, ada, connect, publish, read, mastodon } = world
  const measured = await publishMeasured(world, 'mastodon')
  const telegram = await publish({ accountIds: [await connect('telegram')], caption: '=Harbour, at "night"' })
  await read(HOUR)
  await read(DAY)
  Object.assign(mastodon.statuses[0]!, { favourites_count: 1234 })
  await read(DAY)

  const { open, show } = await startConsole(t, await app.listen({ host: '127.0.0.1', port: 0 }), ada.key)
  const { page, problems } = await open()
  const { body } = await ada.call('GET', `/posts/${measured.id}`)
  const month = `/numbers?month=${monthOf(body.scheduledAt)}`
  await show(page, month)
  const likes = page.getByRole('figure').filter({ hasText: 'likes' })
  t.match(await likes.innerText(), /1,234 likes/)
  t.equal(await likes.locator('rect').count(), 3, 'a bar for each day')
  await likes.getByText('Without 1 post on Telegram channel: the network does not tell.').waitFor()
  await page.getByText(/^Not known of any post: .*views/).click()
  await page.getByText(/Views: 1 post on .*the network does not tell/).waitFor()
  const rows = page.getByRole('row')
  t.equal(await rows.count(), 3, 'a head and two posts')
  t.match(await rows.filter({ hasText: 'Harbour' }).innerText(), /–/, 'an unknown number is no zero')
  await page.getByRole('button', { name: 'Likes' }).click()
  await page.getByRole('columnheader', { name: 'Likes' }).and(page.locator('[aria-sort=descending]')).waitFor()
  t.match(await rows.nth(1).innerText(), /1,234/, 'most likes first')

  const saving = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Save as CSV' }).click()
  const saved = await saving
  t.match(saved.suggestedFilename(), /^numbers-\d{4}-\d\d\.csv$/)
  const [head, ...lines] = (await readFile(await saved.path(), 'utf8')).trim().split('\n')
  t.match(head, /^postId,accountId,platform,username,externalUrl,publishedAt,fetchedAt,likes,/)
  t.equal(lines.length, 2)
  t.match(lines.find((line) => line.includes(measured.id))!, /,mastodon,.*,1234,/)

  await page.evaluate(axe.source)
  t.strictSame(((await page.evaluate('axe.run()')) as axe.AxeResults).violations, [])

  await show(page, `${month}&accountId=${measured.account}`)
  await page.getByText(/Harbour/).waitFor({ state: 'detached' })
  t.equal(await rows.count(), 2)
  await page.getByRole('button', { name: 'After', exact: true }).click()
  await page.getByText('Nothing was published in this month.').waitFor()

  await show(page, `/posts/${measured.id}`)
  await page.getByText('Numbers by day').click()
  t.match(await likes.innerText(), /1,234 likes/)
  await show(page, `/posts/${telegram}`)
  await page.getByText('No numbers: the network does not tell.').waitFor()

  await show(page, '/accounts')
  const account = page.getByLabel('Telegram channel', { exact: true })
  await account.getByText('Numbers of the last 30 days').click()
  await account.getByText('No numbers yet.').waitFor()
  t.strictSame(problems(), [])
})
