import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import sharp from 'sharp'
import { Postroom } from '../src/clients/sdk/index.ts'
import { launchBrowser } from '../test/helpers/browser.ts'
import { runService } from '../test/helpers/command.ts'
import { until } from '../test/helpers/until.ts'

// Takes the pictures of README.md: `make screenshots`. They show the demo of a fresh database.

const FOLDER = '.github/screenshots'

/** The middle of the next month, around which posts are due. */
const MIDDLE = new Date(Date.UTC(new Date().getUTCFullYear(), new Date().getUTCMonth() + 1, 15, 8))
const DAY_MS = 86_400_000

/** The colours of the sky and the sea, and the text of each post with a picture. */
const POSTS = [
  ['#f2b8a0', '#7a3b5e', 'The lantern room is open on Sunday. Come up and see the lamp.'],
  ['#a9d6e5', '#1d4e63', 'Fog signal test at noon. Cover your ears.'],
  ['#ffd9a0', '#35506b', 'New in the shop: postcards of the tower at dusk.'],
  ['#c8e6c9', '#2e5e4e', 'We are looking for a keeper for the winter.'],
  ['#d8c4f0', '#3c2f63', 'Stars above the gallery. No filter.'],
] as const

const dataDir = await mkdtemp(join(tmpdir(), 'postroom-screenshots-'))
const service = await runService('start', { DATA_DIR: dataDir, MEDIA_DIR: join(dataDir, 'media') })
const browser = await launchBrowser()
try {
  const page = await browser.newPage({
    viewport: { width: 1200, height: 900 },
    locale: 'en-GB',
    timezoneId: 'Europe/Berlin',
  })
  await fill(new Postroom({ key: service.facts.key!, baseUrl: service.facts.api! }))
  await page.goto(service.facts.console!)
  await page.getByRole('navigation').waitFor()
  await page.getByRole('button', { name: 'Hide', exact: true }).click()
  await page.evaluate(`location.hash = '/calendar?date=${MIDDLE.toISOString().slice(0, 10)}'`)
  await page
    .locator('.month .pictures img')
    .nth(2 * POSTS.length)
    .waitFor()
  await take(page, 'calendar')
  await page.getByRole('button', { name: 'Today' }).click()
  await page.locator('.chip').filter({ hasText: 'Failed' }).first().click()
  await page.getByText('Attempt 1').waitFor()
  await take(page, 'post')
  await page.getByRole('link', { name: 'Compose', exact: true }).click()
  await page.getByRole('checkbox', { name: /^Bluesky Ada/ }).check()
  await page.getByRole('checkbox', { name: /^X ada/ }).check()
  await page
    .getByLabel('Text', { exact: true })
    .fill('The lamp is lit again. Come and see it on Sunday: https://lighthouse.example.com #lighthouse')
  await page.getByText(/ of 300 characters/).waitFor()
  await take(page, 'compose')
  for (const name of ['accounts', 'activity']) {
    await page.evaluate(`location.hash = '/${name}'`)
    if (name === 'activity') await page.getByText('Post settled').first().waitFor()
    await take(page, name)
  }
} finally {
  await browser.close()
  await service.stop()
  await rm(dataDir, { recursive: true })
}

/** Adds posts with pictures to those of the demo. */
async function fill(client: Postroom): Promise<void> {
  const accounts = await Array.fromAsync(client.accounts.list())
  const files: string[] = []
  for (const [sky, sea] of POSTS) {
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="1200" height="900"><rect width="1200" height="900" fill="${sky}"/><circle cx="820" cy="300" r="110" fill="#fffbe8"/><path d="M0 640 Q 300 560 600 640 T 1200 620 V 900 H 0 Z" fill="${sea}"/></svg>`
    const picture = await sharp(Buffer.from(svg)).jpeg().toBuffer()
    files.push((await client.uploads.create(new File([new Uint8Array(picture)], 'sea.jpg', { type: 'image/jpeg' }))).id)
  }
  for (const [index, [, , caption]] of [...POSTS, ...POSTS, ...POSTS].entries()) {
    await client.posts.create({
      accountIds: accounts.slice(index % 3, (index % 3) + 2).map(({ id }) => id),
      caption,
      mediaIds: [files[index % files.length]!],
      scheduledAt: new Date(MIDDLE.getTime() + (index - 7) * DAY_MS + (index % 4) * 2 * 3_600_000).toISOString(),
    })
  }
}

async function take(page: Page, name: string): Promise<void> {
  await page.locator('h1').waitFor()
  await until('everything is loaded', () => page.locator('.loading').count(), { isMet: (count) => count === 0 })
  await page.evaluate('Promise.all(Array.from(document.images, (image) => image.decode().catch(() => {})))')
  const picture = await sharp(await page.screenshot())
    .webp({ quality: 80 })
    .toBuffer()
  await writeFile(join(FOLDER, `${name}.webp`), picture)
  process.stdout.write(`${FOLDER}/${name}.webp, ${picture.length} bytes\n`)
}
