import axe from 'axe-core'
import type { Locator, Page, Route } from 'playwright-core'
import t, { type Test } from 'tap'
import type { PlatformId } from '../../schemas/platform.ts'
import { needsBrowser } from '../helpers/browser.ts'
import { until } from '../helpers/until.ts'
import { jpeg, storeFile } from '../helpers/upload.ts'
import { type Fakes, SCENES, startFakeNetworks } from '../networks/fakes/all.ts'
import { createScene, ZONE } from './scene.ts'

/** The console of a user with accounts on fake networks. */
async function createComposer(t: Test, platforms: (keyof Fakes)[]) {
  const fakes = await startFakeNetworks(t)
  const scene = await createScene(t, { fetch: fakes.fetch })
  const ids: Partial<Record<PlatformId, string>> = {}
  for (const platform of platforms) {
    ids[platform] = await scene.ada.account(platform, SCENES[platform].account(fakes[platform] as never))
  }
  return { ...scene, ids }
}

t.test('a thread is composed, and an account may have parts of its own', needsBrowser, async (t) => {
  const { ada, ids, accountIds, open, show } = await createComposer(t, ['mastodon'])
  const { page, problems } = await open()
  await show(page, '/compose')
  for (const name of ['ada.example.com', /^Mastodon /]) await page.getByRole('checkbox', { name }).check()
  const type = page.getByRole('combobox', { name: /^Type/ })
  await type.selectOption('Thread')
  t.equal(await type.inputValue(), 'thread')
  await page.getByLabel('Text', { exact: true }).fill(`The lamp is lit.\n---\n${'x'.repeat(301)}`)
  const chain = page.getByLabel(/ on Bluesky$/)
  await chain.getByText('301 of 300 characters').waitFor()
  await chain.getByRole('button', { name: 'Use another text here' }).click()
  await chain.getByLabel('Its text').fill('One\n---\nTwo\n---\nThree')
  await page.reload()
  await chain.getByText('5 of 300 characters').waitFor()
  t.equal(await type.inputValue(), 'thread', 'a reload loses no type')
  await page.getByRole('button', { name: 'Save the draft' }).click()
  await page.getByRole('heading', { name: 'Draft', exact: true }).waitFor()
  const [{ id }] = (await ada.call('GET', '/posts')).body.data
  const { body } = await ada.call('GET', `/posts/${id}`)
  const partsOf = (account?: string) =>
    body.targets.find(({ accountId }: { accountId: string }) => accountId === account).threadParts
  t.strictSame(
    [body.postType, partsOf(accountIds[0]), partsOf(ids.mastodon)],
    ['thread', ['One', 'Two', 'Three'], ['The lamp is lit.', 'x'.repeat(301)]],
  )
  const dialog = page.getByRole('dialog', { name: 'Change the text' })
  await page.locator('main').getByRole('button', { name: 'Change the text' }).first().click()
  await dialog.getByLabel('Text').fill('The lamp is out.\n---\nIt is mended.')
  await dialog.getByRole('button', { name: 'Change the text' }).click()
  await dialog.waitFor({ state: 'hidden' })
  const { targets } = (await ada.call('GET', `/posts/${id}`)).body
  t.strictSame(
    targets.map(({ threadParts }: { threadParts: string[] }) => threadParts),
    [
      ['One', 'Two', 'Three'],
      ['The lamp is out.', 'It is mended.'],
    ],
    'an account keeps parts of its own',
  )
  t.strictSame(problems(), [])
})

