import axe from 'axe-core'
import type { Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { sequenceEvents } from '../../db/queries/events/sequence.ts'
import { indexPosts } from '../../src/features/posts/index-posts.ts'
import { drag, needsBrowser } from '../helpers/browser.ts'
import { until } from '../helpers/until.ts'
import { createScene, ZONE } from './scene.ts'

/** Wednesday, 15 May 2030. */
const DATE = '2030-05-15'

async function checkAccessible(t: Test, page: Page) {
  await page.evaluate(axe.source)
  const { violations } = (await page.evaluate('axe.run()')) as axe.AxeResults
  t.strictSame(
    violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`),
    [],
  )
}

t.test(
  'a free day and a free hour open the composer with their time, by mouse and by keys',
  needsBrowser,
  async (t) => {
    const { open, show } = await createScene(t)
    const { page, problems } = await open()
    const time = page.getByLabel('Time, or none for a draft')
    await show(page, `/calendar?date=${DATE}`)
    await page.getByRole('link', { name: 'New post on Thursday 16 May' }).click()
    await page.getByRole('heading', { name: 'Compose' }).waitFor()
    t.equal(await time.inputValue(), '2030-05-16T09:00')
    t.match(page.url(), /#\/compose$/, 'a reload does not set the time again')

    await page.goBack()
    await page.getByRole('heading', { name: 'May 2030' }).waitFor()
    await page.getByRole('button', { name: 'Week', exact: true }).click()
    const hour = page.getByRole('link', { name: /^New post on Wednesday 15 May at 10:00/ })
    await hour.focus()
    for (const key of ['ArrowRight', 'ArrowDown', 'ArrowDown', 'ArrowUp']) await page.keyboard.press(key)
    await checkAccessible(t, page)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Compose' }).waitFor()
    t.equal(await time.inputValue(), '2030-05-16T11:00')

    const text = page.getByLabel('Text', { exact: true })
    await text.fill('Not stored yet')
    await page.getByRole('link', { name: 'Calendar', exact: true }).click()
    await page.getByRole('heading', { name: '13 May – 19 May 2030' }).waitFor()
    t.match(page.url(), /view=week/, 'the calendar is as it was left')
    const other = page.getByRole('link', { name: /^New post on Friday 17 May at 10:00/ })
    const question = page.getByRole('dialog', { name: 'Begin a new post?' })
    await other.click()
    await question.getByText('Not stored yet').waitFor()
    await checkAccessible(t, page)
    await question.getByRole('button', { name: 'Go on with it' }).click()
    t.strictSame([await text.inputValue(), await time.inputValue()], ['Not stored yet', '2030-05-16T11:00'])
    await page.goBack()
    await other.click()
    await question.getByRole('button', { name: 'Drop it, and begin a new one' }).click()
    await question.waitFor({ state: 'hidden' })
    t.strictSame([await text.inputValue(), await time.inputValue()], ['', '2030-05-17T10:00'])

    await show(page, '/calendar?date=2020-05-15')
    t.equal(await page.getByRole('link', { name: /^New post on/ }).count(), 0, 'a day that is over takes no post')
    await show(page, '/compose?time=soon&zone=Nowhere')
    t.equal(await time.inputValue(), '2030-05-17T10:00')
    t.strictSame(problems(), [])
  },
)

t.test('a draft is dragged to a day, and a scheduled post back to the drafts', needsBrowser, async (t) => {
  const { ada, db, accountIds, open, show } = await createScene(t)
  const { id } = (await ada.call('POST', '/posts', { accountIds, caption: 'The lamp is lit.' })).body
  const read = async () => (await ada.call('GET', `/posts/${id}`)).body
  const { page, problems } = await open()
  await show(page, `/calendar?date=${DATE}`)
  const drafts = page.getByRole('complementary', { name: 'Drafts' })
  const draft = drafts.getByRole('link', { name: /The lamp is lit/ })
  const day = page.getByLabel('Thursday, 16 May 2030')
  await drag(draft, day)
  await page.getByText(/^Scheduled for Thursday, 16 May 2030/).waitFor()
  t.hasStrict(await read(), { status: 'scheduled', scheduledAtLocal: '2030-05-16T09:00:00', timeZone: ZONE })
  await page.getByRole('button', { name: 'Undo' }).click()
  await draft.waitFor()
  t.hasStrict(await read(), { status: 'draft', scheduledAt: null })

  await page.getByRole('button', { name: 'Week', exact: true }).click()
  await drag(draft, day.locator('[data-hour="11"]'))
  const chip = day.getByRole('link', { name: /The lamp is lit/ })
  await chip.waitFor()
  const { scheduledAt } = await read()
  t.equal(scheduledAt, '2030-05-16T09:00:00.000Z')
  const own = { scheduledAt: '2030-05-17T10:00:00Z' }
  await ada.call('PATCH', `/posts/${id}`, { overrides: { [accountIds[1]!]: own } })
  await page.reload()
  await drag(chip, drafts)
  await draft.waitFor()
  t.hasStrict(await read(), { status: 'draft', scheduledAt: null })
  await page.getByRole('button', { name: 'Undo' }).click()
  await chip.waitFor()
  const back = await read()
  t.hasStrict(back, { status: 'scheduled', scheduledAt, timeZone: ZONE })
  t.equal(back.targets[1].scheduledAt, '2030-05-17T10:00:00.000Z')

  await db.updateTable('postTargets').set({ state: 'cancelled' }).where('accountId', '=', accountIds[1]!).execute()
  await drag(chip, drafts)
  await page.getByText(/^Not moved: it is cancelled for ada on Sandbox/).waitFor()
  t.equal((await read()).status, 'scheduled')
  t.strictSame(problems(), [])
})

t.test('the calendar shows what changes elsewhere, by itself', needsBrowser, async (t) => {
  const { ada, db, accountIds, open, show } = await createScene(t)
  const scheduledAt = new Date(Date.now() + 86_400_000).toISOString()
  const { id } = (await ada.call('POST', '/posts', { accountIds, caption: 'The lamp is lit.', scheduledAt })).body
  await sequenceEvents(db)
  const { page } = await open()
  await show(page, '/calendar?view=list')
  const chip = page.getByRole('link', { name: /The lamp is lit/ })
  await chip.waitFor()
  // The page may begin to listen only now.
  await until('the new text is shown', async () => {
    await ada.call('PATCH', `/posts/${id}`, { caption: `The lamp is out. ${Date.now()}` })
    await sequenceEvents(db)
    return page.getByRole('link', { name: /The lamp is out/ }).count()
  })
})

t.test('a week has one axis of hours, with the night folded, and a line for now', needsBrowser, async (t) => {
  const { ada, accountIds, open, show } = await createScene(t)
  const scheduledAt = `${DATE}T03:30:00`
  await ada.call('POST', '/posts', { accountIds, caption: 'The lamp is lit.', scheduledAt, timeZone: ZONE })
  const { page } = await open()
  await show(page, `/calendar?view=week&date=${DATE}`)
  const rows = page.locator('.day').nth(2).locator('.hour')
  t.equal(await rows.count(), 17)
  const topOf = (day: number) => page.locator('.day').nth(day).locator('[data-hour="10"]').boundingBox()
  t.equal((await topOf(0))!.y, (await topOf(6))!.y)
  const chip = page.getByRole('link', { name: /The lamp is lit/ })
  await drag(chip, page.getByLabel('Thursday, 16 May 2030').locator('.hour').first())
  await page.getByText(/^Moved to Thursday, 16 May 2030 at 03:30/).waitFor()
  await page.getByRole('button', { name: 'Hours of the night' }).click()
  await rows.nth(23).waitFor()
  await page
    .locator('[data-hour="03"]')
    .getByRole('link', { name: /The lamp is lit/ })
    .waitFor()
  await show(page, '/calendar?view=week')
  await page.locator('.today .hour .now').waitFor()
  await checkAccessible(t, page)
})

t.test('the list finds posts of all time, and reads on when somebody asks for it', needsBrowser, async (t) => {
  const { ada, db, accountIds, open, show } = await createScene(t)
  const posts = Array.from({ length: 60 }, (_, index) => ({
    accountIds,
    caption: `Post ${index}`,
    scheduledAt: `20${30 + (index % 30)}-05-01T12:00:00Z`,
  }))
  await ada.call('POST', '/posts/batch', { posts })
  await sequenceEvents(db)
  await until('the words are indexed', () => indexPosts(db), { isMet: (pauseMs) => pauseMs === null })
  const { page, problems } = await open()
  await show(page, '/calendar?view=list')
  const chips = page.getByRole('region', { name: 'Posts' }).locator('.chip')
  await page.getByRole('heading', { name: /1 May 2059$/ }).waitFor()
  await checkAccessible(t, page)
  await page.getByRole('button', { name: 'More posts' }).click()
  await page.getByRole('button', { name: 'More posts' }).waitFor({ state: 'detached' })
  await page.locator('.post-list > div').last().scrollIntoViewIfNeeded()
  await page.getByRole('heading', { name: /1 May 2030$/ }).waitFor()
  await page.evaluate('scrollTo(0, 0)')
  await page.getByLabel('Order').selectOption('next')
  await until('the next one is first', () => chips.first().textContent(), {
    isMet: (text) => /Post (?:0|30)$/.test(text!.trim()),
  })
  const search = page.getByLabel('Words or reference')
  await search.fill('59')
  await search.press('Enter')
  await until('one is found', () => chips.count(), { isMet: (count) => count === 1 })

  const account = page.getByLabel('Account', { exact: true })
  await account.fill('ada.ex')
  await account.press('Enter')
  await page.waitForURL(new RegExp(`accountId=${accountIds[0]}`))
  t.equal(await account.inputValue(), 'ada.example.com (Bluesky)')
  await account.fill('nobody')
  await account.press('Enter')
  t.match(await account.evaluate((field) => (field as { validationMessage?: string }).validationMessage), 'No account')
  await page.reload()
  await until('the account is named', () => account.inputValue(), {
    isMet: (name) => name === 'ada.example.com (Bluesky)',
  })
  t.strictSame(problems(), [])
})
