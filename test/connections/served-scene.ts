import type { BrowserContextOptions } from 'playwright-core'
import { createWorld, type Options } from '../helpers/app.ts'
import { launchBrowser, watchPage } from '../helpers/browser.ts'
import { repeating } from '../helpers/connect-oauth.ts'
import type { Teardown } from '../helpers/database.ts'
import { oauthNetwork } from '../helpers/scripted-oauth.ts'
import { until } from '../helpers/until.ts'
import { startFakeOAuth } from '../networks/fakes/oauth.ts'
import { APP } from './scene.ts'

/** The service on a port, with a network that is another server, and a browser. */
export async function createServedWorld(t: Teardown, options: Pick<Options, 'databaseMs' | 'servesConsole'> = {}) {
  const network = await startFakeOAuth(t, APP)
  let publicUrl = ''
  const world = await createWorld(t, {
    networks: { x: oauthNetwork(network.oauth) },
    oauthApps: { x: APP },
    returnUrls: [network.address],
    fetch: network.fetch,
    publicUrl: () => publicUrl,
    ...options,
  })
  const { port } = new URL(await world.app.listen({ host: '127.0.0.1', port: 0 }))
  publicUrl = `http://localhost:${port}`
  const ada = repeating(await world.user('ada'))
  const browser = await launchBrowser()
  t.teardown(() => browser.close())

  return {
    ...world,
    network,
    ada,
    host: `localhost:${port}`,
    begin: async (body: object = {}) =>
      (await ada.call('POST', '/connections', { platform: 'x', ...body })).body as { id: string; url: string },
    read: async (id: string) => (await ada.call('GET', `/connections/${id}`)).body,

    /** A page in a new browser, without the cookies of others. */
    async newPage(options: BrowserContextOptions = {}) {
      const context = await browser.newContext({ viewport: { width: 800, height: 600 }, ...options })
      const page = await context.newPage()
      const { problems, hosts } = watchPage(page)

      /** Waits for a page with this heading, and loads a page again that exceeded its time limit, as a person does. */
      async function arrive(heading: string) {
        const readHeading = () => page.locator('h1').textContent({ timeout: 1_000 })
        await until(`the page "${heading}"`, async () => {
          const shown = await readHeading().catch(() => null)
          if (shown === 'Please try again') await page.reload()
          return shown === heading
        })
      }

      return {
        page,
        hosts,
        arrive,
        /** Lists problems, except those of requests that exceeded their time limit. */
        problems: () => problems.filter((problem) => !problem.includes('status of 503')),

        /** Opens the link of a connection, and clicks on the page of the network. */
        async open(url: string, click: 'Allow' | 'Deny') {
          await page.goto(url)
          await arrive('Network')
          await page.getByRole('link', { name: click }).click()
        },

        /** Sends the form of the page by pressing keys. */
        async submit(...keys: string[]) {
          const form = page.url()
          await until('the form is received', async () => {
            const received = page.waitForResponse((response) => response.request().method() === 'POST')
            for (const key of keys) await page.keyboard.press(key)
            const isReceived = (await received).status() !== 503
            if (!isReceived) await page.goto(form)
            return isReceived
          })
        },
      }
    },
  }
}
