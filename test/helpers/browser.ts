import { delimiter, join } from 'node:path'
import { type Browser, chromium, type Locator, type Page } from 'playwright-core'
import { isExecutable } from './executable.ts'
import { DEADLINE_MS } from './until.ts'

const NAMES = ['chromium', 'chromium-browser', 'google-chrome']

const executablePath = (process.env.PATH ?? '')
  .split(delimiter)
  .flatMap((folder) => NAMES.map((name) => join(folder, name)))
  .find(isExecutable)

/** Options of a test that needs a browser. If there is no browser, the test fails in CI and is skipped elsewhere. */
export const needsBrowser =
  executablePath || process.env.CI
    ? {}
    : { skip: 'no browser: install Chromium (Debian: apt-get install --no-install-recommends chromium)' }

/** Starts a browser that resolves postroom.test to this machine. Its pages wait until DEADLINE_MS. */
export async function launchBrowser(): Promise<Browser> {
  if (!executablePath) throw new Error(`CI is set, but the PATH has none of ${NAMES.join(', ')}`)
  const browser = await chromium.launch({
    executablePath,
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--host-resolver-rules=MAP postroom.test 127.0.0.1',
    ],
  })
  browser.on('context', (context) => context.setDefaultTimeout(DEADLINE_MS))
  return browser
}

/** Collects the errors and warnings of a page, and the hosts of its requests. */
export function watchPage(page: Page): { problems: string[]; hosts: Set<string> } {
  const problems: string[] = []
  const hosts = new Set<string>()
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) problems.push(message.text())
  })
  page.on('pageerror', (error) => problems.push(String(error)))
  page.on('requestfailed', (request) => problems.push(`${request.url()} ${request.failure()?.errorText}`))
  page.on('request', (request) => {
    const { protocol, host } = new URL(request.url())
    if (protocol !== 'data:' && protocol !== 'blob:') hosts.add(host)
  })
  return { problems, hosts }
}

/** A part of `Input.dragIntercepted`, whose type Playwright does not export. */
interface Dragged {
  data: { items: { mimeType: string; data: string }[]; dragOperationsMask: number }
}

/**
 * Drags an element to the upper left corner of another one. The window has to show both. `Locator.dragTo` loses the
 * drag if the browser adds a move of the mouse, as it does when the layout has changed.
 */
export async function drag(source: Locator, target: Locator): Promise<void> {
  await source.hover()
  const from = (await source.boundingBox())!
  const to = (await target.boundingBox())!
  const start = { x: from.x + from.width / 2, y: from.y + from.height / 2 }
  const end = { x: to.x + 20, y: to.y + 5 }
  const page = source.page()
  const session = await page.context().newCDPSession(page)
  const started = new Promise<Dragged>((resolve, reject) => {
    session.once('Input.dragIntercepted', resolve)
    setTimeout(() => reject(new Error('The browser began no drag')), DEADLINE_MS).unref()
  })
  await session.send('Input.setInterceptDrags', { enabled: true })
  const mouse = { button: 'left', buttons: 1, clickCount: 1 } as const
  await session.send('Input.dispatchMouseEvent', { type: 'mousePressed', ...mouse, ...start })
  await session.send('Input.dispatchMouseEvent', { type: 'mouseMoved', ...mouse, ...end })
  const { data } = await started
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const) {
    await session.send('Input.dispatchDragEvent', { type, data, ...end })
  }
  await session.detach()
}
