import type { Test } from 'tap'
import { mastodonAdapter } from '../../src/platforms/mastodon/adapter.ts'
import { connectByOAuth, repeating } from '../helpers/connect-oauth.ts'
import { recordSecrets } from '../helpers/log-record.ts'
import { createDeliveryWorld } from '../helpers/publisher.ts'
import { startMastodon } from '../networks/fakes/mastodon.ts'

export const HOST = 'mastodon.example'

/** The service, and an instance of Mastodon whose user consents. */
export async function createMastodonWorld(t: Test) {
  const mastodon = await startMastodon(t)
  const world = await createDeliveryWorld(t, { mastodon: mastodonAdapter }, { fetch: mastodon.fetch })
  const { app, db } = world
  const user = async (name: string) => repeating(await world.user(name))
  const ada = repeating(world.ada)
  const consent = (page: URL) => {
    recordSecrets('credentials', ...mastodon.login.apps.map(({ clientSecret }) => clientSecret))
    return mastodon.login.consent(page)
  }
  return {
    ...world,
    user,
    ada,
    mastodon,
    consent,
    connect: (body: object = { hint: HOST }) => connectByOAuth(app, ada, { platform: 'mastodon', ...body }, consent),
    begin: (body: object, person = ada) => person.call('POST', '/connections', { platform: 'mastodon', ...body }),
    apps: () => db.selectFrom('oauthApps').selectAll().orderBy('id').execute(),
    accounts: async () => (await ada.call('GET', '/accounts')).body.data,
  }
}
