import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Locator } from 'playwright-core'
import t from 'tap'
import { launchBrowser, needsBrowser } from '../helpers/browser.ts'
import { runService } from '../helpers/command.ts'
import { jpeg } from '../helpers/upload.ts'

const tomorrow = () => new Date(Date.now() + 86_400_000).toISOString().slice(0, 10)

t.test('a stranger does common tasks on the demo with few clicks', needsBrowser, async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'postroom-tasks-'))
  t.teardown(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }))
  const service = await runService('start', { DATA_DIR: folder, MEDIA_DIR: join(folder, 'media') })
  t.teardown(() => service.stop())
  const browser = await launchBrowser()
  t.teardown(() => browser.close())
  const page = await browser.newPage({
    timezoneId: 'Europe/Berlin',
    locale: 'en-GB',
    viewport: { width: 1280, height: 900 },
  })
  page.setDefaultTimeout(60_000)
  await page.goto(service.facts.console!)
  const button = (name: string) => page.locator('main').getByRole('button', { name, exact: true })
  const confirmed = (name: string) => page.getByRole('dialog', { name }).getByRole('button', { name, exact: true })
  const chip = (text: string) => page.locator('.chip').filter({ hasText: text })

  let clicks = 0
  const click = async (target: Locator) => {
    clicks++
    await target.click()
  }
  const type = async (target: Locator, text: string) => {
    clicks++
    await target.fill(text)
  }
  /** Each task begins at the calendar. */
  const task = async (name: string, expected: number, steps: () => Promise<void>) => {
    await page.evaluate(`location.hash = '/calendar'`)
    await page.getByRole('button', { name: 'Today' }).waitFor()
    clicks = 0
    await steps()
    t.equal(clicks, expected, `${name}: ${clicks} clicks`)
  }

  await task('schedule a post with a picture for three accounts', 9, async () => {
    await click(page.getByRole('link', { name: 'Compose', exact: true }))
    for (const name of [/^Sa Demo/, /^Bl Ada/, /^X ada/]) await click(page.getByRole('checkbox', { name }))
    await type(page.getByLabel('Text', { exact: true }), 'The lamp is lit.')
    // One click opens the chooser of the system, another one takes the file there.
    clicks += 2
    await page
      .getByLabel(/^Drop files here/)
      .setInputFiles({ name: 'lamp.jpg', mimeType: 'image/jpeg', buffer: await jpeg() })
    await type(page.getByLabel('Time, or none for a draft'), `${tomorrow()}T12:00`)
    await click(page.getByRole('button', { name: 'Schedule' }))
    await page.getByRole('heading', { name: 'Scheduled post' }).waitFor()
    await page.locator('main img').first().waitFor()
  })

  await task('move a post to another day, and undo it', 2, async () => {
    const days = page.locator('.day')
    const post = chip('The lamp is lit.')
    await post.waitFor()
    const index = await days.evaluateAll((days) =>
      days.findIndex((day) => (day as { textContent: string }).textContent.includes('The lamp is lit.')),
    )
    clicks++
    const other = days.nth(index + (index % 7 === 6 ? -1 : 1))
    await post.dragTo(other)
    await other.locator('.chip').filter({ hasText: 'The lamp is lit.' }).waitFor()
    await click(page.getByRole('button', { name: 'Undo' }))
    await days.nth(index).locator('.chip').filter({ hasText: 'The lamp is lit.' }).waitFor()
  })

  await task('find out why a post has failed, and retry it', 3, async () => {
    await click(chip('Failed').first())
    await page.getByText('content_refused').first().waitFor()
    await click(button('Retry'))
    await click(confirmed('Retry'))
    await page.getByText('The network has it.').waitFor()
  })
})
