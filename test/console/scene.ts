import { once } from 'node:events'
import { createServer, request as forwardTo, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { BrowserContextOptions, Page } from 'playwright-core'
import type { Test } from 'tap'
import { createWorld, type Options } from '../helpers/app.ts'
import { launchBrowser, watchPage } from '../helpers/browser.ts'
import { until } from '../helpers/until.ts'

export const ZONE = 'Europe/Berlin'

/** A user with accounts and posts, whose console a browser opens. */
export async function createScene(t: Test, options: Options = {}) {
  const world = await createWorld(t, { servesConsole: true, ...options })
  const ada = await world.user()
  const accountIds = [
    await ada.account('bluesky', { username: 'ada.example.com' }),
    await ada.account('sandbox', { username: 'ada', credentials: { username: 'ada' } }),
  ]
  const port = new URL(await world.app.listen({ host: '127.0.0.1', port: 0 })).port
  const origin = `http://localhost:${port}`
  return { ...world, ada, accountIds, origin, ...(await startConsole(t, origin, ada.key)) }
}

/** A browser for the console of a service that listens. */
export async function startConsole(t: Test, origin: string, ownKey: string) {
  const browser = await launchBrowser()
  t.teardown(() => browser.close())
  const open = async (key = ownKey, options: BrowserContextOptions = {}, base = origin) => {
    const page = await browser.newPage({ timezoneId: ZONE, locale: 'en-GB', ...options })
    const { problems, hosts } = watchPage(page)
    await page.goto(`${base}/console#key=${key}`)
    await page.getByRole('navigation').waitFor()
    // A page that is left, or a text that is typed on, ends its requests.
    return { page, hosts, problems: () => problems.filter((problem) => !problem.endsWith('net::ERR_ABORTED')) }
  }
  const show = async (page: Page, hash: string) => {
    await page.evaluate(`location.hash = ${JSON.stringify(hash)}`)
    await page.locator('h1').waitFor()
    await until('everything is loaded', () => page.locator('.loading').count(), { isMet: (count) => count === 0 })
  }
  return { open, show }
}

/** A proxy in front of the service, which can go away and come back. */
export async function startProxy(t: Test, origin: string, prefix = '') {
  const server = createServer((request, response) => {
    const { method, headers, url = '' } = request
    if (!url.startsWith(`${prefix}/`)) {
      response.writeHead(404).end()
      return
    }
    const target = new URL(url.slice(prefix.length), origin)
    const forward = (answer: IncomingMessage) => {
      response.writeHead(answer.statusCode!, answer.headers)
      answer.pipe(response)
    }
    request.pipe(forwardTo(target, { method, headers: { ...headers, host: target.host } }, forward))
  })
  const stop = () => {
    server.close()
    server.closeAllConnections()
  }
  const listen = async (port = 0) => {
    await once(server.listen(port, '127.0.0.1'), 'listening')
    return (server.address() as AddressInfo).port
  }
  t.teardown(stop)
  const port = await listen()
  return { address: `http://localhost:${port}${prefix}`, stop, start: () => listen(port) }
}
