import type { Browser, Page } from 'playwright-core'
import type { Test } from 'tap'
import { claimNextRefresh, refreshTokens } from '../../src/engine/credentials/refresh.ts'
import { blueskyAdapter } from '../../src/platforms/bluesky/adapter.ts'
import type { Credentials } from '../../src/platforms/contract/io.ts'
import type { OAuthApp } from '../../src/platforms/contract/oauth.ts'
import { findCredentials } from '../helpers/app.ts'
import { recordSecretsOf } from '../helpers/log-record.ts'
import { createDeliveryWorld } from '../helpers/publisher.ts'
import { until } from '../helpers/until.ts'
import { PASSWORD, type Pds } from './pds.ts'

interface Options {
  pds: Pds
  browser: Browser
  /** The port of the service. */
  port: number
  app: OAuthApp
  publicUrl: string
}

/** Tokens live for an hour, and are refreshed after 80 % of it. */
const FIFTY_MINUTES = 3_000_000

/** On a busy machine, a refresh takes longer than a worker allows. */
const CALL_MAX_MS = 120_000

/** The service on a port, with a user and workers, and pages of a browser. */
export async function createOAuthWorld(t: Test, { pds, browser, port, app, publicUrl }: Options) {
  const revocations: number[] = []
  const recording: typeof fetch = async (input, init) => {
    const response = await pds.fetch(input, init)
    if (String(input).endsWith('/oauth/revoke')) revocations.push(response.status)
    return response
  }
  const world = await createDeliveryWorld(
    t,
    { bluesky: blueskyAdapter },
    { fetch: recording, publicUrl: () => publicUrl, oauthApps: { bluesky: app } },
  )
  await world.app.listen({ host: '127.0.0.1', port })
  const { ada, db, keyring, time } = world
  // On a busy machine, a request may exceed its time limit. Clients repeat it.
  const call = (...request: Parameters<typeof ada.call>) =>
    until('a response within the time limit', () => ada.call(...request), { isMet: ({ status }) => status !== 503 })

  async function readCredentials(accountId: string): Promise<Credentials> {
    const credentials = keyring.open(accountId, (await findCredentials(db, accountId))!)
    recordSecretsOf(credentials)
    return credentials
  }

  return {
    ...world,
    call,
    /** The statuses with which the server responded to revocations. */
    revocations,
    readCredentials,
    create: async (body: object) => (await call('POST', '/connections', { platform: 'bluesky', ...body })).body,
    readConnection: async (id: string) => (await call('GET', `/connections/${id}`)).body,
    /** A page in a new browser, without the cookies of others. */
    async openPage(url: string): Promise<Page> {
      const context = await browser.newContext()
      t.teardown(() => context.close())
      const page = await context.newPage()
      await page.goto(url)
      await passBusyPage(page)
      return page
    },
    /** Advances the time until a worker refreshes the tokens of the only account. Returns its credentials. */
    async refresh(accountId: string, client = app): Promise<Credentials> {
      time.now = new Date(time.now.getTime() + FIFTY_MINUTES)
      const outcomes: string[] = []
      const deps = {
        db,
        networks: world.networks,
        keyring,
        fetch: pds.fetch,
        log: world.app.log,
        oauthApps: { bluesky: client },
        clock: () => time.now,
        uptimeMs: () => performance.now(),
        pause: async () => {},
        callMaxMs: CALL_MAX_MS,
        report: ({ outcome }: { outcome: string }) => void outcomes.push(outcome),
      }
      const held = await claimNextRefresh(deps)
      if (held) await refreshTokens(deps, held)
      t.same(outcomes, ['refreshed'])
      return readCredentials(accountId)
    },
  }
}

/** Loads a page again whose request exceeded its time limit, as a person does. */
export async function passBusyPage(page: Page): Promise<void> {
  await until('a page that is not busy', async () => {
    const isBusy = (await page.title()).startsWith('Please try again')
    if (isBusy) await page.reload()
    return !isBusy
  })
}

/**
 * Signs in on the page of the server, as a person does. `username` where the page begins with the choice between
 * accounts.
 */
export async function signIn(page: Page, username?: string): Promise<void> {
  const button = page.getByRole('button', { name: 'Sign in', exact: true })
  if (username) {
    await button.click()
    await page.getByLabel('Username or Email').fill(username)
  }
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await button.click()
}

/** Consents. Returns the address that the server leads back to. */
export async function authorize(page: Page): Promise<string> {
  const callback = page.waitForRequest(/\/connect\/callback\?/)
  await page.getByRole('button', { name: 'Authorize' }).click()
  return (await callback).url()
}