t.test('a post is composed for Pinterest and Reddit with what their accounts have', needsBrowser, async (t) => {
  const { ada, ids, open, show } = await createComposer(t, ['pinterest', 'reddit'])
  const { page, problems } = await open()
  await show(page, '/compose')
  const text = page.getByLabel('Text', { exact: true })
  await text.fill('The lamp is lit.')
  for (const name of [/^Pinterest /, /^Reddit /]) await page.getByRole('checkbox', { name }).check()
  await page
    .getByLabel(/^Drop files here/)
    .setInputFiles({ name: 'lamp.jpg', mimeType: 'image/jpeg', buffer: await jpeg() })
  await page.getByLabel('Time, or none for a draft').fill('2030-05-01T12:00')
  const schedule = page.getByRole('button', { name: 'Schedule' })

  const pin = page.getByLabel(/ on Pinterest$/)
  const board = pin.getByLabel('Board id')
  await pin.getByText(/board id/).waitFor()
  t.equal(await board.getAttribute('aria-invalid'), 'true', 'the field says that its value is missing')
  t.ok(await schedule.isDisabled())
  await board.selectOption('Harbours')
  await board.selectOption('Lighthouses')
  await pin.getByText('More options').click()
  await pin.getByLabel('Board section id').selectOption('At dusk')
  await pin.getByLabel('Title').fill('x'.repeat(101))
  await pin.getByLabel('Title').and(page.locator('[aria-invalid=true]')).waitFor()
  await pin.getByLabel('Title').fill('Light')
  await pin.getByLabel(/^Ai disclosures/).fill('AI_MODIFIED')

  const thread = page.getByLabel(/ on Reddit$/)
  const subreddit = thread.getByRole('combobox', { name: /^Subreddit/ })
  const flair = thread.getByLabel('Flair id')
  t.ok(await flair.isDisabled(), 'flairs wait for the subreddit')
  await subreddit.fill('lighthouses')
  await flair.selectOption('Question')
  await thread.getByText('More options').click()
  await thread.getByLabel('Nsfw').selectOption('Yes')
  await thread.getByLabel('Kind').selectOption('Self')
  const wrongKind = thread.getByLabel('Kind').and(page.locator('[aria-invalid=true]'))
  await wrongKind.waitFor()

  await page.reload()
  await subreddit.waitFor()
  t.equal(await subreddit.inputValue(), 'lighthouses', 'a reload loses no field')
  // The other options open where one of them is wrong.
  await wrongKind.selectOption('Image')
  await schedule.click()
  await page.getByRole('heading', { name: 'Scheduled post' }).waitFor()
  const [post] = (await ada.call('GET', '/posts')).body.data
  const { body } = await ada.call('GET', `/posts/${post.id}`)
  const fieldsOf = (platform: PlatformId) =>
    body.targets.find(({ accountId }: { accountId: string }) => accountId === ids[platform]).fields
  t.strictSame(
    [fieldsOf('pinterest'), fieldsOf('reddit')],
    [
      {
        boardId: '549755885175',
        boardSectionId: '5258814934636085108',
        title: 'Light',
        aiDisclosures: ['AI_MODIFIED'],
      },
      { subreddit: 'lighthouses', flairId: '865ba524-692d-11e9-9811-0e2f1d7746a8', nsfw: true, kind: 'image' },
    ],
  )
  t.strictSame(problems(), [])
})

t.test('an account may have files and a time of its own', needsBrowser, async (t) => {
  const { ada, accountIds, open, show } = await createScene(t)
  const { page, problems } = await open()
  await show(page, '/compose')
  for (const name of ['ada.example.com', /^Sandbox /]) await page.getByRole('checkbox', { name }).check()
  await page.getByLabel('Text', { exact: true }).fill('The lamp is lit.')
  const own = page.getByLabel(/ on Bluesky$/)
  const drop = async (place: Page | Locator, shade: number) => {
    const file = { name: `${shade}.jpg`, mimeType: 'image/jpeg', buffer: await jpeg(40, 30, shade) }
    await place
      .getByLabel(/^Drop files here/)
      .first()
      .setInputFiles(file)
  }
  await drop(page, 1)
  await page.getByLabel('Post', { exact: true }).getByRole('button', { name: 'Remove' }).waitFor()
  await own.getByRole('button', { name: 'Use other files here' }).click()
  await own.getByRole('button', { name: 'Remove' }).click()
  await drop(own, 2)
  await own.getByRole('button', { name: 'Remove' }).waitFor()
  await page.getByLabel('Time, or none for a draft').fill('2030-05-01T12:00')
  await own.getByLabel('Its own time, or none').fill('2030-05-02T09:30')
  await page.reload()
  await page.getByRole('button', { name: 'Schedule' }).click()
  await page.getByRole('heading', { name: 'Scheduled post' }).waitFor()
  const [{ id }] = (await ada.call('GET', '/posts')).body.data
  const { mediaIds, targets } = (await ada.call('GET', `/posts/${id}`)).body
  const files = (await ada.call('GET', '/media')).body.data.map((file: { id: string }) => file.id)
  t.strictSame(
    [
      mediaIds,
      ...targets.map((target: { mediaIds: string[]; scheduledAt: string }) => [target.mediaIds, target.scheduledAt]),
    ],
    [[files[1]], [[files[0]], '2030-05-02T07:30:00.000Z'], [null, null]],
  )
  t.equal(targets[0].accountId, accountIds[0])
  t.strictSame(problems(), [])
})

