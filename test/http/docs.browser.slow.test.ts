import type { Locator, Page } from 'playwright-core'
import t from 'tap'
import { createWorld } from '../helpers/app.ts'
import { launchBrowser, needsBrowser, watchPage } from '../helpers/browser.ts'
import { jpeg } from '../helpers/upload.ts'

const withBody = (body: object) => (operation: Locator) =>
  operation.locator('.body-param__text').fill(JSON.stringify(body))

/** Opens a tag, unless it is open. */
async function openTag(page: Page, tag: string) {
  const header = page.locator(`#operations-tag-${tag}`)
  if ((await header.getAttribute('data-is-open')) === 'false') await header.locator('.expand-operation').click()
}

/** Opens an operation, lets `fill` fill it in, and executes it. Returns the status and body that the page shows. */
async function tryOut(page: Page, tag: string, operationId: string, fill: (operation: Locator) => Promise<void>) {
  await openTag(page, tag)
  const operation = page.locator(`#operations-${tag}-${operationId}`)
  await operation.locator('.opblock-summary-control').click()
  await fill(operation)
  await operation.getByRole('button', { name: 'Execute' }).click()
  const live = operation.locator('.live-responses-table .response')
  return {
    status: (await live.locator('.response-col_status').textContent()) ?? '',
    body: (await live.locator('.response-col_description .microlight').first().textContent()) ?? '',
  }
}

const readTags = (tags: unknown[]) =>
  tags.map((tag) => (tag as { getAttribute(name: string): string }).getAttribute('data-tag'))

