import { globSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import axe from 'axe-core'
import type { BrowserContextOptions } from 'playwright-core'
import t from 'tap'
import { PLATFORM_IDS } from '../../schemas/platform-ids.ts'
import { createWorld } from '../helpers/app.ts'
import { drag, needsBrowser } from '../helpers/browser.ts'
import { VIDEO } from '../helpers/network-world.ts'
import { until } from '../helpers/until.ts'
import { jpeg, upload } from '../helpers/upload.ts'
import { createScene, startProxy, ZONE } from './scene.ts'

const PAGES = ['calendar', 'compose', 'media', 'numbers', 'accounts', 'activity']
const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()

t.test('a person composes, schedules, moves and publishes, with the key in the tab alone', needsBrowser, async (t) => {
  const { ada, accountIds, open, origin } = await createScene(t)
  const { page, problems, hosts } = await open()
  t.notMatch(page.url(), ada.key, 'the key leaves the address')

  await page.getByRole('link', { name: 'Compose', exact: true }).click()
  await page.getByRole('checkbox', { name: 'ada.example.com' }).check()
  await page.getByRole('checkbox', { name: /Sandbox ada/ }).check()
  await page.getByLabel('Text', { exact: true }).fill('x'.repeat(301))
  const preview = page.getByLabel('ada.example.com on Bluesky')
  await preview.getByText('301 of 300 characters').waitFor()
  await preview.getByText(/at most 300 are allowed/).waitFor()
  t.ok(await page.getByRole('button', { name: 'Save the draft' }).isDisabled(), 'a post over a limit is not stored')
  await page.reload()
  await preview.getByRole('meter', { name: 'Text 301 of 300 characters', exact: true }).waitFor()
  t.equal(await page.getByLabel('Text', { exact: true }).inputValue(), 'x'.repeat(301), 'a reload loses no text')

  await page.getByLabel('Text', { exact: true }).fill('We are live.')
  await page.getByLabel('Time, or none for a draft').fill('2030-05-15T23:58')
  await page.getByRole('button', { name: 'Schedule' }).click()
  await page.getByRole('heading', { name: 'Scheduled post' }).waitFor()
  await page.getByLabel('ada.example.com on Bluesky').getByText('12 of 300 characters').waitFor()
  const [post] = (await ada.call('GET', '/posts')).body.data
  t.match(post, {
    caption: 'We are live.',
    status: 'scheduled',
    timeZone: ZONE,
    scheduledAtLocal: '2030-05-15T23:58:00',
  })

  await page.goto(`${origin}/console#/calendar?view=week&date=2030-05-15`)
  const chip = page.getByRole('link', { name: /We are live\./ })
  await chip.waitFor()
  const dayOf = (date: string) => page.getByLabel(`${date} May 2030`)
  const nine = dayOf('16').locator('[data-hour="09"]')
  await drag(chip, nine)
  await page.getByText(/^Moved to /).waitFor()
  await nine.getByRole('link', { name: /We are live\./ }).waitFor()
  const { body: moved } = await ada.call('GET', `/posts/${post.id}`)
  t.equal(moved.scheduledAtLocal, '2030-05-16T09:58:00')
  await page.getByRole('button', { name: 'Undo' }).click()
  await dayOf('15')
    .getByRole('link', { name: /We are live\./ })
    .waitFor()
  t.equal((await ada.call('GET', `/posts/${post.id}`)).body.scheduledAt, post.scheduledAt)

  await page.locator('.note:empty').waitFor({ state: 'attached' })
  const topOf = () => page.evaluate("document.querySelector('.grid').offsetTop")
  const top = await topOf()
  const answers = Promise.withResolvers<void>()
  await page.route('**/posts?*', async (route) => {
    await answers.promise
    await route.continue()
  })
  await page.getByRole('button', { name: 'After' }).click()
  await page.locator('.loading').first().waitFor()
  t.equal(await topOf(), top, 'nothing moves while it is loaded again')
  answers.resolve()
  await page.getByRole('button', { name: 'Before' }).click()

  await chip.click()
  await page.getByRole('button', { name: 'Publish now' }).click()
  const dialog = page.getByRole('dialog', { name: 'Publish now' })
  await dialog.getByText(/goes out to all 2 accounts/).waitFor()
  await dialog.getByRole('button', { name: 'Publish now' }).click()
  await dialog.waitFor({ state: 'hidden' })
  t.strictSame(
    (await ada.call('GET', `/posts/${post.id}`)).body.targets.map(({ accountId }: { accountId: string }) => accountId),
    accountIds,
  )
  t.strictSame([problems(), [...hosts]], [[], [new URL(origin).host]])
})

t.test('a key that may only read shows no action', needsBrowser, async (t) => {
  const { ada, accountIds, open } = await createScene(t)
  await ada.call('POST', '/posts', { accountIds, caption: 'A draft' })
  const scopes = ['accounts:read', 'posts:read']
  const { body: reader } = await ada.call('POST', '/keys', { name: 'reader', scopes })
  const { page } = await open(reader.key)
  await page.evaluate(`location.hash = '/calendar?q=harbour'`)
  await page.getByText('No drafts.').waitFor()
  await page.evaluate(`location.hash = '/calendar'`)
  t.strictSame(await page.getByRole('navigation').getByRole('link').allTextContents(), [
    'Calendar',
    'Numbers',
    'Accounts',
    'Activity',
  ])
  await page.getByRole('link', { name: /A draft/ }).click()
  await page.getByRole('heading', { name: 'Draft', exact: true }).waitFor()
  t.strictSame(await page.locator('main').getByRole('button').allTextContents(), ['Explain', 'Explain'])
})

t.test(
  'a key shows what its scopes include, and no connecting where it is for some accounts',
  needsBrowser,
  async (t) => {
    const { ada, accountIds, open, show } = await createScene(t)
    const scopes = ['accounts:read', 'accounts:connect', 'posts:read', 'posts:publish']
    const keyFor = async (rights: object) =>
      (await ada.call('POST', '/keys', { name: 'publisher', scopes, ...rights })).body.key as string
    const { page } = await open(await keyFor({}))
    await page.getByRole('navigation').getByRole('link', { name: 'Compose', exact: true }).waitFor()
    const connect = page.getByRole('button', { name: 'Connect an account' })
    await show(page, '/accounts')
    await connect.waitFor()

    const { page: narrow } = await open(await keyFor({ accountIds: accountIds.slice(0, 1) }))
    await show(narrow, '/accounts')
    await narrow.getByRole('button', { name: 'Disconnect' }).waitFor()
    t.equal(await narrow.getByRole('button', { name: 'Connect an account' }).count(), 0)
  },
)

t.test('signing out leaves nothing in the tab', needsBrowser, async (t) => {
  const { open, show } = await createScene(t)
  const { page } = await open()
  await show(page, '/compose')
  await page.getByLabel('Text', { exact: true }).fill('A secret plan')
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByLabel('API key').waitFor()
  t.equal(await page.evaluate('JSON.stringify({ ...sessionStorage, ...localStorage })'), '{}')
})

t.test('the price of taking a post down is said, and why a network has no numbers', needsBrowser, async (t) => {
  const { ada, db, open, show } = await createScene(t)
  const { page } = await open()
  const publish = async (...networks: ('x' | 'mastodon' | 'telegram')[]) => {
    const ids = await Promise.all(networks.map((network) => ada.account(network, { username: 'ada' })))
    const { id } = (await ada.call('POST', '/posts', { accountIds: ids, caption: 'Hi', scheduledAt: inDays(9) })).body
    const published = { state: 'published', sent: JSON.stringify([{ id: '1', url: null }]), publishedAt: new Date() }
    await db
      .updateTable('postTargets')
      .set({ ...published, startedAt: new Date() })
      .where('postId', '=', id)
      .execute()
    await db.updateTable('posts').set({ status: 'published' }).where('id', '=', id).execute()
    await show(page, `/posts/${id}`)
    await page.getByRole('button', { name: 'Take down', exact: true }).click()
    const text = await page.getByRole('dialog', { name: 'Take down', exact: true }).innerText()
    return text
  }
  t.match(await publish('x'), /cannot be undone\. The network charges US\$0\.\d+\./)
  t.match(await publish('x', 'mastodon'), /undone\. ada on X: The network charges US\$0\.\d+\./)
  await publish('telegram')
  await page.getByText('No numbers: the network does not tell.').waitFor()
})

t.test('an account gets slots, which show the posts that take them', needsBrowser, async (t) => {
  const { ada, accountIds, open, show } = await createScene(t)
  const { page } = await open()
  await show(page, '/accounts')
  const account = page.getByLabel('Bluesky', { exact: true })
  await account.getByText('Slots').click()
  for (const day of ['Monday', 'Friday']) await account.getByLabel(day, { exact: true }).uncheck()
  await account.getByRole('button', { name: 'Another time' }).click()
  await account.getByLabel('Time 1', { exact: true }).fill('09:30')
  await account.getByLabel('Time 2', { exact: true }).fill('17:00')
  await account.getByRole('button', { name: 'Add 6 slots' }).click()
  await account.getByText('6 of them are there already.').waitFor()
  t.ok(await account.getByRole('button', { name: 'Add 0 slots' }).isDisabled(), 'no slot is there twice')
  await account.getByRole('button', { name: 'Remove Tuesday 17:00' }).click()
  for (const day of ['Tuesday', 'Thursday']) await account.getByLabel(day, { exact: true }).uncheck()
  await account.getByRole('button', { name: 'Save the slots' }).click()
  await account.getByText('free').first().waitFor()
  t.strictSame((await ada.call('GET', `/accounts/${accountIds[0]}/schedule`)).body, {
    timeZone: ZONE,
    slots: [
      { weekday: 'tuesday', time: '09:30' },
      { weekday: 'wednesday', time: '09:30' },
      { weekday: 'wednesday', time: '17:00' },
      { weekday: 'thursday', time: '09:30' },
      { weekday: 'thursday', time: '17:00' },
    ],
    skip: [],
  })
})

t.test('an address or a time zone that cannot be meant leaves the calendar as it is', needsBrowser, async (t) => {
  const { open, show } = await createScene(t)
  const { page, problems } = await open()
  const zone = page.getByLabel('Time zone')
  const dates = ['2027-13-45', '9999-12-31', '9998-12-31', '99999-01-01', '0000-01-01', '1970-01-02', '1969-12-31']
  const hashes = ['zone=Berlin', 'date=9999-12-31&view=week', ...dates.map((date) => `date=${date}`)]
  for (const hash of [...hashes.map((query) => `/calendar?${query}`), '/posts/%']) {
    await show(page, hash)
    if (hash !== '/posts/%') t.equal(await page.locator('main [role=alert]').count(), 0, hash)
  }
  await show(page, '/calendar?date=2027-03-28')
  await zone.fill('Berlin')
  await zone.press('Enter')
  t.match(await zone.evaluate((field) => (field as { validationMessage?: string }).validationMessage), 'Europe/Berlin')
  await page.getByRole('button', { name: 'After' }).click()
  await page.getByRole('heading', { name: 'April 2027' }).waitFor()
  await zone.fill('Asia/Tokyo')
  await page.evaluate(`location.hash = '/calendar?date=2027-05-01'`)
  await page.getByRole('heading', { name: 'May 2027' }).waitFor()
  t.equal(await zone.inputValue(), 'Asia/Tokyo', 'the typed zone stays while the page changes')
  await zone.press('Enter')
  await page.waitForURL(/zone=Asia%2FTokyo/)
  t.strictSame(
    problems().filter((problem) => !problem.includes('status of 404')),
    [],
  )
})

t.test('a time that the clocks show twice stays the one that was meant', needsBrowser, async (t) => {
  const { ada, accountIds, open, show } = await createScene(t)
  const twice = { scheduledAt: '2027-10-31T02:30:00', timeZone: 'Europe/Berlin', fold: 'later' }
  const { body: post } = await ada.call('POST', '/posts', { accountIds, caption: 'Once', ...twice })
  const { page } = await open()
  await show(page, `/posts/${post.id}`)
  await page.getByRole('button', { name: 'Change the time' }).click()
  const dialog = page.getByRole('dialog', { name: 'Change the time' })
  await dialog.getByRole('button', { name: 'Change the time' }).click()
  await dialog.waitFor({ state: 'hidden' })
  const stored = { scheduledAt: '2027-10-31T01:30:00.000Z', fold: 'later' }
  t.match((await ada.call('GET', `/posts/${post.id}`)).body, stored)

  await show(page, '/calendar?date=2027-10-15')
  const chip = page.getByRole('link', { name: /Once/ })
  await chip.waitFor()
  await drag(chip, page.getByLabel(/20 October 2027/))
  await page.getByText(/^Moved to /).waitFor()
  t.match((await ada.call('GET', `/posts/${post.id}`)).body, { scheduledAtLocal: '2027-10-20T02:30:00' })
  await page.getByRole('button', { name: 'Undo' }).click()
  await until('the post is where it was', () => ada.call('GET', `/posts/${post.id}`), {
    isMet: ({ body }) => body.scheduledAt === stored.scheduledAt && body.fold === stored.fold,
  })
})

t.test('a new page has its own title, and the focus', needsBrowser, async (t) => {
  const { ada, accountIds, open } = await createScene(t)
  await ada.call('POST', '/posts', { accountIds, caption: 'A draft' })
  const { page } = await open()
  t.equal(await page.title(), 'Calendar – Postroom')
  await page.getByRole('link', { name: /A draft/ }).click()
  await page.getByRole('heading', { name: 'Draft', exact: true }).waitFor()
  t.equal(await page.title(), 'Post – Postroom')
  t.ok(await page.getByRole('main').evaluate((main) => main.matches(':focus')))
})

t.test('texts of other people are shown, and never run', needsBrowser, async (t) => {
  const { app, db, ada, open, show } = await createScene(t)
  // The last character reverses what follows it: https://www.unicode.org/reports/tr9/#Explicit_Directional_Overrides
  const hostile = `<img src=x onerror="window.ran = true"><script>window.ran = true</script>\u202e`
  const account = await ada.account('bluesky', { username: hostile })
  const { body: file } = await upload(app, ada, [
    ['altText', hostile],
    ['file', await jpeg()],
  ])
  const body = {
    accountIds: [account],
    caption: hostile,
    mediaIds: [file.id],
    scheduledAt: inDays(1),
    externalReference: hostile,
  }
  const { body: post } = await ada.call('POST', '/posts', body)
  const error = { code: 'content_refused', message: hostile, retryable: false }
  await db
    .updateTable('postTargets')
    .set({ state: 'failed', error: JSON.stringify(error) })
    .where('postId', '=', post.id)
    .execute()
  const { page, problems } = await open()
  for (const hash of [...PAGES.map((name) => `/${name}`), `/posts/${post.id}`]) await show(page, hash)
  await page.locator('p.text').getByText(hostile).first().waitFor()
  await show(page, '/compose')
  const name = '<img src=x onerror=window.ran=true>\u202egpj.mp4'
  await page.getByLabel(/^Drop files here/).setInputFiles({ name, mimeType: 'video/mp4', buffer: VIDEO })
  const shownName = page.locator('.file').getByText(name)
  await shownName.waitFor()
  const bidiOf = (element: unknown) =>
    (globalThis as unknown as { getComputedStyle(of: unknown): { unicodeBidi: string } }).getComputedStyle(element)
      .unicodeBidi
  t.equal(await shownName.evaluate(bidiOf), 'isolate', 'an override of the direction ends with the name')
  t.equal(await page.evaluate('window.ran'), undefined)
  t.strictSame(problems(), [])
})

t.test('every page is accessible, light and dark, wide and narrow', needsBrowser, async (t) => {
  const { app, ada, accountIds, open, show } = await createScene(t)
  const { body: file } = await upload(app, ada, [['file', await jpeg()]])
  const { body: post } = await ada.call('POST', '/posts', {
    accountIds,
    caption: 'Hello',
    mediaIds: [file.id],
    scheduledAt: inDays(1),
  })
  await ada.call('POST', '/posts', { accountIds, caption: 'مرحبا بالعالم', postType: 'post' })
  await ada.account('sandbox', { username: `donau${'dampfschifffahrts'.repeat(3)}gesellschaft` })
  const views: BrowserContextOptions[] = [
    { colorScheme: 'light' },
    { colorScheme: 'dark', viewport: { width: 360, height: 740 } },
  ]
  for (const view of views) {
    const { page } = await open(ada.key, view)
    for (const hash of [...PAGES.map((name) => `/${name}`), `/posts/${post.id}`]) {
      await show(page, hash)
      await page.evaluate(axe.source)
      const { violations } = (await page.evaluate('axe.run()')) as axe.AxeResults
      const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(' ')}`)
      t.strictSame(found, [], `${hash}, ${view.colorScheme}`)
      const width = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
      t.ok(Number(width) <= 0, `${hash} is ${width} pixels too wide`)
    }
  }
})

t.test('more than 20 drafts are shown when somebody asks for them', needsBrowser, async (t) => {
  const { ada, accountIds, open } = await createScene(t)
  const posts = Array.from({ length: 41 }, (_, index) => ({ accountIds, caption: `Draft ${index}` }))
  await ada.call('POST', '/posts/batch', { posts })
  const { page } = await open()
  const drafts = page.getByLabel('Drafts').locator('.chip')
  for (const count of [20, 40, 41]) {
    await drafts.nth(count - 1).waitFor()
    t.equal(await drafts.count(), count)
    if (count < 41) await page.getByRole('button', { name: 'More drafts' }).click()
  }
  t.equal(await page.getByRole('button', { name: 'More drafts' }).count(), 0)
})

t.test('the page works under a path of a proxy', needsBrowser, async (t) => {
  const { ada, accountIds, origin, open, show } = await createScene(t)
  await ada.call('POST', '/posts', { accountIds, caption: 'Behind a proxy' })
  const proxy = await startProxy(t, origin, '/tools/postroom')
  const { page, problems } = await open(ada.key, {}, proxy.address)
  await page.getByRole('link', { name: /Behind a proxy/ }).waitFor()
  for (const name of PAGES) await show(page, `/${name}`)
  t.strictSame(problems(), [])
})

t.test('a month of 1,000 posts is shown whole', needsBrowser, async (t) => {
  const { ada, accountIds, open } = await createScene(t)
  const posts = Array.from({ length: 100 }, (_, index) => ({
    accountIds,
    caption: `Post ${index}`,
    scheduledAt: `2030-05-${String((index % 28) + 1).padStart(2, '0')}T12:00:00Z`,
  }))
  for (let batch = 0; batch < 10; batch++) await ada.call('POST', '/posts/batch', { posts })
  const { page, problems } = await open()
  await page.evaluate(`location.hash = '/calendar?date=2030-05-15'`)
  const day = page.getByRole('listitem', { name: 'Wednesday, 1 May 2030, 40 posts' })
  await day.getByRole('button', { name: '36 more' }).click()
  await day.locator('.chip').nth(39).waitFor()
  t.strictSame(problems(), [])
})

t.test('the first page is small, and is not served where it is switched off', async (t) => {
  const { app } = await createWorld(t, { servesConsole: true })
  const encoding = { 'accept-encoding': 'br' }
  const read = async (url: string) => (await app.inject({ url, headers: encoding })).rawPayload.length
  const main = (await app.inject('/console/src/features/console/page/main.ts')).payload
  t.notMatch(main, /import type|: string/, 'types are stripped')
  const styles = [...(await app.inject('/console')).payload.matchAll(/href="(console\/style\/[^"]+)"/g)]
  const files = new Set([
    '/console',
    ...styles.map(([, path]) => `/${path}`),
    ...PLATFORM_IDS.map((id) => `/console/icons/${id}.svg`),
  ])
  const follow = async (url: string) => {
    if (files.has(url)) return
    files.add(url)
    const { statusCode, payload } = await app.inject(url)
    t.equal(statusCode, 200, url)
    for (const [, path] of payload.matchAll(/from ?["'](\.[^"']+)["']/g)) {
      await follow(new URL(path!, `http://host${url}`).pathname)
    }
  }
  await follow('/console/src/features/console/page/main.ts')
  const sizeOf = async (urls: Iterable<string>) => {
    const sizes = await Promise.all([...urls].map(read))
    return sizes.reduce((total, size) => total + size, 0)
  }
  const languages = Map.groupBy(globSync('src/features/console/page/languages/*/*.ts'), (path) => dirname(path))
  // A browser loads one of the languages.
  const tables = await Promise.all(
    [...languages.values()].map((paths) => sizeOf(paths.map((path) => `/console/${path}`))),
  )
  const sum = (await sizeOf(files)) + Math.max(...tables)
  t.ok(sum < 200_000, `${sum} bytes`)

  const { app: without } = await createWorld(t)
  t.equal((await without.inject('/console')).statusCode, 404)
  t.match(
    readFileSync('src/features/console/page.html', 'utf8'),
    /src="console\//,
    'its addresses hold behind a prefix',
  )
})
