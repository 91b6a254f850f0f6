import t, { type Test } from 'tap'
import { renewFacts } from '../../src/features/accounts/renew-facts.ts'
import { settle } from '../helpers/network-scene.ts'
import { createNetworkWorld, VIDEO } from '../helpers/network-world.ts'
import { jpeg } from '../helpers/upload.ts'

const MB = 1_000_000

/** An account on a server that accepts files of at most this size. */
async function createServerWorld(t: Test, bytesMax: number, isStated = true) {
  const world = await createNetworkWorld(t)
  const { ada, bluesky, db, time, app, keyring, networks } = world
  bluesky.blobs = { bytesMax, isStated }
  const account = await world.connect('bluesky')
  const validate = async (mediaIds: string[]) => {
    const post = { accountIds: [account], scheduledAt: '2100-01-01T00:00:00Z', mediaIds }
    const { violations, warnings } = (await ada.call('POST', '/posts/validate', post)).body
    return [...violations, ...warnings].map(({ message }: { message: string }) => message.replace(/^.*?: /, ''))
  }
  const limits = async () => (await ada.call('GET', `/accounts/${account}/limits`)).body
  const deps = { db, networks, keyring, fetch: world.fetch, log: app.log, clock: () => time.now }
  return { ...world, account, validate, limits, renew: () => renewFacts(deps, new AbortController().signal) }
}

const source = { url: 'https://bsky.social/xrpc/com.atproto.server.describeServer' }

t.test('files are checked against what the server of the account accepts', async (t) => {
  const { ada, validate, limits } = await createServerWorld(t, MB)
  const image = await ada.media({ kind: 'image', bytes: 1.5 * MB })
  t.strictSame(await validate([image]), [
    `media ${image} is 1500000 bytes large, at most 1000000 are allowed on bsky.social (PDS)`,
  ])
  const video = await ada.media({ kind: 'video', mimeType: 'video/mp4', bytes: 5 * MB })
  t.strictSame(await validate([video]), [
    `media ${video} is 5000000 bytes large: after its conversion, at most 1000000 are allowed on bsky.social (PDS)`,
  ])
  const { server, postTypes } = await limits()
  t.strictSame(server, { host: 'bsky.social', software: 'PDS', version: '' })
  for (const type of ['post', 'carousel', 'thread']) {
    const files = postTypes[type].media.files as { kind: string }[]
    t.hasStrict(
      files.find(({ kind }) => kind === 'image'),
      { bytesMax: MB, source },
      type,
    )
  }
  t.hasStrict(postTypes.video.media.files, [{ kind: 'video', bytesMax: 300 * MB, convertedBytesMax: MB }])
})

t.test('a server that accepts more than Bluesky shows, or does not say, has the limits of the network', async (t) => {
  for (const isStated of [true, false]) {
    const { ada, validate } = await createServerWorld(t, 400 * MB, isStated)
    const [image, video] = await Promise.all([
      ada.media({ kind: 'image', bytes: 2 * MB }),
      ada.media({ kind: 'video', mimeType: 'video/mp4', bytes: 300 * MB }),
    ])
    t.strictSame([...(await validate([image])), ...(await validate([video]))], [])
  }
})

t.test('a worker reads the limit again after a day', async (t) => {
  const { bluesky, ada, account, validate, renew, advance, db } = await createServerWorld(t, MB)
  const image = await ada.media({ kind: 'image', bytes: 1.5 * MB })
  bluesky.blobs.bytesMax = 100 * MB
  t.equal(await renew(), 0)
  advance(25 * 3_600_000)
  t.equal(await renew(), 1)
  t.strictSame(await validate([image]), [])
  // Facts of a later version.
  await db.updateTable('accounts').set({ facts: '{"blobBytesMax":1}' }).where('id', '=', account).execute()
  t.strictSame(await validate([image]), [])
})

t.test('a file that the server refuses is no problem of the account', async (t) => {
  const world = await createServerWorld(t, 100, false)
  const image = await world.uploadFile(await jpeg())
  const refused = await settle(world, await world.post({ accountIds: [world.account], mediaIds: [image] }))
  t.match(refused, { state: 'failed', error: { code: 'content_refused', message: /request entity too large/ } })
  t.equal((await world.readAccount(world.account)).attention, undefined)
  world.bluesky.blobs.bytesMax = 1_000_000
  const video = await world.uploadFile(VIDEO)
  const published = await settle(world, await world.post({ accountIds: [world.account], mediaIds: [video] }))
  t.equal(published.state, 'published', JSON.stringify(published.error))
})
