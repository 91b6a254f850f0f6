import t from 'tap'
import { PAGE_POLICY } from '../../src/base/http/html.ts'
import { needsBrowser } from '../helpers/browser.ts'
import { withTableLocked } from '../helpers/service.ts'
import { reset } from '../networks/fakes/network.ts'
import { createServedWorld } from './served-scene.ts'

/** A request waits for the database as long as in production. */
const LIMIT = { databaseMs: undefined }

t.test('a connection goes on after an outage', needsBrowser, async (t) => {
  const { db, network, host, begin, read, newPage } = await createServedWorld(t, LIMIT)

  t.test('a link whose network cannot be reached can be opened again', async (t) => {
    const { id, url } = await begin()
    const { page, problems, hosts, open, arrive } = await newPage()
    network.faults.push({ on: 'POST /begin', instead: reset })
    const response = await page.goto(url)
    await arrive('The network cannot be reached')
    t.equal(response!.status(), 502)
    t.equal(response!.headers()['content-security-policy'], PAGE_POLICY)
    t.strictSame(hosts, new Set([host]))
    t.equal(await page.title(), 'The network cannot be reached – Postroom')
    t.equal(await page.getByRole('alert').textContent(), 'x: network.example did not respond: the connection was lost')
    t.match(await page.getByRole('main').innerText(), 'Open the link again in a while.')
    t.same(await page.context().cookies(), [], 'the browser is bound to nothing')
    t.equal((await read(id)).state, 'pending')
    await open(url, 'Allow')
    await arrive('Connected')
    t.same(
      problems().filter((problem) => !problem.includes('status of 502')),
      [],
    )
  })

  t.test('a link and a callback that the database cannot serve can be loaded again', async (t) => {
    const { id, url } = await begin()
    const { page, problems, arrive } = await newPage()
    /** Loads a page while no statement can read connections. */
    async function fail(load: () => Promise<unknown>) {
      await withTableLocked(db, 'connections', async () => {
        const response = page.waitForResponse((response) => response.status() === 503)
        await load()
        const { 'content-security-policy': policy } = (await response).headers()
        t.equal(policy, PAGE_POLICY)
        await page.getByRole('heading', { name: 'Please try again' }).waitFor()
        t.match(await page.getByRole('alert').textContent(), 'Load this page again in a moment.')
      })
    }
    await fail(() => page.goto(url))
    t.equal((await read(id)).state, 'pending')
    await page.reload()
    await arrive('Network')
    await fail(() => page.getByRole('link', { name: 'Allow' }).click())
    t.equal((await read(id)).state, 'opened', 'the state is not spent')
    await page.reload()
    await arrive('Connected')
    t.strictSame(problems(), [])
  })
})
