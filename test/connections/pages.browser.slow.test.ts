import t from 'tap'
import { findCredentials } from '../helpers/app.ts'
import { needsBrowser } from '../helpers/browser.ts'
import { createServedWorld } from './served-scene.ts'

const POLICY =
  /^default-src 'none'; style-src 'sha256-[\w+/]{43}='; form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/

t.test('the pages of a connection in a browser', needsBrowser, async (t) => {
  const { db, keyring, network, host, begin, read, newPage } = await createServedWorld(t)
  const networkHost = new URL(network.address).host
  const usernames = async (id: string) =>
    (await read(id)).accounts.map(({ username }: { username: string }) => username)

  t.test('a user consents, and reads that the account is connected', async (t) => {
    const { id, url } = await begin()
    const { page, problems, hosts, open, arrive } = await newPage()
    await open(url, 'Allow')
    await arrive('Connected')
    t.equal(await page.title(), 'Connected – Postroom')
    t.equal(
      await page.getByRole('main').innerText(),
      'Connected\n\nConnected on X:\n\nlighthouses\n\nYou can close this page.',
    )
    t.equal(await page.locator('html').getAttribute('lang'), 'en')
    t.notMatch(page.url(), /code|state/)
    const reloaded = await page.reload()
    t.match(reloaded!.headers()['content-security-policy'], POLICY)
    await arrive('Connected')
    t.strictSame(problems(), [], 'the content security policy blocks nothing')
    t.strictSame(hosts, new Set([host, networkHost]), 'no other host is called')
    t.equal(await page.locator('main').evaluate(styleOf, 'maxWidth'), '578px', 'the style sheet applies')
    const { state, accounts } = await read(id)
    t.equal(state, 'connected')
    const credentials = keyring.open(accounts[0].id, (await findCredentials(db, accounts[0].id))!)
    t.equal(credentials.accessToken, 'the-access-token-of-the-fake')

    const second = await newPage()
    await second.page.goto(url)
    await second.arrive('This link was used already')
  })

  t.test('a user who denies reads that nothing is connected', async (t) => {
    const { id, url } = await begin()
    const { page, problems, open, arrive } = await newPage()
    await open(url, 'Deny')
    await arrive('Not connected')
    t.equal(await page.getByRole('alert').textContent(), 'You did not allow the access on X.')
    t.equal((await read(id)).error.code, 'denied')
    t.strictSame(problems(), [])
  })

  t.test('a user who is too late reads that the link has expired', async (t) => {
    const { id, url } = await begin()
    await db
      .updateTable('connections')
      .set({ expiresAt: new Date(0) })
      .where('id', '=', id)
      .execute()
    const { page, arrive } = await newPage()
    await page.goto(url)
    await arrive('This link has expired')
    t.match(await page.getByRole('main').innerText(), 'Ask for a new one.')
  })

  t.test('a user chooses with the keyboard alone, and goes on to the address of the program', async (t) => {
    network.pages = ['lighthouses', 'harbours <b>', 'ports']
    const { id, url } = await begin({ returnUrl: `${network.address}/done` })
    // Neither the form nor the way back needs scripts.
    const { page, problems, hosts, open, arrive, submit } = await newPage({ javaScriptEnabled: false })
    await open(url, 'Allow')
    await arrive('Choose your accounts')
    const group = page.getByRole('group', { name: 'Accounts to connect' })
    const names = await group
      .getByRole('checkbox')
      .evaluateAll((boxes) =>
        boxes.map((box) => (box as { labels: { textContent: string }[] }).labels[0]!.textContent.trim()),
      )
    t.strictSame(names, ['lighthouses page, connected already', 'harbours <b> page', 'ports page'])
    await submit('Tab', 'Tab', 'Tab', 'Tab', 'Enter')
    const problem = page.getByRole('alert')
    await problem.waitFor()
    t.equal(await problem.textContent(), 'Choose an account.')
    t.equal(await group.getAttribute('aria-describedby'), await problem.getAttribute('id'))
    await submit('Tab', 'Tab', 'Space', 'Tab', 'Tab', 'Enter')
    await page.waitForURL(`${network.address}/done?connection=${id}&state=connected`)
    await arrive('Your accounts')
    t.strictSame(await usernames(id), ['harbours <b>'])
    t.strictSame(
      problems().filter((problem) => !problem.includes('status of 409')),
      [],
      'but for the status of the form that was sent without a choice',
    )
    t.strictSame(hosts, new Set([host, networkHost]))
  })

  t.test('the pages fit a narrow window, whatever the accounts are called', async (t) => {
    network.pages = ['a'.repeat(200), 'ports']
    const { page, open, arrive } = await newPage({ viewport: { width: 320, height: 568 } })
    await open((await begin()).url, 'Allow')
    await arrive('Choose your accounts')
    const width = () => page.locator('html').evaluate((html) => (html as { scrollWidth: number }).scrollWidth)
    t.equal(await width(), 320)
    await page.getByRole('checkbox').first().check()
    await page.getByRole('button').click()
    await arrive('Connected')
    t.equal(await width(), 320)
  })

  for (const colorScheme of ['light', 'dark'] as const) {
    t.test(`the texts can be read in ${colorScheme} colours`, async (t) => {
      network.pages = ['lighthouses', 'ports']
      const { page, open, arrive } = await newPage({ colorScheme })
      await open((await begin()).url, 'Allow')
      await arrive('Choose your accounts')
      const background = colorScheme === 'dark' ? '#121212' : '#ffffff'
      for (const name of ['h1', 'legend', 'label', 'small']) {
        const color = await page.locator(name).first().evaluate(styleOf, 'color')
        const contrast = contrastOf(color, background)
        // https://www.w3.org/TR/WCAG22/#contrast-minimum
        t.ok(contrast >= 4.5, `${name} ${color}: ${contrast}`)
      }
    })
  }
})

const styleOf = (element: unknown, property: string): string => {
  const { getComputedStyle } = globalThis as unknown as { getComputedStyle(e: unknown): Record<string, string> }
  return getComputedStyle(element)[property]!
}

/** https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio */
function contrastOf(...colors: [string, string]): number {
  const [dark, light] = colors.map(luminanceOf).sort((a, b) => a - b)
  return (light! + 0.05) / (dark! + 0.05)
}

/** https://www.w3.org/TR/WCAG22/#dfn-relative-luminance, of `rgb(1, 2, 3)` or `#010203`. */
function luminanceOf(color: string): number {
  const hex = /^#(..)(..)(..)$/.exec(color)?.slice(1)
  const channels = hex ? hex.map((text) => Number.parseInt(text, 16)) : color.match(/\d+/g)!.map(Number)
  const [red, green, blue] = channels.map((value) => {
    const share = value / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!
}
