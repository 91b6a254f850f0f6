import t from 'tap'
import { youtubeOAuth } from '../../src/platforms/youtube/connect.ts'
import { ioOf, rejection } from '../helpers/adapter-calls.ts'
import type { Teardown } from '../helpers/database.ts'
import { FORCE_SSL, startYoutube } from '../networks/fakes/youtube.ts'

async function start(t: Teardown) {
  const fake = await startYoutube(t)
  const { clientId, clientSecret, redirectUris } = fake.google.app
  const authorization = { app: { clientId, clientSecret }, redirectUri: redirectUris[0]!, hint: null }
  const connect = async (granted?: readonly string[]) => {
    const { url, kept } = await youtubeOAuth.begin({ ...authorization, state: 'st4te' }, ioOf(fake))
    const callback = fake.google.consent(url, granted && { granted }).searchParams
    return youtubeOAuth.finish({ ...authorization, callback, kept: JSON.parse(JSON.stringify(kept)) }, ioOf(fake))
  }
  return { fake, connect }
}

t.test('a consent connects the channel that the user chose', async (t) => {
  const { fake, connect } = await start(t)
  const { id: externalId, title: displayName, customUrl: username } = fake.channel
  const { clientId } = fake.google.app
  const [account, ...others] = await connect()
  t.equal(others.length, 0)
  t.match(account, {
    kind: 'channel',
    profile: { externalId, username, displayName, limitKey: `youtube app ${clientId}` },
    tokens: { scopes: [FORCE_SSL], credentials: { channelId: externalId, clientId, refreshToken: /^1\/\// } },
  })
})

t.test('a Google account without a channel is told to make one', async (t) => {
  const { fake, connect } = await start(t)
  fake.channel.exists = false
  t.match(await rejection(connect()), { code: 'unauthorized', message: /no YouTube channel: create one/ })
})