/** Opens a draft in the composer, from its page. */
async function openDraft(page: Page, show: (page: Page, path: string) => Promise<unknown>, id: string) {
  await show(page, `/posts/${id}`)
  await page.getByRole('button', { name: 'Open in the composer' }).click()
  await page.getByText('What you store here changes the draft.').waitFor()
}

t.test('a draft is opened in the composer, with all that it has', needsBrowser, async (t) => {
  const { app, ada, ids, accountIds, open, show } = await createComposer(t, ['reddit'])
  const [shared, own] = [
    await storeFile(app, ada, [['file', await jpeg()]]),
    await storeFile(app, ada, [['file', await jpeg(50)]]),
  ]
  const fields = { subreddit: 'lighthouses', nsfw: true }
  const draft = {
    accountIds: [accountIds[0], ids.reddit],
    caption: 'First',
    mediaIds: [shared],
    externalReference: 'lamp-1',
    accountOverrides: [
      { accountId: accountIds[0], captionOverride: 'First here', mediaIds: [own] },
      { accountId: ids.reddit, fields },
    ],
  }
  const { id } = (await ada.call('POST', '/posts', draft)).body
  const { page, problems } = await open()
  await openDraft(page, show, id)
  await page.getByLabel('Text', { exact: true }).fill('Second')
  await page.getByRole('checkbox', { name: /^Sandbox / }).check()
  await page.getByRole('button', { name: 'Save the draft' }).click()
  await page.getByRole('heading', { name: 'Draft', exact: true }).waitFor()
  const read = async () => (await ada.call('GET', `/posts/${id}`)).body
  const { caption, mediaIds, externalReference, targets } = await read()
  t.strictSame([caption, mediaIds, externalReference], ['Second', [shared], 'lamp-1'])
  t.strictSame(
    targets.map((target: Record<string, unknown>) => [
      target.accountId,
      target.captionOverride,
      target.mediaIds,
      target.fields,
    ]),
    [
      [accountIds[0], 'First here', [own], null],
      [ids.reddit, null, null, fields],
      [accountIds[1], null, null, null],
    ],
  )

  await openDraft(page, show, id)
  await ada.call('PATCH', `/posts/${id}`, { caption: 'Third' })
  await page.getByLabel('Text', { exact: true }).fill('Fourth')
  await page.getByRole('button', { name: 'Save the draft' }).click()
  await page.getByRole('alert').getByText('The post has changed meanwhile').waitFor()
  t.equal((await read()).caption, 'Third', 'a change of somebody else is not overwritten')
  t.equal(await page.getByLabel('Text', { exact: true }).inputValue(), 'Fourth')
  await page.getByRole('button', { name: 'Store this instead' }).click()
  const question = page.getByRole('dialog', { name: 'Store this instead' })
  await question.getByRole('button', { name: 'Store this instead' }).click()
  await page.getByRole('heading', { name: 'Draft', exact: true }).waitFor()
  t.equal((await read()).caption, 'Fourth', 'it is, when somebody says so')
  t.strictSame(
    problems().filter((problem) => !problem.includes('status of 412')),
    [],
  )
})

