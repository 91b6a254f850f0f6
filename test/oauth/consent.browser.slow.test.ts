import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import t from 'tap'
import { launchBrowser, needsBrowser, watchPage } from '../helpers/browser.ts'
import { createScene } from './scene.ts'

t.test('the page that connects an app, in a browser', needsBrowser, async (t) => {
  const scene = await createScene(t)
  const ada = await scene.user()
  await ada.account('sandbox', { username: 'lighthouses' })
  await ada.account('bluesky', { username: 'harbours.example' })

  /** The server of an app: its redirect URI leads on to another address, as those of hosted apps do. */
  const app = createServer((request, response) => {
    const isCallback = request.url!.startsWith('/callback')
    if (isCallback) response.writeHead(302, { location: `http://localhost:${port}/done${request.url!.slice(9)}` }).end()
    else response.end('<!doctype html><title>App</title><h1>Connected to the app</h1>')
  })
  t.teardown(() => app.close())
  await new Promise<void>((resolve) => app.listen(0, '127.0.0.1', resolve))
  const { port } = app.address() as AddressInfo
  const redirectUri = `http://127.0.0.1:${port}/callback`
  const browser = await launchBrowser()
  t.teardown(() => browser.close())

  async function openPage(clientName: string, uri = redirectUri) {
    const clientId = await scene.register({ client_name: clientName, redirect_uris: [uri] })
    const { path, verifier } = scene.begin({ client_id: clientId, redirect_uri: uri })
    // Neither the forms nor the way back need scripts.
    const context = await browser.newContext({ javaScriptEnabled: false, viewport: { width: 800, height: 900 } })
    const page = await context.newPage()
    const { problems, hosts } = watchPage(page)
    await page.goto(scene.origin + path)
    return { page, problems, hosts, clientId, verifier }
  }

  t.test('a person signs in, grants drafts for one account, and arrives at the app', async (t) => {
    const { page, problems, hosts, clientId, verifier } = await openPage('Harbour <b>agent')
    const main = page.getByRole('main')
    t.match(await main.innerText(), 'The app Harbour <b>agent wants to use your Postroom.')
    t.match(await main.innerText(), `a program on this device (127.0.0.1:${port})`)
    await page.getByLabel('Your API key').fill('pr_wrong')
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('alert').waitFor()
    await page.getByLabel('Your API key').fill(ada.key)
    await page.getByRole('button', { name: 'Continue' }).click()

    await page.getByRole('heading', { name: 'What may the app do?' }).waitFor()
    t.notMatch(await page.content(), ada.key, 'the key is not in the page')
    t.notOk(await page.getByRole('checkbox', { name: 'It may also publish' }).isChecked())
    const account = page.getByRole('checkbox', { name: 'lighthouses' })
    t.notOk(await account.isVisible(), 'accounts are hidden while all are chosen')
    await page.getByRole('radio', { name: 'Only these' }).check()
    await page.getByRole('button', { name: 'Allow' }).click()
    t.equal(await page.getByRole('alert').innerText(), 'Tick at least one account, or choose all accounts.')
    await account.check()
    await page.getByRole('button', { name: 'Allow' }).click()
    // Chromium checks `form-action` at each redirect.
    await page.getByRole('heading', { name: 'Connected to the app' }).waitFor()

    const answer = new URL(page.url())
    t.equal(answer.searchParams.get('iss'), scene.origin)
    const code = answer.searchParams.get('code')!
    const form = { grant_type: 'authorization_code', client_id: clientId, code, code_verifier: verifier }
    const { body } = await scene.post('/oauth/token', form)
    t.notMatch(body.scope, 'publish')
    const [connected] = (await ada.call('GET', '/connected-apps')).body.data
    t.equal(connected.accountIds.length, 1)
    t.strictSame(
      problems.filter((problem) => !problem.includes('status of 400')),
      [],
      'the content security policy blocks nothing',
    )
    t.strictSame(hosts, new Set([new URL(scene.origin).host, `127.0.0.1:${port}`, `localhost:${port}`]))
  })

  t.test('a person who denies arrives at the app too', async (t) => {
    const { page, problems } = await openPage('Agent')
    await page.getByLabel('Your API key').fill(ada.key)
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('button', { name: 'Deny' }).click()
    await page.getByRole('heading', { name: 'Connected to the app' }).waitFor()
    t.equal(new URL(page.url()).searchParams.get('error'), 'access_denied')
    t.strictSame(problems, [])
  })

  t.test('the way back to a scheme of an app, and to a site, is not blocked', async (t) => {
    for (const uri of ['cursor://anysphere.cursor-mcp/oauth/callback', 'https://app.invalid/callback']) {
      const { page, problems } = await openPage('Agent', uri)
      await page.getByLabel('Your API key').fill(ada.key)
      await page.getByRole('button', { name: 'Continue' }).click()
      const answered = page.waitForResponse(async (response) => (await response.headerValue('location')) !== null)
      await page.getByRole('button', { name: 'Allow' }).click()
      t.ok((await (await answered).headerValue('location'))!.startsWith(`${uri}?code=`))
      // A scheme without a program, or a site that is not reached, leaves the page with another error.
      await page.close()
      t.strictSame(
        problems.filter((problem) => /security policy|form-action/i.test(problem)),
        [],
        uri,
      )
    }
  })

  t.test('both pages say of each name that nobody has checked it, before anything can be entered', async (t) => {
    const problems: string[] = []
    const isFirst = async (page: Page, name: string) => {
      const warning = page.getByText('nobody has checked it')
      const said = await warning.boundingBox()
      const entered = await page.locator('form').boundingBox()
      const isSeen = said !== null && entered !== null && said.y + said.height <= Math.min(entered.y, 568)
      if (!isSeen) problems.push(`${name}: ${JSON.stringify([said, entered])}`)
    }
    // The second one has Cyrillic letters.
    for (const name of ['Claude', 'Сlаude', 'كلود', '漢'.repeat(100), `Claude ${'. '.repeat(46)}`]) {
      const { page } = await openPage(name)
      await page.setViewportSize({ width: 320, height: 568 })
      await isFirst(page, name)
      await page.getByLabel('Your API key').fill(ada.key)
      await page.getByRole('button', { name: 'Continue' }).click()
      await page.getByRole('heading', { name: 'What may the app do?' }).waitFor()
      await isFirst(page, name)
      await page.close()
    }
    t.strictSame(problems, [])
  })

  t.test('the pages fit a narrow window, whatever the app is called', async (t) => {
    const { page } = await openPage('A'.repeat(100))
    await page.setViewportSize({ width: 320, height: 568 })
    const widths: number[] = []
    const addWidth = async () =>
      widths.push(
        await page
          .locator('html')
          .boundingBox()
          .then((box) => box!.width),
      )
    await addWidth()
    await page.getByLabel('Your API key').fill(ada.key)
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('radio', { name: 'Only these' }).check()
    await addWidth()
    t.strictSame(widths, [320, 320])
  })
})
