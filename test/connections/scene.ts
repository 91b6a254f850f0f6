import type { Test } from 'tap'
import { createWorld, findCredentials, type Options } from '../helpers/app.ts'
import { type Consent, connectByOAuth, createBrowser, redirectBack, repeating } from '../helpers/connect-oauth.ts'
import { recordSecrets } from '../helpers/log-record.ts'
import { oauthNetwork, scriptedOAuth } from '../helpers/scripted-oauth.ts'

export const APP = { clientId: 'client-of-x', clientSecret: 'the-secret-of-the-app' }

/** The service with a scripted network `x`, whose accounts are connected by OAuth, and its log. */
export async function createConnectionWorld(t: Test, options: Options = {}) {
  recordSecrets('credentials', APP.clientSecret)
  const oauth = scriptedOAuth()
  const log: string[] = []
  const world = await createWorld(t, {
    networks: { x: oauthNetwork(oauth) },
    oauthApps: { x: APP },
    returnUrls: ['https://app.example.com/accounts'],
    logger: { level: 'trace', stream: { write: (line: string) => void log.push(line) } },
    ...options,
  })
  const { app, db, keyring } = world
  const user = async (name?: string) => repeating(await world.user(name))
  const ada = await user('ada')
  const create = (body: object = {}) => ada.call('POST', '/connections', { platform: 'x', ...body })
  const read = async (id: string) => (await ada.call('GET', `/connections/${id}`)).body
  return {
    ...world,
    user,
    ada,
    oauth,
    log,
    create,
    read,
    connect: (body: object = {}, consent: Consent = redirectBack(), person = ada) =>
      connectByOAuth(app, person, { platform: 'x', ...body }, consent),
    /**
     * Begins a connection and opens its link. Returns its id, the browser, and the address that the network leads back
     * to.
     */
    async open(body: object = {}, consent: Consent = redirectBack()) {
      const created = await create(body)
      const browser = createBrowser(app)
      const page = await browser.get(created.body.url)
      return { id: created.body.id as string, page, browser, callback: String(await consent(new URL(page.location!))) }
    },
    accounts: async () => (await ada.call('GET', '/accounts')).body.data,
    async credentials(accountId: string) {
      const row = await findCredentials(db, accountId)
      return row && keyring.open(accountId, row)
    },
  }
}
