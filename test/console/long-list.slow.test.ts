import t from 'tap'
import { needsBrowser } from '../helpers/browser.ts'
import { until } from '../helpers/until.ts'
import { createScene } from './scene.ts'

const HOUR_MS = 3_600_000
/** As many as one request creates. */
const BATCH = 100
const FIRST = Date.UTC(2031, 0, 1)

t.test('a list of a thousand posts draws those near the window, and selects all', needsBrowser, async (t) => {
  const { ada, accountIds, open, show } = await createScene(t)
  for (let batch = 0; batch < 10; batch++) {
    const posts = Array.from({ length: BATCH }, (_, index) => ({
      accountIds,
      caption: `Post ${batch * BATCH + index}.`,
      scheduledAt: new Date(FIRST + (batch * BATCH + index) * HOUR_MS).toISOString(),
    }))
    t.equal((await ada.call('POST', '/posts/batch', { posts })).status, 201)
  }
  const { page, problems } = await open()
  await show(page, '/calendar?view=list')
  const chips = page.locator('.post-list .chip')
  const chip = (number: number) => page.locator('.post-list .chip').filter({ hasText: `Post ${number}.` })
  await chip(999).waitFor()
  const more = page.getByRole('button', { name: 'More posts' })
  const pieces = page.locator('.post-list > div')
  while ((await more.count()) > 0) {
    const before = await pieces.count()
    await more.click()
    await until('more is read', async () => (await pieces.count()) > before || (await more.count()) === 0)
  }
  await page.locator('.post-list > div').last().scrollIntoViewIfNeeded()
  await chip(0).waitFor()
  await until('few posts are drawn', () => chips.count(), { isMet: (count) => count < 150 })
  const elements = Number(await page.evaluate('document.querySelectorAll("*").length'))
  t.ok(elements < 5_000, `${elements} elements`)

  await page.getByRole('button', { name: 'Select', exact: true }).click()
  await page.getByRole('button', { name: 'Select all shown' }).click()
  await page.getByText('1,000 selected').waitFor()
  await page.evaluate('scrollTo(0, 0)')
  await chip(999).waitFor()
  t.ok(await chip(999).locator('xpath=..').getByRole('checkbox').isChecked(), 'a post that is drawn again is selected')
  t.strictSame(problems(), [])
})

t.test('a post that has the focus stays when the list is scrolled away from it', needsBrowser, async (t) => {
  const { ada, accountIds, open, show } = await createScene(t)
  const posts = Array.from({ length: BATCH }, (_, index) => ({
    accountIds,
    caption: `Post ${index}.`,
    scheduledAt: new Date(FIRST + index * HOUR_MS).toISOString(),
  }))
  await ada.call('POST', '/posts/batch', { posts })
  const { page } = await open()
  await show(page, '/calendar?view=list')
  const first = page.locator('.post-list .chip').filter({ hasText: 'Post 99.' })
  await first.focus()
  await page.evaluate('scrollTo(0, document.body.scrollHeight)')
  await page.locator('.post-list .chip').filter({ hasText: 'Post 50.' }).waitFor()
  t.ok(await first.evaluate((chip) => chip === chip.ownerDocument.activeElement))
})
