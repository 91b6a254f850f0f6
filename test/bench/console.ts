import { parseArgs } from 'node:util'
import type { Browser, Page } from 'playwright-core'
import { connect } from '../../db/client.ts'
import { newId } from '../../db/id.ts'
import { insertAccount } from '../../db/queries/accounts.ts'
import { Postroom } from '../../src/clients/sdk/index.ts'
import { launchBrowser } from '../helpers/browser.ts'
import { report } from '../helpers/report.ts'
import { until } from '../helpers/until.ts'
import { withDatabase } from './comparison.ts'
import { createPeople, type Person } from './data.ts'
import { startService } from './processes.ts'
import { median } from './rounds.ts'

/**
 * Measures the frames of the console in a headless Chromium: of a person with 60 accounts, 500 posts in a month and
 * 5,000 others, beside those of a person without posts, in turns. `--trace` also writes what Chromium did to
 * `.results/console-trace.json`. `node test/bench/console.ts [ROUNDS] [POSTS]`.
 */
const { positionals, values } = parseArgs({ allowPositionals: true, options: { trace: { type: 'boolean' } } })
const [rounds = 3, others = 5_000] = positionals.map(Number)

const ACCOUNTS = 60
const IN_MONTH = 500
const MONTH = '2030-05'
/** A frame that takes longer is seen as a jerk. */
const LONG_FRAME_MS = 50

const posts = (person: Person, count: number, timeOf: (index: number) => Date) =>
  Array.from({ length: count }, (_, index) => ({
    accountIds: [0, 1, 2].map((each) => person.accountIds[(index + each * 7) % person.accountIds.length]!),
    caption: `Post ${index}: the lighthouse keeper writes about the sea, the weather and the ships that pass.`,
    scheduledAt: timeOf(index).toISOString(),
  }))

async function fill(url: string, baseUrl: string, person: Person): Promise<void> {
  const db = connect({ url, poolMax: 1 })
  for (let index = person.accountIds.length; index < ACCOUNTS; index++) {
    const account = {
      id: newId(),
      platform: 'sandbox' as const,
      username: `client${index}`,
      displayName: `Client ${index}`,
    }
    await insertAccount(db, { ...account, userId: person.userId, organizationId: null })
    person.accountIds.push(account.id)
  }
  await db.destroy()
  const client = new Postroom({ key: person.key, baseUrl })
  const all = [
    ...posts(person, IN_MONTH, (index) => new Date(Date.UTC(2030, 4, 1) + ((index * 31) / IN_MONTH) * 86_400_000)),
    ...posts(person, others, (index) => new Date(Date.UTC(2031, 0, 1) + index * 3_600_000)),
  ]
  for (let begin = 0; begin < all.length; begin += 100) {
    await client.posts.createMany(all.slice(begin, begin + 100), { maxRetries: 5 })
  }
}

/** Notes the length of each frame from now on. */
const WATCH = `
  window.frames_ = []
  let last = performance.now()
  const tick = (now) => { window.frames_.push(now - last); last = now; requestAnimationFrame(tick) }
  requestAnimationFrame(tick)`

/** The frames of some actions. */
async function watch(page: Page, act: () => Promise<unknown>): Promise<number[]> {
  await page.evaluate('window.frames_ = []')
  await act()
  return (await page.evaluate('window.frames_')) as number[]
}

const hash = (page: Page, address: string) => page.evaluate(`location.hash = ${JSON.stringify(address)}`)
const isLoaded = (page: Page) =>
  until('everything is loaded', () => page.locator('.loading').count(), { isMet: (count) => count === 0 })

async function scroll(page: Page): Promise<void> {
  for (let step = 0; step < 40; step++) await page.mouse.wheel(0, step < 20 ? 400 : -400)
}

/** Moves the mouse over the days with the button down: a post is dragged if there is one. */
async function drag(page: Page): Promise<void> {
  const day = async (number: number) => (await page.locator('.day').nth(number).boundingBox())!
  const [from, to] = [await day(9), await day(13)]
  await page.mouse.move(from.x + 40, from.y + 45)
  await page.mouse.down()
  for (let step = 1; step <= 30; step++) {
    await page.mouse.move(from.x + 40 + ((to.x - from.x) * step) / 30, from.y + 45)
  }
  await page.keyboard.press('Escape')
  await page.mouse.up()
}

async function readOn(page: Page): Promise<void> {
  const more = page.getByRole('button', { name: 'More posts' })
  while ((await more.count()) > 0) {
    await more.click()
    await isLoaded(page)
  }
}

type Frames = Record<string, number[]>

async function measure(browser: Browser, origin: string, { key }: Person): Promise<Frames> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } })
  await page.goto(`${origin}/console#key=${key}`)
  await page.getByRole('navigation').waitFor()
  await isLoaded(page)
  await page.evaluate(WATCH)
  const frames: Frames = {}
  const show = (address: string) => async () => {
    await hash(page, address)
    await page.waitForTimeout(100)
    await isLoaded(page)
  }
  frames['open the month'] = await watch(page, show(`/calendar?date=${MONTH}-15`))
  frames['scroll the month'] = await watch(page, () => scroll(page))
  await page.evaluate('scrollTo(0, 0)')
  frames['drag in the month'] = await watch(page, () => drag(page))
  frames['open the week'] = await watch(page, show(`/calendar?view=week&date=${MONTH}-15`))
  frames['scroll the week'] = await watch(page, () => scroll(page))
  frames['open the list'] = await watch(page, show('/calendar?view=list'))
  frames['read all of the list'] = await watch(page, () => readOn(page))
  frames['scroll the list'] = await watch(page, () => scroll(page))
  frames['open the accounts'] = await watch(page, show('/accounts'))
  await page.close()
  return frames
}

const countLong = (frames: number[]) => frames.filter((ms) => ms > LONG_FRAME_MS).length

await withDatabase(async ({ url, scratch }) => {
  const [busy, empty] = (await createPeople(url, 2)) as [Person, Person]
  const service = await startService({ DATABASE_URL: url, MEDIA_DIR: scratch })
  const browser = await launchBrowser()
  try {
    const origin = `http://localhost:${service.port}`
    await fill(url, `${origin}/api/v1`, busy)
    // The first page of a browser compiles the modules.
    await measure(browser, origin, empty)
    const turns: { busy: Frames; empty: Frames }[] = []
    for (let round = 0; round < rounds; round++) {
      if (values.trace && round === 0) await browser.startTracing(undefined, { path: '.results/console-trace.json' })
      turns.push({ busy: await measure(browser, origin, busy), empty: await measure(browser, origin, empty) })
      if (values.trace && round === 0) await browser.stopTracing()
    }
    const rows = Object.keys(turns[0]!.busy).map((what) => {
      const longest = (person: 'busy' | 'empty') => median(turns.map((turn) => Math.max(0, ...turn[person][what]!)))
      const long = (person: 'busy' | 'empty') => median(turns.map((turn) => countLong(turn[person][what]!)))
      return {
        what,
        'longest frame ms': Math.round(longest('busy')),
        'without posts: longest ms': Math.round(longest('empty')),
        ratio: Number((longest('busy') / longest('empty')).toFixed(1)),
        'frames over 50 ms': long('busy'),
        'without posts: over 50 ms': long('empty'),
        frames: median(turns.map((turn) => turn.busy[what]!.length)),
      }
    })
    report('console', rows, { rounds, accounts: ACCOUNTS, inMonth: IN_MONTH, others })
  } finally {
    await browser.close()
    await service.stop()
  }
})
