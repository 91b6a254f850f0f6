import axe from 'axe-core'
import t, { type Test } from 'tap'
import type { Platform, PlatformList } from '../../schemas/platform-detail.ts'
import { needsBrowser } from '../helpers/browser.ts'
import { jpeg, storeFile } from '../helpers/upload.ts'
import { createScene } from './scene.ts'

const HOSTILE = '<img src=x onerror="window.harmed=1"><script>window.harmed=1</script>'
const CAPTION = `${HOSTILE} Come to the lighthouse: https://lighthouse.example.com #sea${' The keeper tells a story.'.repeat(4)}`

/** A draft with three pictures on accounts whose networks show it in different ways. */
async function createPost(t: Test) {
  const scene = await createScene(t)
  const { app, ada } = scene
  const [bluesky] = scene.accountIds as [string]
  const mastodon = await ada.account('mastodon', { username: 'ada@social.example' })
  const instagram = await ada.account('instagram', { username: 'ada.pictures' })
  const mediaIds: string[] = []
  for (const width of [440, 500, 600]) {
    mediaIds.push(await storeFile(app, ada, [['file', await jpeg(width, 400)]]))
  }
  const accountIds = [bluesky, mastodon, instagram]
  const { body } = await ada.call('POST', '/posts', { accountIds, caption: CAPTION, mediaIds })
  const { body: catalogue } = await ada.call('GET', '/platforms')
  const looks = new Map((catalogue as PlatformList).data.map(({ id, appearance }) => [id as string, appearance]))
  return { ...scene, id: body.id as string, mediaIds, look: (id: Platform['id']) => looks.get(id)! }
}

t.test('a post is drawn as each network shows it, by the catalogue, and harms nothing', needsBrowser, async (t) => {
  const { id, mediaIds, look, open, show } = await createPost(t)
  const { page, problems } = await open()
  const fetched: string[] = []
  page.on('request', (request) => {
    const [, file] = /\/media\/([^/]+)\/preview\?width=640/.exec(request.url()) ?? []
    if (file) fetched.push(file)
  })
  await show(page, `/posts/${id}`)
  const on = (network: string) => page.getByRole('region', { name: new RegExp(` on ${network}$`) }).locator('.look')
  for (const network of ['Bluesky', 'Mastodon', 'Instagram']) await on(network).locator('.cut img').nth(2).waitFor()
  t.strictSame(fetched.toSorted(), mediaIds.toSorted(), 'accounts share the previews of files')

  const ratioOf = async (network: string) => {
    const box = (await on(network).locator('.shown-files').boundingBox())!
    return Number((box.width / box.height).toFixed(1))
  }
  t.equal(await ratioOf('Bluesky'), look('bluesky').images.gridRatios![1])
  t.equal(await ratioOf('Mastodon'), look('mastodon').images.gridRatios![0])
  const row = on('Instagram').getByRole('list', { name: 'Files, one after the other' })
  const ratios = await row.getByRole('listitem').evaluateAll((items) =>
    items.map((item) => {
      const { width, height } = item.getBoundingClientRect()
      return (width / height).toFixed(2)
    }),
  )
  t.strictSame(ratios, ['1.10', '1.10', '1.10'], 'the first picture sets the shape of all')

  const text = on('Instagram').locator('.text')
  const fold = text.getByRole('button')
  const { charactersMax } = look('instagram').fold!
  t.equal(await text.textContent(), `${CAPTION.slice(0, charactersMax)} … more`)
  await fold.press('Enter')
  t.equal(await text.textContent(), `${CAPTION} less`)
  t.equal(await fold.getAttribute('aria-expanded'), 'true')
  t.equal(await on('Bluesky').locator('.text').getByRole('button').count(), 0, 'Bluesky folds by lines alone')
  t.strictSame(await on('Bluesky').locator('mark').allTextContents(), ['https://lighthouse.example.com', '#sea'])

  t.equal(await page.evaluate('window.harmed'), undefined)
  await page.evaluate(axe.source)
  const { violations } = (await page.evaluate('axe.run()')) as axe.AxeResults
  t.strictSame(
    violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`),
    [],
  )
  t.strictSame(problems(), [])
})

t.test(
  'a picture that is cut for a network is shown so, and the parts of a thread hang together',
  needsBrowser,
  async (t) => {
    const { app, ada, accountIds, mediaIds, open, show } = await createPost(t)
    const instagram = await ada.account('instagram', { username: 'ada.tall' })
    const tall = await storeFile(app, ada, [['file', await jpeg(400, 1000)]])
    const { body: cut } = await ada.call('POST', '/posts', {
      accountIds: [instagram],
      mediaIds: [tall],
      mediaFit: 'crop',
    })
    const { page } = await open()
    await show(page, `/posts/${cut.id}`)
    const image = page.locator('.single .cut img')
    await image.waitFor()
    t.match(await image.getAttribute('style'), /top: -50%/, 'the middle stays, half as high')
    const { body: thread } = await ada.call('POST', '/posts', {
      accountIds: accountIds.slice(0, 1),
      postType: 'thread',
      mediaIds: mediaIds.slice(0, 1),
      threadParts: { [accountIds[0]!]: ['First', 'Second'] },
    })
    await show(page, `/posts/${thread.id}`)
    const parts = page.locator('.look')
    await parts.nth(1).waitFor()
    t.strictSame(await parts.evaluateAll((all) => all.map((part) => part.matches('.goes-on'))), [true, false])
  },
)
