import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import sharp from 'sharp'
import { launchBrowser } from '../test/helpers/browser.ts'
import { runService } from '../test/helpers/command.ts'
import { until } from '../test/helpers/until.ts'

// Takes the pictures of README.md: `make screenshots`. They show the demo of a fresh database.

const FOLDER = '.github/screenshots'

const dataDir = await mkdtemp(join(tmpdir(), 'postroom-screenshots-'))
const service = await runService('start', { DATA_DIR: dataDir, MEDIA_DIR: join(dataDir, 'media') })
const browser = await launchBrowser()
try {
  const page = await browser.newPage({
    viewport: { width: 1200, height: 900 },
    locale: 'en-GB',
    timezoneId: 'Europe/Berlin',
  })
  await page.goto(service.facts.console!)
  await page.getByRole('navigation').waitFor()
  await take(page, 'calendar')
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
