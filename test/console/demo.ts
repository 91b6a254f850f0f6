import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'
import { Postroom } from '../../src/clients/sdk/index.ts'
import { launchBrowser } from '../helpers/browser.ts'
import { runService } from '../helpers/command.ts'

/** The demo of `start` in a fresh folder, its console in a browser, and a client with the same key. */
export async function openDemo(t: Test) {
  const folder = await mkdtemp(join(tmpdir(), 'postroom-demo-'))
  t.teardown(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }))
  const { facts, stop } = await runService('start', { DATA_DIR: folder, MEDIA_DIR: join(folder, 'media') })
  t.teardown(() => stop())
  const browser = await launchBrowser()
  t.teardown(() => browser.close())
  const page = await browser.newPage({
    timezoneId: 'Europe/Berlin',
    locale: 'en-GB',
    viewport: { width: 1280, height: 900 },
  })
  await page.goto(facts.console!)
  await page.getByRole('navigation').waitFor()
  const button = (name: string) => page.locator('main').getByRole('button', { name, exact: true })
  const dialog = (name: string) => page.getByRole('dialog', { name, exact: true })
  const confirmed = (name: string) => dialog(name).getByRole('button', { name, exact: true })
  return { page, client: new Postroom({ key: facts.key!, baseUrl: facts.api! }), button, dialog, confirmed }
}
