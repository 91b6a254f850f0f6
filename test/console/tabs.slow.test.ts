import type { Page } from 'playwright-core'
import t from 'tap'
import { needsBrowser } from '../helpers/browser.ts'
import { createScene } from './scene.ts'

/** Opens an address in a new tab, as a link does that is clicked with a key held down: it gets no opener. */
async function openTab(page: Page, address: string): Promise<Page> {
  const opened = page.context().waitForEvent('page')
  await page.evaluate(`window.open(${JSON.stringify(address)}, '_blank', 'noopener')`)
  return opened
}

t.test('a link opens in a new tab with the key of the other tabs, until they have several', needsBrowser, async (t) => {
  const { ada, user, accountIds, origin, open } = await createScene(t)
  const { id } = (await ada.call('POST', '/posts', { accountIds, caption: 'The lamp is lit.' })).body
  const { page, problems } = await open()
  const address = `${origin}/console#/posts/${id}`
  const tab = await openTab(page, address)
  await tab.getByRole('heading', { name: 'Draft', exact: true }).waitFor()
  t.equal(await tab.evaluate('Object.keys(localStorage).length'), 0, 'no key is kept in the browser')

  await tab.getByRole('button', { name: 'Sign out' }).click()
  const form = tab.getByLabel('API key')
  await form.waitFor()
  t.equal(await tab.evaluate('JSON.stringify({ ...sessionStorage, ...localStorage })'), '{}')
  await tab.reload()
  await form.waitFor()
  t.equal(await page.getByLabel('API key').count(), 0, 'another tab stays signed in')

  const bob = await user('Bob')
  await form.fill(bob.key)
  await tab.getByRole('button', { name: 'Open' }).click()
  await tab.getByRole('navigation').waitFor()
  const third = await openTab(page, address)
  await third.getByLabel('API key').waitFor()
  t.strictSame(
    problems().filter((problem) => !problem.includes('status of 404')),
    [],
  )
})
