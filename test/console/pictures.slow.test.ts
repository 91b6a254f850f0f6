import type { Page } from 'playwright-core'
import t from 'tap'
import { storeAvatar } from '../../db/queries/avatars.ts'
import { s3Storage } from '../../src/base/storage/s3.ts'
import { createFolder } from '../helpers/app.ts'
import { needsBrowser } from '../helpers/browser.ts'
import { startS3 } from '../helpers/s3.ts'
import { until } from '../helpers/until.ts'
import { jpeg, storeFile, upload } from '../helpers/upload.ts'
import { createScene, startProxy } from './scene.ts'

t.test('the calendar shows the files of each account', needsBrowser, async (t) => {
  const { app, ada, accountIds, open, show } = await createScene(t)
  const add = async (altText: string, width: number) =>
    (
      await upload(app, ada, [
        ['altText', altText],
        ['file', await jpeg(width)],
      ])
    ).body.id as string
  const [shared, own] = [await add('Shared', 60), await add('Own', 70)]
  const [accountId, other] = accountIds as [string, string]
  const scheduledAt = '2030-05-15T10:00:00Z'
  const none = { accountId: other, mediaIds: [], scheduledAt: '2030-05-15T11:00:00Z' }
  const post = { accountIds, caption: 'Hi', mediaIds: [shared], scheduledAt }
  t.match(await ada.call('POST', '/posts', { ...post, accountOverrides: [{ accountId, mediaIds: [own] }, none] }), {
    status: 201,
  })
  const { page } = await open()
  await show(page, '/calendar?date=2030-05-15')
  await page.locator('.chip').nth(1).waitFor()
  const files = page.locator('.chip img')
  t.strictSame([await files.first().getAttribute('alt'), await files.count()], ['Own', 1])
})

/** Whether the page has pictures, and shows each of them. */
const untilShown = (page: Page, where: string) =>
  until(`the pictures of ${where} are shown`, () =>
    page
      .locator('main img')
      .evaluateAll(
        (images: { naturalWidth?: number }[]) => images.length > 0 && images.every((each) => each.naturalWidth),
      ),
  )

for (const place of ['a bucket', 'a path of a proxy']) {
  t.test(`pictures are shown from ${place}`, needsBrowser, async (t) => {
    const s3 = place === 'a bucket' && (await startS3(t, await createFolder(t)))
    const scene = await createScene(t, s3 ? { media: { storage: s3Storage(s3.options) } } : {})
    const { app, db, ada, accountIds, origin, open, show } = scene
    await storeAvatar(db, { id: accountIds[0]!, bytes: await jpeg() })
    const mediaIds = [await storeFile(app, ada, [['file', await jpeg()]])]
    const post = { accountIds, mediaIds, scheduledAt: '2030-05-15T10:00:00Z' }
    const { id } = (await ada.call('POST', '/posts', post)).body
    const { page, hosts, problems } = s3
      ? await open()
      : await open(ada.key, {}, (await startProxy(t, origin, '/tools/postroom')).address)
    for (const hash of ['/calendar?date=2030-05-15', `/posts/${id}`, '/accounts', '/compose']) {
      await show(page, hash)
      if (hash === '/compose') {
        const file = { name: 'lamp.jpg', mimeType: 'image/jpeg', buffer: await jpeg(50) }
        await page.getByLabel(/^Drop files here/).setInputFiles(file)
      }
      await untilShown(page, hash)
    }
    // The bucket of a busy machine may respond late. The pictures are shown nevertheless.
    const others = problems().filter((problem) => !s3 || !problem.includes('a status of 503'))
    t.strictSame([others, hosts.size], [[], 1])
  })
}