t.test('each part of a thread may have files of an account, which are made to fit', needsBrowser, async (t) => {
  const { app, ada, ids, open, show } = await createComposer(t, ['mastodon'])
  const files = await Promise.all([40, 50, 60].map(async (width) => storeFile(app, ada, [['file', await jpeg(width)]])))
  const draft = {
    accountIds: [ids.mastodon],
    caption: '',
    postType: 'thread',
    mediaFit: 'pad',
    padColor: '#123456',
    threadParts: { [ids.mastodon!]: ['One', 'Two'] },
    accountOverrides: [{ accountId: ids.mastodon, threadMedia: [[files[0]], [files[1]]], mediaFit: 'crop' }],
  }
  const { id } = (await ada.call('POST', '/posts', draft)).body
  const { page, problems } = await open()
  await openDraft(page, show, id)
  const own = page.getByLabel(/ on Mastodon$/)
  const second = own.getByRole('group', { name: 'Files of part 2' })
  await second.getByRole('button', { name: 'Remove' }).click()
  await second
    .getByLabel(/^Drop files here/)
    .setInputFiles({ name: 'x.jpg', mimeType: 'image/jpeg', buffer: await jpeg(70) })
  await second.getByRole('button', { name: 'Remove' }).waitFor()
  await own.getByLabel('Files that a network does not take').selectOption('As for the post')
  const text = page.getByLabel('Text', { exact: true })
  const both = await text.inputValue()
  await text.fill('One')
  await own.getByRole('button', { name: 'Remove' }).nth(1).waitFor()
  t.equal(
    await own.getByRole('group', { name: /^Files/ }).count(),
    1,
    'files of a part that is gone belong to the last',
  )
  await text.fill(both)
  await page.getByRole('button', { name: 'Save the draft' }).click()
  await page.getByRole('heading', { name: 'Draft', exact: true }).waitFor()
  const { mediaFit, padColor, targets } = (await ada.call('GET', `/posts/${id}`)).body
  const [added] = (await ada.call('GET', '/media?limit=1')).body.data
  t.strictSame(
    [mediaFit, padColor, targets[0].threadParts, targets[0].threadMedia, targets[0].mediaFit ?? null],
    ['pad', '#123456', ['One', 'Two'], [[files[0]], [added.id]], null],
  )
  t.strictSame(problems(), [])
})

t.test('a post that would be refused says why, and a queued one its slots', needsBrowser, async (t) => {
  const { ada, accountIds, open, show } = await createScene(t)
  const { page, problems } = await open()
  await show(page, '/compose')
  for (const name of ['ada.example.com', /^Sandbox /]) await page.getByRole('checkbox', { name }).check()
  const post = { accountIds, caption: 'The lamp is lit.', schedule: { queue: 'next' } }
  await page.getByLabel('Text', { exact: true }).fill(post.caption)
  await page.getByLabel('In the next free slot of each account').check()
  const { body: refused } = await ada.call('POST', '/posts', post)
  const status = page.getByRole('status').filter({ hasText: 'An account has no free slot.' })
  await status.getByText('Details').click()
  await status.getByText(refused.error).waitFor()
  const schedule = page.getByRole('button', { name: 'Schedule' })
  t.ok(await schedule.isDisabled())
  const slots = [{ weekday: 'wednesday', time: '09:30' }]
  for (const id of accountIds) await ada.call('PUT', `/accounts/${id}/schedule`, { timeZone: ZONE, slots })
  await page.reload()
  await page
    .getByText(/^Its slot: .*09:30$/)
    .nth(1)
    .waitFor()

  await ada.call('DELETE', `/accounts/${accountIds[1]}`)
  await page.reload()
  await page.getByText(/is not connected any more/).waitFor()
  await schedule.click()
  await page.getByRole('heading', { name: 'Scheduled post' }).waitFor()
  const { targets } = (await ada.call('GET', '/posts?include=targets')).body.data[0]
  t.strictSame(
    targets.map(({ accountId }: { accountId: string }) => accountId),
    accountIds.slice(0, 1),
  )
  t.strictSame(problems(), [])
})