t.test('Swagger UI in a browser', needsBrowser, async (t) => {
  const { app, user } = await createWorld(t, { servesDocument: true })
  const ada = await user()
  const account = await ada.account('bluesky')
  const port = new URL(await app.listen({ host: '127.0.0.1', port: 0 })).port
  const browser = await launchBrowser()
  t.teardown(() => browser.close())

  t.test('a user can authorise, create a post, upload a file, reload and list posts', async (t) => {
    const page = await browser.newPage({ viewport: { width: 1280, height: 1000 } })
    const { problems, hosts } = watchPage(page)
    await page.goto(`http://localhost:${port}/docs`)

    await page.locator('.auth-wrapper .authorize').click()
    const dialog = page.locator('.modal-ux')
    await dialog.locator('input').fill(ada.key)
    await dialog.getByRole('button', { name: 'Apply credentials' }).click()
    await dialog.getByRole('button', { name: 'Close' }).click()

    const body = { accountIds: [account], caption: 'Written in a browser' }
    const created = await tryOut(page, 'posts', 'createPost', withBody(body))
    t.match(created.status, /^201/)
    t.match(JSON.parse(created.body), { id: String, status: 'draft' })

    const image = await jpeg(40, 30)
    const uploaded = await tryOut(page, 'media', 'uploadMedia', async (operation) => {
      const file = { name: 'photo.jpg', mimeType: 'image/jpeg', buffer: image }
      await operation.locator('input[type=file]').setInputFiles(file)
    })
    t.match(uploaded.status, /^201/)
    const media = JSON.parse(uploaded.body)
    t.hasStrict(media, { kind: 'image', bytes: image.length, width: 40, height: 30, altText: null })
    const content = page.locator('#operations-media-getMediaContent')
    await content.locator('.opblock-summary-control').click()
    await content.locator('tr[data-param-name=id] input').fill(media.id)
    await content.getByRole('button', { name: 'Execute' }).click()
    const shown = content.locator('.live-responses-table img')
    await shown.waitFor()
    t.equal(await shown.evaluate((element) => (element as { naturalWidth: number }).naturalWidth), 40)

    await page.reload()
    const listed = await tryOut(page, 'posts', 'listPosts', async () => {})
    t.match(listed.status, /^200/, 'the key survives the reload')
    t.hasStrict(JSON.parse(listed.body).data, [{ caption: 'Written in a browser' }])

    t.strictSame(problems, [], 'the page has no errors, and its headers block nothing')
    t.strictSame([...hosts], [`localhost:${port}`], 'no other host is called')
  })

  for (const [width, height] of [
    [1280, 800],
    [400, 800],
  ] as const) {
    t.test(`the first screen of ${width}×${height} has Authorize, the filter and the first operation`, async (t) => {
      const page = await browser.newPage({ viewport: { width, height } })
      await page.goto(`http://localhost:${port}/docs`)
      await page.locator('.opblock').first().waitFor()
      const bottoms = ['.authorize', '.operation-filter-input', '.opblock'].map(async (selector) => {
        const box = (await page.locator(selector).first().boundingBox())!
        return box.y + box.height
      })
      t.ok(Math.max(...(await Promise.all(bottoms))) <= height)
      t.ok(
        ((await page.evaluate('document.documentElement.scrollWidth')) as number) <= width,
        'the page has no scrollbar',
      )
      t.strictSame(await page.locator('.opblock-tag[data-is-open=true]').evaluateAll(readTags), ['posts'])
    })
  }

  t.test('the filter finds operations of every tag by their words', async (t) => {
    const page = await browser.newPage()
    await page.goto(`http://localhost:${port}/docs`)
    await page.locator('.operation-filter-input').fill('Webhook SECRET')
    await page.locator('#operations-webhooks-rotateWebhookSecret').waitFor()
    t.equal(await page.locator('#operations-tag-posts').count(), 0, 'tags without a match are hidden')
  })

  t.test('a link opens an operation of a closed tag, and one of its errors with its example', async (t) => {
    const page = await browser.newPage()
    const { problems } = watchPage(page)
    await page.goto(`http://localhost:${port}/docs#/keys/createKey`)
    const operation = page.locator('#operations-keys-createKey')
    await operation.locator('.execute').waitFor()
    await operation.locator('.response[data-code="403"] button').click()
    t.match(await operation.locator('.response[data-code="403"]').textContent(), '"error": "')
    await operation.locator('.tablinks', { hasText: 'Schema' }).first().click()
    t.match(await operation.locator('.json-schema-2020-12').first().textContent(), 'CreateApiKey')
    t.strictSame(problems, [])
  })

  t.test('links of texts open chapters on the page, and links to chapters do so in a new tab', async (t) => {
    const page = await browser.newPage()
    const { problems } = watchPage(page)
    await page.goto(`http://localhost:${port}/docs`)
    await page.locator('.info a', { hasText: 'Safe retries' }).click()
    const chapter = page.locator('#chapter-retries')
    await chapter.locator('.renderedMarkdown', { hasText: 'Idempotent-Replayed' }).waitFor()
    t.equal(page.url(), `http://localhost:${port}/docs#chapter-retries`)
    t.equal(await page.locator('.chapter .renderedMarkdown').count(), 1, 'the others are closed')
    await page.locator('#operations-tag-posts a', { hasText: 'More' }).click()
    await page.locator('#chapter-posts .renderedMarkdown', { hasText: 'Lost responses' }).waitFor()
    t.equal(await page.locator('#operations-posts-createPost').count(), 1, 'the tag stays open')
    const second = await browser.newPage()
    await second.goto(`http://localhost:${port}/docs#chapter-errors`)
    await second.locator('#chapter-errors .renderedMarkdown').waitFor()
    t.strictSame(problems, [])
  })

  t.test('the page shows the body of each webhook', async (t) => {
    const page = await browser.newPage()
    await page.goto(`http://localhost:${port}/docs`)
    const webhook = page.locator('.webhooks .opblock', { hasText: 'receiveDeliveryPublished' })
    await webhook.locator('.opblock-summary-control').click()
    await webhook.locator('.body-param__example, .example').first().waitFor()
    t.match(await webhook.textContent(), '"type": "delivery.published"')
  })

  t.test('the page works over plain HTTP under a host name, which browsers trust less than localhost', async (t) => {
    const page = await browser.newPage()
    const { hosts } = watchPage(page)
    await page.goto(`http://postroom.test:${port}/docs/`)
    await page.locator('#operations-posts-createPost').waitFor()
    t.equal(await page.title(), 'Postroom')
    t.strictSame([...hosts], [`postroom.test:${port}`])
  })
})
