import t from 'tap'
import { needsBrowser } from '../helpers/browser.ts'
import { jpeg, storeFile } from '../helpers/upload.ts'
import { createScene } from './scene.ts'

t.test('a partly published post is retried with what the composer has for each account', needsBrowser, async (t) => {
  const { app, ada, db, accountIds, open, show } = await createScene(t)
  const [bluesky, sandbox] = accountIds as [string, string]
  const other = await ada.account('sandbox', { username: 'harbour', credentials: { username: 'harbour' } })
  const mastodon = await ada.account('mastodon', { username: 'keeper' })
  const [first] = [await storeFile(app, ada, [['file', await jpeg()]])]
  const { id } = (
    await ada.call('POST', '/posts', {
      accountIds: [bluesky, sandbox, other, mastodon],
      caption: 'The lamp is lit.',
      mediaIds: [first],
      altTexts: { [first]: 'A lamp' },
      accountOverrides: [{ accountId: other, captionOverride: 'The harbour is open.', fields: { boardId: 'lamps' } }],
      scheduledAt: '2030-05-01T10:00:00Z',
    })
  ).body
  const set = (accountId: string, values: object) =>
    db.updateTable('postTargets').set(values).where('accountId', '=', accountId).execute()
  const error = JSON.stringify({ code: 'content_refused', message: 'The picture is too dark.', retryable: false })
  await set(bluesky, { state: 'published', publishedAt: new Date(), sent: JSON.stringify([{ id: '1', url: null }]) })
  await set(sandbox, { state: 'failed', error })
  await set(other, { state: 'missed' })
  await set(mastodon, { state: 'cancelled' })
  await db.updateTable('posts').set({ status: 'published' }).execute()
  const read = async () => (await ada.call('GET', `/posts/${id}`)).body

  const { page, problems } = await open()
  await show(page, `/posts/${id}`)
  await page.getByRole('button', { name: 'Correct and retry' }).click()
  await page.getByRole('heading', { name: 'Compose' }).waitFor()
  const choices = page.getByRole('group', { name: 'Accounts' })
  const choice = (name: string) => choices.getByRole('checkbox', { name })
  await choice('harbour').waitFor()
  t.equal(await choices.getByRole('checkbox').count(), 3, 'an account that has the post is not offered')
  t.notOk(await choice('keeper').isChecked(), 'a cancelled account is not chosen')
  t.equal(await page.getByLabel('Time, or none for a draft').count(), 0)
  const post = page.getByLabel('Post', { exact: true })
  t.notOk(await post.getByLabel('What it shows').isEditable())

  await page.getByLabel('Text', { exact: true }).fill('The lamp is bright.')
  await post.getByRole('button', { name: 'Remove', exact: true }).click()
  await post
    .getByLabel(/^Drop files here/)
    .setInputFiles({ name: 'bright.jpg', mimeType: 'image/jpeg', buffer: await jpeg(50) })
  await post.getByText('bright.jpg').or(post.locator('.pictures img')).first().waitFor()
  const retry = page.getByRole('button', { name: 'Retry' })
  await retry.click()
  const question = page.getByRole('dialog', { name: 'Retry' })
  await question.getByText('What is missing is sent to ada on Sandbox, harbour on Sandbox within seconds.').waitFor()

  // Somebody else retries the second account meanwhile.
  await ada.call('POST', `/posts/${id}/deliveries/${other}/retry`, {})
  await question.getByRole('button', { name: 'Retry' }).click()
  await question.getByText('The post has changed meanwhile').waitFor()
  t.equal((await read()).targets[1].delivery.state, 'failed', 'nothing is sent unseen')
  await question.getByRole('button', { name: 'Back' }).click()
  await choice('harbour').uncheck()
  await page.getByRole('button', { name: 'Retry anyway' }).click()
  const again = page.getByRole('dialog', { name: 'Retry anyway' })
  await again.getByRole('button', { name: 'Retry anyway' }).click()
  await page.getByRole('heading', { name: /post$/ }).waitFor()
  const { caption, mediaIds, targets } = await read()
  t.strictSame([caption, mediaIds], ['The lamp is lit.', [first]], 'accounts that have the post keep it')
  const retried = targets.find(({ accountId }: { accountId: string }) => accountId === sandbox)
  t.hasStrict(retried, { captionOverride: 'The lamp is bright.', delivery: { state: 'queued' } })
  t.equal(retried.mediaIds.length, 1)
  t.not(retried.mediaIds[0], first)
  const untouched = targets.find(({ accountId }: { accountId: string }) => accountId === other)
  t.hasStrict(untouched, { captionOverride: 'The harbour is open.', fields: { boardId: 'lamps' } })
  t.notOk(untouched.mediaIds)
  t.strictSame(
    problems().filter((problem) => !problem.includes('status of 412')),
    [],
  )
})

t.test('an account that is refused stays in the composer, and those before it are named', needsBrowser, async (t) => {
  const { ada, db, accountIds, open, show } = await createScene(t)
  const { id } = (
    await ada.call('POST', '/posts', {
      accountIds: [...accountIds].reverse(),
      postType: 'thread',
      caption: '',
      threadParts: Object.fromEntries(accountIds.map((accountId) => [accountId, ['One', 'Two']])),
      scheduledAt: '2030-05-01T10:00:00Z',
    })
  ).body
  const sent = JSON.stringify([{ id: '1', url: null }])
  await db.updateTable('postTargets').set({ state: 'failed', sent }).execute()
  await db.updateTable('posts').set({ status: 'published' }).execute()
  const { page } = await open()
  await show(page, `/posts/${id}`)
  await page.getByRole('button', { name: 'Correct and retry' }).click()
  await page.getByRole('heading', { name: 'Compose' }).waitFor()
  await page
    .getByLabel(/ on Bluesky$/)
    .getByRole('button', { name: 'Use another text here' })
    .click()
  await page.getByLabel('Its text').fill('Another one\n---\nTwo')
  await page.getByLabel('Text', { exact: true }).fill('One\n---\nTwo again')
  await page.getByRole('button', { name: 'Retry' }).click()
  const question = page.getByRole('dialog', { name: 'Retry' })
  await question.getByRole('button', { name: 'Retry' }).click()
  await question.getByRole('alert').waitFor()
  await question.getByRole('button', { name: 'Back' }).click()
  await page.getByText('Retried already for ada on Sandbox.').waitFor()
  t.strictSame(await page.getByRole('group', { name: 'Accounts' }).getByRole('checkbox').count(), 1)
  const { targets } = (await ada.call('GET', `/posts/${id}`)).body
  t.strictSame(
    targets.map(({ threadParts, delivery }: { threadParts: string[]; delivery: { state: string } }) => [
      threadParts,
      delivery.state,
    ]),
    [
      [['One', 'Two again'], 'queued'],
      [['One', 'Two'], 'failed'],
    ],
    'a part that is out stays',
  )
})
