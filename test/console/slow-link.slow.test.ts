import { randomBytes } from 'node:crypto'
import t from 'tap'
import { createWorld } from '../helpers/app.ts'
import { launchBrowser, needsBrowser } from '../helpers/browser.ts'
import { startSlowLink } from '../helpers/slow-link.ts'
import { DEADLINE_MS } from '../helpers/until.ts'

const POSTS = 200
/** 64 kbit/s, at which the 50 posts of a page take 18 seconds. */
const BYTES_PER_SECOND = 8_000

t.test('at 64 kbit/s, the calendar shows a month of 200 posts', needsBrowser, async (t) => {
  const { app, user } = await createWorld(t, { servesConsole: true })
  const ada = await user()
  const accountIds = [await ada.account('linkedin')]
  for (let post = 0; post < POSTS; post++) {
    const scheduledAt = `2030-05-${String((post % 28) + 1).padStart(2, '0')}T09:00:00Z`
    const caption = `Text ${post} ${randomBytes(1200).toString('hex')}`
    t.equal((await ada.call('POST', '/posts', { accountIds, scheduledAt, caption })).status, 201)
  }
  const link = await startSlowLink(t, await app.listen({ host: '127.0.0.1', port: 0 }), BYTES_PER_SECOND)
  const browser = await launchBrowser()
  t.teardown(() => browser.close())
  const page = await browser.newPage({ locale: 'en-GB', timezoneId: 'Europe/Berlin' })
  page.setDefaultTimeout(DEADLINE_MS)
  await page.goto(`${link}/console#key=${ada.key}`)
  await page.getByRole('navigation').waitFor()
  await page.evaluate("location.hash = '/calendar?date=2030-05-15'")
  await page.getByRole('heading', { name: 'May 2030' }).waitFor()
  await page
    .getByText(/Text \d+/)
    .first()
    .waitFor()
})
