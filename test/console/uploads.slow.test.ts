import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Page, Route } from 'playwright-core'
import t, { type Test } from 'tap'
import { createFolder } from '../helpers/app.ts'
import { needsBrowser } from '../helpers/browser.ts'
import { until } from '../helpers/until.ts'
import { jpeg } from '../helpers/upload.ts'
import { createScene } from './scene.ts'

async function createComposer(t: Test) {
  const { ada, open, show } = await createScene(t)
  const { page, problems } = await open()
  await show(page, '/compose')
  await page.getByRole('checkbox', { name: 'ada.example.com' }).check()
  await page.getByLabel('Text', { exact: true }).fill('The lamp is lit.')
  const files = page.getByRole('group', { name: 'Files' })
  const drop = async (name: string, shade: number) =>
    files
      .getByLabel(/^Drop files here/)
      .setInputFiles({ name, mimeType: 'image/jpeg', buffer: await jpeg(40, 30, shade) })
  const save = page.getByRole('button', { name: 'Save the draft' })
  const savedFiles = async () => {
    await save.click()
    await page.getByRole('heading', { name: 'Draft', exact: true }).waitFor()
    const [post] = (await ada.call('GET', '/posts')).body.data
    return post.mediaIds.length
  }
  const stored = files.getByRole('button', { name: 'Remove' })
  const hasFiles = (count: number) =>
    until(`${count} files`, () => stored.count(), { isMet: (found) => found === count })
  return { ada, page, show, problems, files, drop, save, savedFiles, hasFiles }
}

/** Holds the response to the next upload until the returned function is called. */
async function holdUpload(page: Page): Promise<() => Promise<void>> {
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const { promise: ended, resolve: end } = Promise.withResolvers<void>()
  const hold = async (route: Route) => {
    if (route.request().method() !== 'POST') return route.fallback()
    const response = await route.fetch()
    await released
    await route.fulfill({ response })
    end()
  }
  await page.route('**/api/v1/media', hold, { times: 1 })
  return async () => {
    release()
    await ended
  }
}

t.test('a post is stored when all of its uploads have ended', needsBrowser, async (t) => {
  const { page, problems, drop, save, savedFiles, hasFiles } = await createComposer(t)
  const release = await holdUpload(page)
  await drop('first.jpg', 1)
  await page.getByRole('status').getByText('first.jpg').waitFor()
  await drop('second.jpg', 2)
  await hasFiles(1)
  t.ok(await page.getByRole('status').getByText('first.jpg').isVisible())
  t.ok(await save.isDisabled())
  await release()
  await hasFiles(2)
  t.equal(await savedFiles(), 2)
  t.strictSame(problems(), [])
})

t.test('an upload goes on while another page is shown, and belongs to its draft', needsBrowser, async (t) => {
  const { ada, page, show, problems, drop, savedFiles, hasFiles } = await createComposer(t)
  const release = await holdUpload(page)
  await drop('first.jpg', 1)
  const progress = page.getByRole('status').getByText('first.jpg')
  await progress.waitFor()
  await show(page, '/calendar')
  await show(page, '/compose')
  await progress.waitFor()
  await show(page, '/calendar')
  await release()
  await show(page, '/compose')
  await hasFiles(1)

  const releaseOther = await holdUpload(page)
  await drop('second.jpg', 2)
  await page.getByRole('status').getByText('second.jpg').waitFor()
  await page.getByRole('button', { name: 'Start again' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Start again' }).click()
  await page.getByRole('checkbox', { name: 'ada.example.com' }).check()
  await page.getByLabel('Text', { exact: true }).fill('Another one.')
  t.equal(await page.getByRole('progressbar').count(), 0)
  await releaseOther()
  await drop('third.jpg', 3)
  await hasFiles(1)
  t.equal(await savedFiles(), 1)
  t.equal((await ada.call('GET', '/media')).body.data.length, 3)
  t.strictSame(problems(), [])
})

t.test('a description that is refused is told, and no post is stored without it', needsBrowser, async (t) => {
  const { ada, drop, files, save, savedFiles, hasFiles } = await createComposer(t)
  await drop('first.jpg', 1)
  await hasFiles(1)
  await until('the post can be stored', () => save.isEnabled())
  const description = files.getByLabel('What it shows')
  await description.fill('x'.repeat(5001))
  await save.click()
  await files.getByRole('alert').waitFor()
  await until('the button can be pressed again', () => save.isEnabled())
  t.strictSame((await ada.call('GET', '/posts')).body.data, [])
  await description.fill('A lighthouse')
  await savedFiles()
  t.equal((await ada.call('GET', '/media')).body.data[0].altText, 'A lighthouse')
})

t.test('a dropped folder is told', needsBrowser, async (t) => {
  const { page, problems, files } = await createComposer(t)
  const folder = join(await createFolder(t), 'pictures')
  mkdirSync(folder)
  await files.scrollIntoViewIfNeeded()
  const { x, y } = (await files.boundingBox())!
  const session = await page.context().newCDPSession(page)
  const data = { items: [], files: [folder], dragOperationsMask: 1 }
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const) {
    await session.send('Input.dispatchDragEvent', { type, data, x: x + 20, y: y + 10 })
  }
  await page.getByRole('alert').getByText('it is a folder').waitFor()
  t.strictSame(problems(), [])
})
