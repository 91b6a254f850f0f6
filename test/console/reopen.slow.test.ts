import axe from 'axe-core'
import type { Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { needsBrowser } from '../helpers/browser.ts'
import { jpeg, storeFile } from '../helpers/upload.ts'
import { createScene, ZONE } from './scene.ts'

/** Opens a post in the composer, with a button of its page. */
async function reopen(page: Page, show: (page: Page, path: string) => Promise<unknown>, id: string, label: string) {
  await show(page, `/posts/${id}`)
  await page.getByRole('button', { name: label, exact: true }).click()
  await page.getByRole('heading', { name: 'Compose' }).waitFor()
}

async function checkAccessible(t: Test, page: Page) {
  await page.evaluate(axe.source)
  const { violations } = (await page.evaluate('axe.run()')) as axe.AxeResults
  t.strictSame(
    violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`),
    [],
  )
}

t.test('a published post is used again as a new one, with everything that it has', needsBrowser, async (t) => {
  const { app, ada, db, accountIds, open, show } = await createScene(t)
  const [bluesky, sandbox] = accountIds as [string, string]
  const mastodon = await ada.account('mastodon', { username: 'keeper' })
  const [first, second] = [
    await storeFile(app, ada, [['file', await jpeg()]]),
    await storeFile(app, ada, [['file', await jpeg(50)]]),
  ]
  const { body: post } = await ada.call('POST', '/posts', {
    accountIds: [...accountIds, mastodon],
    postType: 'thread',
    caption: '',
    firstComment: 'More below.',
    mediaIds: [first],
    altTexts: { [first]: 'A lamp' },
    mediaFit: 'pad',
    threadParts: { [bluesky]: ['One', 'Two'], [sandbox]: ['One', 'Two', 'Three'], [mastodon]: ['One'] },
    accountOverrides: [
      { accountId: bluesky, threadMedia: [[], [second]], fields: { langs: ['en', 'de'] } },
      { accountId: sandbox, scheduledAt: '2030-05-02T10:00:00Z' },
    ],
    scheduledAt: '2030-05-01T10:00:00Z',
  })
  await db.updateTable('postTargets').set({ state: 'published', publishedAt: new Date() }).execute()
  await db.updateTable('posts').set({ status: 'published' }).execute()
  await ada.call('DELETE', `/accounts/${mastodon}`)

  const { page, problems } = await open()
  await reopen(page, show, post.id, 'Use again')
  await page.getByRole('status').getByText('Not connected any more: keeper on Mastodon.').waitFor()
  const text = page.getByLabel('Text', { exact: true })
  t.equal(await text.inputValue(), 'One\n---\nTwo')
  t.equal(await page.getByLabel('Time, or none for a draft').inputValue(), '')
  await page.getByLabel('Post', { exact: true }).getByLabel('What it shows').fill('A lamp at dusk')
  await checkAccessible(t, page)
  await text.fill('One again\n---\nTwo')
  await page.getByRole('button', { name: 'Save the draft' }).click()
  await page.getByRole('heading', { name: 'Draft', exact: true }).waitFor()
  const [{ id }] = (await ada.call('GET', '/posts?status=draft')).body.data
  t.not(id, post.id)
  const { body: copy } = await ada.call('GET', `/posts/${id}`)
  t.hasStrict(copy, {
    status: 'draft',
    postType: 'thread',
    firstComment: 'More below.',
    mediaIds: [first],
    altTexts: { [first]: 'A lamp at dusk' },
    mediaFit: 'pad',
    scheduledAt: null,
  })
  t.strictSame(
    copy.targets.map((target: Record<string, unknown>) => [
      target.accountId,
      target.threadParts,
      target.threadMedia ?? null,
      target.fields,
      target.scheduledAt,
    ]),
    [
      [bluesky, ['One again', 'Two'], [[], [second]], { langs: ['en', 'de'] }, null],
      [sandbox, ['One', 'Two', 'Three'], null, null, null],
    ],
  )
  t.equal((await ada.call('GET', `/posts/${post.id}`)).body.status, 'published')
  t.strictSame(problems(), [])
})

t.test('a copy says which files are gone', needsBrowser, async (t) => {
  const { app, ada, db, accountIds, open, show } = await createScene(t)
  const mediaIds = [await storeFile(app, ada, [['file', await jpeg()]])]
  const post = { accountIds, caption: 'The lamp is lit.', mediaIds, scheduledAt: '2030-05-01T10:00:00Z' }
  const { id } = (await ada.call('POST', '/posts', post)).body
  const publish = db.updateTable('postTargets').set({ state: 'published', publishedAt: new Date() })
  await publish.where('accountId', '=', accountIds[0]!).execute()
  await db.updateTable('postTargets').set({ state: 'failed' }).where('accountId', '=', accountIds[1]!).execute()
  await db.updateTable('posts').set({ status: 'published' }).execute()
  t.equal((await ada.call('DELETE', `/media/${mediaIds[0]}`)).status, 200)
  const { page, problems } = await open()
  await reopen(page, show, id, 'Use again')
  await page.getByRole('status').getByText('A file was deleted after the post had been made.').waitFor()
  t.equal(await page.getByLabel('Text', { exact: true }).inputValue(), 'The lamp is lit.')
  t.strictSame(problems(), [])
})

t.test('a scheduled post is duplicated without its time', needsBrowser, async (t) => {
  const { ada, accountIds, open, show } = await createScene(t)
  const post = { accountIds, caption: 'The lamp is lit.', scheduledAt: '2030-05-01T10:00:00Z' }
  const { id } = (await ada.call('POST', '/posts', post)).body
  const { page, problems } = await open()
  await show(page, '/compose')
  const text = page.getByLabel('Text', { exact: true })
  await text.fill('Typed before')
  await show(page, `/posts/${id}`)
  await page.getByRole('button', { name: 'Duplicate' }).click()
  const dialog = page.getByRole('dialog', { name: 'Duplicate' })
  await dialog.getByText('What is typed in the composer now and not stored is dropped.').waitFor()
  await dialog.getByRole('button', { name: 'Duplicate' }).click()
  await page.getByRole('heading', { name: 'Compose' }).waitFor()
  t.equal(await text.inputValue(), post.caption)
  await page.getByRole('button', { name: 'Save the draft' }).click()
  await page.getByRole('heading', { name: 'Draft', exact: true }).waitFor()
  const { data } = (await ada.call('GET', '/posts')).body
  t.strictSame(data.map(({ status }: { status: string }) => status).sort(), ['draft', 'scheduled'])
  t.strictSame(problems(), [])
})

t.test('a post that failed because of its picture gets another one, and is published', needsBrowser, async (t) => {
  const { app, ada, db, open, show, ...scene } = await createScene(t)
  const accountIds = [...scene.accountIds, await ada.account('mastodon', { username: 'keeper' })]
  const mediaIds = [await storeFile(app, ada, [['file', await jpeg()]])]
  const post = { accountIds, caption: 'The lamp is lit.', mediaIds, scheduledAt: '2020-05-01T10:00:00Z' }
  const { id } = (await ada.call('POST', '/posts', post)).body
  const setState = (state: string, accountId: string) =>
    db.updateTable('postTargets').set({ state }).where('accountId', '=', accountId).execute()
  await setState('failed', accountIds[0]!)
  await setState('missed', accountIds[1]!)
  await setState('cancelled', accountIds[2]!)
  const { page, problems } = await open()
  await reopen(page, show, id, 'Open in the composer')
  await page.getByText('What you store here changes the scheduled post.').waitFor()
  await page.getByText('It was not published to ada.example.com on Bluesky, ada on Sandbox.').waitFor()
  await page.getByText('It stays cancelled for keeper on Mastodon.').waitFor()
  const files = page.getByLabel('Post', { exact: true }).getByRole('group', { name: 'Files' })
  await files.getByRole('button', { name: 'Remove' }).click()
  const file = { name: 'other.jpg', mimeType: 'image/jpeg', buffer: await jpeg(50) }
  await files.getByLabel(/^Drop files here/).setInputFiles(file)
  await files.getByRole('button', { name: 'Remove' }).waitFor()
  const publish = page.locator('main').getByRole('button', { name: 'Publish now' }).first()
  await publish.and(page.locator(':enabled')).waitFor()
  await checkAccessible(t, page)
  await publish.click()
  const dialog = page.getByRole('dialog', { name: 'Publish now' })
  await dialog.getByText('goes out to ada.example.com on Bluesky, ada on Sandbox within seconds.').waitFor()
  await dialog.getByRole('button', { name: 'Publish now' }).click()
  await page.getByRole('heading', { name: 'Scheduled post' }).waitFor()
  const { body } = await ada.call('GET', `/posts/${id}`)
  t.not(body.mediaIds[0], mediaIds[0])
  t.equal(body.mediaIds.length, 1)
  t.strictSame(
    body.targets.map(({ delivery }: { delivery: { state: string; nextAttemptAt: string | null } }) => [
      delivery.state,
      delivery.nextAttemptAt !== null && Date.parse(delivery.nextAttemptAt) <= Date.now(),
    ]),
    [
      ['queued', true],
      ['queued', true],
      ['cancelled', false],
    ],
  )
  t.strictSame(problems(), [])
})

t.test('a scheduled post is changed in the composer, and taken back to a draft', needsBrowser, async (t) => {
  const { ada, db, accountIds, open, show } = await createScene(t)
  const [bluesky, sandbox] = accountIds as [string, string]
  const options = { langs: ['en'] }
  const scheduledAt = '2030-05-01T10:00:12.345Z'
  const { body } = await ada.call('POST', '/posts', {
    accountIds,
    caption: 'The lamp is lit.',
    scheduledAt,
    accountOverrides: [
      { accountId: bluesky, captionOverride: 'The lamp is lit!', fields: options },
      { accountId: sandbox, scheduledAt: '2030-05-02T10:00:30Z' },
    ],
  })
  const { id } = body
  await db.updateTable('postTargets').set({ state: 'failed' }).where('accountId', '=', sandbox).execute()
  const read = async () => (await ada.call('GET', `/posts/${id}`)).body
  const { page, problems } = await open()
  await reopen(page, show, id, 'Open in the composer')
  t.equal(await page.getByLabel('Time, or none for a draft').inputValue(), '2030-05-01T12:00')
  const chain = page.getByLabel(/ on Bluesky$/)
  await chain.getByLabel('Its text').fill('The lamp is bright!')
  await page.getByRole('button', { name: 'Save the changes' }).click()
  await page.getByRole('heading', { name: 'Scheduled post' }).waitFor()
  const changed = await read()
  t.hasStrict(changed, { scheduledAt, caption: 'The lamp is lit.' })
  t.hasStrict(changed.targets[0], { captionOverride: 'The lamp is bright!', fields: options })
  t.hasStrict(changed.targets[1], { scheduledAt: '2030-05-02T10:00:30.000Z', delivery: { state: 'failed' } })

  await reopen(page, show, id, 'Open in the composer')
  await page.getByLabel('Time, or none for a draft').fill('2030-05-03T09:30')
  await page
    .getByLabel(/ on Sandbox$/)
    .getByLabel('Its own time, or none')
    .fill('')
  await ada.call('PATCH', `/posts/${id}`, { caption: 'The lamp is out.' })
  await page.getByRole('button', { name: 'Save the changes' }).click()
  await page.getByRole('alert').getByText('The post has changed meanwhile').waitFor()
  t.equal((await read()).caption, 'The lamp is out.')
  await page.getByRole('button', { name: 'Store this instead' }).click()
  const question = page.getByRole('dialog', { name: 'Store this instead' })
  await question.getByRole('button', { name: 'Store this instead' }).click()
  await page.getByRole('heading', { name: 'Scheduled post' }).waitFor()
  const moved = await read()
  t.hasStrict(moved, { scheduledAt: '2030-05-03T07:30:00.000Z', caption: 'The lamp is lit.' })
  t.hasStrict(moved.targets[1], { scheduledAt: null, delivery: { state: 'queued' } })

  await reopen(page, show, id, 'Open in the composer')
  const text = page.getByLabel('Text', { exact: true })
  await text.fill('The lamp is lit again.')
  await chain.getByText('More options').click()
  await chain.getByLabel(/^Langs/).fill('')
  await page.getByRole('button', { name: 'Back to draft' }).click()
  const withdraw = page.getByRole('dialog', { name: 'Back to draft' })
  await withdraw.getByRole('button', { name: 'Back to draft' }).click()
  await page.getByRole('heading', { name: 'Draft', exact: true }).waitFor()
  const draft = await read()
  t.hasStrict(draft, { status: 'draft', scheduledAt: null, caption: 'The lamp is lit again.' })
  t.equal(draft.targets[0].fields, null)
  t.strictSame(
    problems().filter((problem) => !problem.includes('status of 412')),
    [],
  )
})

t.test('a post in slots keeps them while its text is changed', needsBrowser, async (t) => {
  const { ada, db, accountIds, open, show } = await createScene(t)
  const slots = [{ weekday: 'wednesday', time: '09:30' }]
  for (const id of accountIds) await ada.call('PUT', `/accounts/${id}/schedule`, { timeZone: ZONE, slots })
  const post = { accountIds, caption: 'The lamp is lit.', schedule: { queue: 'next' } }
  const { id } = (await ada.call('POST', '/posts', post)).body
  const readSlots = () => db.selectFrom('postTargets').select('slotAt').orderBy('accountId').execute()
  const before = await readSlots()
  t.ok(before.every(({ slotAt }) => slotAt))
  const { page, problems } = await open()
  await reopen(page, show, id, 'Open in the composer')
  await page.getByLabel('Text', { exact: true }).fill('The lamp is lit again.')
  await page.getByRole('button', { name: 'Save the changes' }).click()
  await page.getByRole('heading', { name: 'Scheduled post' }).waitFor()
  t.equal((await ada.call('GET', `/posts/${id}`)).body.caption, 'The lamp is lit again.')
  t.strictSame(await readSlots(), before)
  t.strictSame(problems(), [])
})
