import axe from 'axe-core'
import type { Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { needsBrowser } from '../helpers/browser.ts'
import { until } from '../helpers/until.ts'
import { jpeg, storeFile } from '../helpers/upload.ts'
import { createScene } from './scene.ts'

/** A user with an account of a network that takes no tall pictures, and two files. */
async function createLibrary(t: Test) {
  const scene = await createScene(t)
  const { app, db, ada } = scene
  const tallTaker = await ada.account('instagram', { username: 'ada.pictures' })
  const add = async (fileName: string, width: number, height: number, altText: string) => {
    const id = await storeFile(app, ada, [
      ['altText', altText],
      ['file', await jpeg(width, height)],
    ])
    await db.updateTable('media').set({ fileName, searchText: null }).where('id', '=', id).execute()
    return id
  }
  const tower = await add('tower.jpg', 400, 1000, 'A lighthouse at dusk')
  const lamp = await add('lamp.jpg', 300, 300, '')
  return { ...scene, tallTaker, tower, lamp }
}

async function checkAccessible(t: Test, page: Page) {
  await page.evaluate(axe.source)
  const { violations } = (await page.evaluate('axe.run()')) as axe.AxeResults
  t.strictSame(
    violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`),
    [],
  )
}

t.test('files are found, described, given a focus, and shown as networks cut them', needsBrowser, async (t) => {
  const { ada, tower, lamp, open, show } = await createLibrary(t)
  const read = async (id: string) => (await ada.call('GET', `/media/${id}`)).body
  const { page, problems } = await open()
  await show(page, '/media')
  const files = page.getByRole('region', { name: 'Files' }).getByRole('listitem')
  await files.nth(1).waitFor()
  const description = page.getByLabel('What lamp.jpg shows')
  await description.fill('The lamp is lit')
  await description.press('Tab')
  await until('the description is stored', async () => (await read(lamp)).altText, {
    isMet: (altText) => altText === 'The lamp is lit',
  })
  await page.getByLabel('Search files').fill('DUSK tow')
  await until('one file is found', () => files.count(), { isMet: (count) => count === 1 })

  await page.getByRole('link', { name: 'tower.jpg' }).click()
  const detail = page.getByRole('complementary', { name: 'The chosen file' })
  const point = detail.getByRole('slider', { name: 'Focus' })
  const cut = detail.getByRole('listitem').filter({ hasText: 'Instagram' }).locator('.cut img').first()
  const topOf = async () => Number.parseFloat((await cut.getAttribute('style'))!.match(/top: (-?[\d.]+)%/)![1]!)
  await point.waitFor()
  t.equal(await topOf(), -50, 'the middle of a picture of 400 × 1000 pixels stays, 500 pixels high')
  await detail.getByText(/^As it is: .*Bluesky/).waitFor()
  await checkAccessible(t, page)

  const area = (await detail.locator('.focus-area').boundingBox())!
  await point.hover()
  await page.mouse.down()
  await page.mouse.move(area.x + area.width / 2, area.y + 2, { steps: 5 })
  t.equal(await topOf(), 0, 'the crop follows the hand')
  await page.mouse.up()
  await detail.getByText('The focus is stored.').waitFor()
  t.match(await read(tower), { focus: { x: 0, y: 0.99 } })
  await point.focus()
  for (const key of ['ArrowDown', 'ArrowRight', 'ArrowRight']) await page.keyboard.press(key)
  await until('the focus of the arrow keys is stored', async () => (await read(tower)).focus, {
    isMet: ({ x, y }) => x === 0.1 && y === 0.94,
  })
  await detail.getByRole('button', { name: 'Back to the centre' }).click()
  await until('the focus is gone', async () => (await read(tower)).focus, { isMet: (focus) => focus === null })
  t.strictSame(problems(), [])
})

t.test('a file that a post needs is not deleted, and the question says which post', needsBrowser, async (t) => {
  const { ada, accountIds, tower, lamp, open, show } = await createLibrary(t)
  const post = { accountIds, caption: 'We are live.', mediaIds: [tower], scheduledAt: '2030-05-15T10:00:00Z' }
  const { id } = (await ada.call('POST', '/posts', post)).body
  const { page } = await open()
  const detail = page.getByRole('complementary', { name: 'The chosen file' })
  const question = page.getByRole('dialog', { name: 'Delete' })
  await show(page, `/media?file=${tower}`)
  await detail.getByRole('button', { name: 'Delete' }).click()
  await question.getByText('We are live.').waitFor()
  await question.getByRole('button', { name: 'Delete' }).click()
  await question.getByText('A post that is still to be published uses the file').waitFor()
  await checkAccessible(t, page)
  await question.getByRole('link', { name: 'Scheduled post' }).click()
  await page.waitForURL(new RegExp(`#/posts/${id}`))

  await show(page, `/media?file=${lamp}`)
  await detail.getByRole('button', { name: 'Delete' }).click()
  await question.getByText('No post uses it.').waitFor()
  await question.getByRole('button', { name: 'Delete' }).click()
  await detail.waitFor({ state: 'hidden' })
  await page.getByRole('link', { name: 'lamp.jpg' }).waitFor({ state: 'hidden' })
  t.equal((await ada.call('GET', `/media/${lamp}`)).status, 404)
})

t.test('the composer takes files of the library', needsBrowser, async (t) => {
  const { ada, tower, lamp, open, show } = await createLibrary(t)
  const { page, problems } = await open()
  await show(page, '/compose')
  await page.getByRole('checkbox', { name: /Sandbox ada/ }).check()
  await page.getByRole('button', { name: 'From the library' }).click()
  const dialog = page.getByRole('dialog', { name: 'From the library' })
  await dialog.getByRole('checkbox', { name: /lamp/ }).check()
  await checkAccessible(t, page)
  await dialog.getByLabel('Search files').fill('dusk')
  await dialog.getByRole('checkbox', { name: /lamp/ }).waitFor({ state: 'hidden' })
  await dialog.getByRole('checkbox', { name: /tower/ }).focus()
  await page.keyboard.press('Space')
  await dialog.getByRole('button', { name: 'Add 2 files' }).click()
  await dialog.waitFor({ state: 'hidden' })
  await page.getByRole('button', { name: 'Save the draft' }).click()
  await page.getByRole('heading', { name: 'Draft', exact: true }).waitFor()
  t.strictSame((await ada.call('GET', '/posts')).body.data[0].mediaIds, [lamp, tower])
  t.strictSame(problems(), [])
})

t.test('the library of a key that only reads has no action', needsBrowser, async (t) => {
  const { ada, tower, open, show } = await createLibrary(t)
  const { body } = await ada.call('POST', '/keys', { name: 'reader', scopes: ['media:read'] })
  const { page } = await open(body.key)
  await show(page, `/media?file=${tower}`)
  const detail = page.getByRole('complementary', { name: 'The chosen file' })
  await detail.locator('.focus-point').waitFor()
  t.strictSame(await detail.getByRole('button').allTextContents(), ['Close'])
  t.equal(await detail.getByRole('slider').count(), 0)
})