t.test('the text that is typed after a lost response is stored as another post', needsBrowser, async (t) => {
  const { ada, open, show } = await createScene(t)
  const { page } = await open()
  await show(page, '/compose')
  await page.getByRole('checkbox', { name: /^Sandbox / }).check()
  const text = page.getByLabel('Text', { exact: true })
  await text.fill('First')
  const save = page.getByRole('button', { name: 'Save the draft' })
  const losesResponse = async (route: Route) => {
    await route.fetch()
    await route.abort()
  }
  await page.route(/\/posts$/, losesResponse, { times: 1 })
  await save.click()
  await page.getByRole('alert').waitFor()
  await text.fill('Second')
  await page.getByLabel('First comment, or none').fill('More below.')
  await save.click()
  await page.getByText('An earlier text of this post is stored already.').waitFor()
  await page.getByRole('button', { name: 'Make this one another post' }).click()
  const publish = page.getByRole('dialog', { name: 'Publish now' })
  await page.getByRole('button', { name: 'Publish now' }).click()
  await publish.getByText('The post goes out to 1 account within seconds.').waitFor()
  await page.route(/\/publish$/, (route) => route.abort(), { times: 1 })
  await publish.getByRole('button', { name: 'Publish now' }).click()
  await page.getByRole('heading', { name: 'Draft', exact: true }).waitFor()
  await page.getByRole('alert').getByText('The service cannot be reached').waitFor()
  const { data } = (await ada.call('GET', '/posts')).body
  const [second] = data.filter(({ caption }: { caption: string }) => caption === 'Second')
  t.equal((await ada.call('GET', `/posts/${second.id}`)).body.firstComment, 'More below.')
  const captions = data.map(({ caption }: { caption: string }) => caption)
  t.strictSame(captions.sort(), ['First', 'Second'])
})

t.test('a post whose picture is made to fit has no violation on its own page', needsBrowser, async (t) => {
  const { app, ada, open, show } = await createScene(t)
  const mediaIds = [await storeFile(app, ada, [['file', await jpeg(1200, 300)]])]
  const accountId = await ada.account('instagram')
  const { page, problems } = await open()
  for (const fit of [{ mediaFit: 'pad' }, { accountOverrides: [{ accountId, mediaFit: 'pad' }] }]) {
    const { body: post } = await ada.call('POST', '/posts', { accountIds: [accountId], mediaIds, ...fit })
    await show(page, `/posts/${post.id}`)
    await page.getByText(/^Made to fit: image.jpeg/).waitFor()
    t.equal(await page.getByText('✕').count(), 0)
  }
  t.strictSame(problems(), [])
})

t.test('the fields of every network are accessible, and fit into a narrow page', needsBrowser, async (t) => {
  const { ada, open, show } = await createComposer(t, Object.keys(SCENES) as (keyof Fakes)[])
  const views = [
    { colorScheme: 'light' as const, viewport: { width: 1280, height: 900 } },
    { colorScheme: 'dark' as const, viewport: { width: 360, height: 740 } },
  ]
  for (const view of views) {
    const { page, problems } = await open(ada.key, view)
    await show(page, '/compose')
    for (const box of await page.getByRole('group', { name: 'Accounts' }).getByRole('checkbox').all()) await box.check()
    for (const line of await page.getByText('More options').all()) await line.click()
    await until('all fields are there', () => page.getByText('Loading…').count(), { isMet: (count) => count === 0 })
    await page.evaluate(axe.source)
    const { violations } = (await page.evaluate('axe.run()')) as axe.AxeResults
    const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(' ')}`)
    t.strictSame(found, [], view.colorScheme)
    const width = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
    t.ok(Number(width) <= 0, `${width} pixels too wide`)
    t.strictSame(problems(), [])
  }
})
