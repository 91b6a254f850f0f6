import { delimiter, join } from 'node:path'
import { type Browser, chromium, type Page } from 'playwright-core'
import { isExecutable } from './executable.ts'

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

/** Starts a browser that resolves postroom.test to this machine. */
export function launchBrowser(): Promise<Browser> {
  if (!executablePath) throw new Error(`CI is set, but the PATH has none of ${NAMES.join(', ')}`)
  return chromium.launch({
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
