import { chmodSync } from 'node:fs'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import type { Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { Postroom } from '../../src/clients/sdk/index.ts'
import { APP } from '../connections/scene.ts'
import { createFolder, createWorld } from '../helpers/app.ts'
import { launchBrowser, needsBrowser, watchPage } from '../helpers/browser.ts'
import { postroom } from '../helpers/command.ts'
import { readResult } from '../helpers/mcp.ts'
import { needsNginx, startNginx } from '../helpers/nginx.ts'
import { freePorts } from '../helpers/ports.ts'
import { endChild } from '../helpers/processes.ts'
import { oauthNetwork } from '../helpers/scripted-oauth.ts'
import { until } from '../helpers/until.ts'
import { jpeg } from '../helpers/upload.ts'
import { startFakeOAuth } from '../networks/fakes/oauth.ts'
import { Provider } from '../oauth/provider.ts'

const PATH = '/tools/postroom'

/** nginx replaces the path by that of `proxy_pass`, if there is one. src/run/runtime/README.md shows the first. */
const PROXIES = { 'removes the path': '/', 'leaves the path': '' }

const settings = (port: number, service: string, replacement: string) => `
server {
  listen 127.0.0.1:${port};
  location ${PATH}/ {
    proxy_pass ${service}${replacement};
    proxy_set_header Host $http_host;
  }
  location ~ ^/\\.well-known/oauth-(authorization-server|protected-resource)${PATH} {
    proxy_pass ${service};
    proxy_set_header Host $http_host;
  }
}`

async function createScene(t: Test, replacement: string) {
  const network = await startFakeOAuth(t, APP)
  const [port] = (await freePorts(1)) as [number]
  const publicUrl = `http://localhost:${port}${PATH}`
  const world = await createWorld(t, {
    networks: { x: oauthNetwork(network.oauth) },
    oauthApps: { x: APP },
    fetch: network.fetch,
    publicUrl: () => publicUrl,
    servesConsole: true,
    servesDocument: true,
  })
  const service = await world.app.listen({ host: '127.0.0.1', port: 0 })
  const folder = await createFolder(t)
  chmodSync(folder, 0o755)
  const nginx = startNginx(folder, settings(port, service, replacement))
  // Killed, it would leave its worker processes.
  t.teardown(() => endChild(nginx, 'SIGTERM'))
  await until('nginx responds', () =>
    fetch(`${publicUrl}/healthz`).then(
      ({ ok }) => ok,
      () => false,
    ),
  )
  const ada = await world.user('Ada')
  return {
    ...world,
    publicUrl,
    ada,
    network,
    hosts: [`localhost:${port}`, new URL(network.address).host],
  }
}

for (const [name, replacement] of Object.entries(PROXIES)) {
  t.test(`the service below a path, behind a proxy that ${name}`, { ...needsNginx, ...needsBrowser }, async (t) => {
    const { publicUrl, ada, network, hosts } = await createScene(t, replacement)
    const client = new Postroom({ key: ada.key, baseUrl: publicUrl })
    const browser = await launchBrowser()
    t.teardown(() => browser.close())
    /** Runs `act` on a new page, and fails if anything of the page could not be loaded. */
    const withPage = async (t: Test, address: string, act: (page: Page) => Promise<void>) => {
      const page = await browser.newPage()
      const watched = watchPage(page)
      await page.goto(address)
      await act(page)
      await page.close()
      t.strictSame(
        watched.problems.filter((problem) => !problem.endsWith('net::ERR_ABORTED')),
        [],
      )
      t.strictSame(
        [...watched.hosts].filter((host) => !hosts.includes(host)),
        [],
      )
    }

    t.test('a person connects an account', async (t) => {
      network.pages = ['lighthouses', 'ports']
      const { id, url } = await client.connections.create({ platform: 'x' })
      t.ok(url.startsWith(`${publicUrl}/connect/`), url)
      await withPage(t, url, async (page) => {
        await page.getByRole('link', { name: 'Allow' }).click()
        await page.getByRole('checkbox', { name: 'ports' }).check()
        await page.getByRole('button').click()
        await page.getByRole('heading', { name: 'Connected' }).waitFor()
        t.equal(page.url(), `${publicUrl}/connect/result/${id}`)
        await page.reload()
        await page.getByRole('heading', { name: 'Connected' }).waitFor()
      })
    })

    t.test('the console shows a post with its picture', async (t) => {
      const { id: mediaId } = await client.uploads.create(new Blob([new Uint8Array(await jpeg())]))
      const accountIds = [await ada.account('bluesky')]
      const { id } = await client.posts.create({
        accountIds,
        caption: 'A picture',
        mediaIds: [mediaId],
      })
      for (const slash of ['', '/']) {
        await withPage(t, `${publicUrl}/console${slash}#key=${ada.key}`, async (page) => {
          await page.getByRole('navigation').waitFor()
          await page.evaluate(`location.hash = '#/posts/${id}'`)
          const picture = page.locator('img').first()
          await until('the picture is shown', () =>
            picture.evaluate((element) => (element as { naturalWidth: number }).naturalWidth),
          )
        })
      }
      const { data } = await client.posts.list({ include: ['media'] })
      const { url, previewUrl } = data[0]!.media![0]!
      for (const address of [url, previewUrl]) {
        const response = await fetch(address!)
        t.strictSame([response.status, address!.startsWith(`${publicUrl}/files/`)], [200, true])
      }
    })

    t.test('Swagger UI calls the service', async (t) => {
      for (const slash of ['', '/']) {
        await withPage(t, `${publicUrl}/docs${slash}`, async (page) => {
          await page.locator('.auth-wrapper .authorize').click()
          const dialog = page.locator('.modal-ux')
          await dialog.locator('input').fill(ada.key)
          await dialog.getByRole('button', { name: 'Apply credentials' }).click()
          await dialog.getByRole('button', { name: 'Close' }).click()
          const operation = page.locator('#operations-posts-listPosts')
          await operation.locator('.opblock-summary-control').click()
          await operation.getByRole('button', { name: 'Execute' }).click()
          const status = operation.locator('.live-responses-table .response .response-col_status')
          t.match(await status.first().textContent(), /^200/)
          const chapter = page.locator('#chapter-retries')
          await chapter.locator('summary').click()
          const markdown = await chapter.getByRole('link', { name: 'as Markdown' }).getAttribute('href')
          t.equal((await fetch(new URL(markdown!, page.url()))).status, 200, markdown!)
        })
      }
    })

    t.test('an agent finds the authorization server, and a person approves it', async (t) => {
      const provider = new Provider()
      const connect = async () => {
        const transport = new StreamableHTTPClientTransport(new URL(`${publicUrl}/mcp`), { authProvider: provider })
        const agent = new Client({ name: 'test', version: '1' })
        t.teardown(() => agent.close())
        return { agent, transport, connected: agent.connect(transport) }
      }
      const first = await connect()
      await t.rejects(first.connected)
      t.ok(provider.url.href.startsWith(`${publicUrl}/oauth/authorize?`), provider.url.href)
      const page = await browser.newPage()
      await page.goto(provider.url.href)
      await page.getByLabel('Your API key').fill(ada.key)
      await page.getByRole('button', { name: 'Continue' }).click()
      const sent = page.waitForRequest((request) => request.url().startsWith(provider.redirectUrl))
      await page.getByRole('button', { name: 'Allow' }).click()
      const answer = new URL((await sent).url()).searchParams
      t.equal(answer.get('iss'), publicUrl)
      await first.transport.finishAuth(answer)
      const { agent, connected } = await connect()
      await connected
      const result = readResult(await agent.callTool({ name: 'list_accounts', arguments: {} }))
      t.equal(result.isError, false)
    })

    t.test('the commands that call the service do so below the path', async (t) => {
      const env = { POSTROOM_URL: `${publicUrl}/`, POSTROOM_KEY: ada.key }
      const { code, stdout, stderr } = await postroom(['mcp', 'approve'], env)
      t.equal(code, 0, stderr)
      t.match(stdout, /\b[2-9A-Z]{4}(-[2-9A-Z]{4}){2}\b/)
    })
  })
}
