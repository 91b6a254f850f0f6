import axe from 'axe-core'
import type { Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { needsBrowser } from '../helpers/browser.ts'
import { jpeg, storeFile } from '../helpers/upload.ts'
import { createScene } from './scene.ts'

/** Opens a post in the composer, with a button of its page. */
async function reopen(page: Page, show: (page: Page, path: string) => Promise<unknown>, id: string, label: string) {
  await show(page, `/posts/${id}`)
  await page.getByRole('button', { name: label, exact: true }).click()
  const dialog = page.getByRole('dialog', { name: label, exact: true })
  await dialog.getByRole('button', { name: label, exact: true }).click()
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
  await reopen(page, show, id, 'Duplicate')
  await page.getByRole('button', { name: 'Save the draft' }).click()
  await page.getByRole('heading', { name: 'Draft', exact: true }).waitFor()
  const { data } = (await ada.call('GET', '/posts')).body
  t.strictSame(data.map(({ status }: { status: string }) => status).sort(), ['draft', 'scheduled'])
  t.strictSame(problems(), [])
})
