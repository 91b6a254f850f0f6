import t from 'tap'
import { untilMidnightPacificMs } from '../../src/platforms/youtube/client.ts'
import { readAllEvents } from '../helpers/events.ts'
import { createNetworkWorld } from '../helpers/network-world.ts'
import { withoutMetadata } from '../helpers/without-metadata.ts'
import { broken, reset } from '../networks/fakes/network.ts'
import { errorReply, uploadsUsedUp } from '../networks/fakes/youtube-replies.ts'

const MINUTE = 60_000
const UPLOADS = '/upload/youtube/v3/videos'
const COMMENTS = 'POST /youtube/v3/commentThreads'
const ITEMS = 'POST /youtube/v3/playlistItems'
const THUMBNAILS = 'POST /upload/youtube/v3/thumbnails/set'

const FILM = await withoutMetadata('test/samples/slow.mp4', 'video/mp4')
const FIELDS = { thumbnailUrl: 'https://images.example/dusk.png', playlistId: 'PLlighthouses1' }

/** A world with a channel, and a post with a first comment, a thumbnail and a playlist. */
async function start(t: Parameters<typeof createNetworkWorld>[0]) {
  const world = await createNetworkWorld(t)
  const { youtube, connect, uploadFile, post } = world
  const account = await connect('youtube')
  youtube.images.set('/dusk.png', { type: 'image/png', bytes: Buffer.from('PNG') })
  const create = async (more: object = {}) =>
    post({
      accountIds: [account],
      postType: 'video',
      caption: 'Dusk',
      firstComment: 'First!',
      mediaIds: [await uploadFile(FILM)],
      accountOverrides: [{ accountId: account, fields: FIELDS }],
      ...more,
    })
  /** Works whenever the delivery is due, until it is settled. */
  const settle = async (id: string) => {
    for (let attempts = 0; attempts < 20; attempts++) {
      const delivery = await world.readDelivery(id)
      if (delivery.state !== 'queued') return delivery
      await world.work(Math.max(0, Date.parse(delivery.nextAttemptAt!) - world.time.now.getTime()))
    }
    throw new Error('the delivery is not settled after 20 attempts')
  }
  return { ...world, account, create, settle }
}

t.test('YouTube: a comment, a thumbnail and a playlist follow the video when it is processed', async (t) => {
  const { create, work, readDelivery, readStatus, youtube, account, retry } = await start(t)
  youtube.switches.processing = 2
  const id = await create()
  await work()
  await work(1_000)
  t.equal(youtube.videos.length, 1)
  for (let looks = 0; looks < 2; looks++) {
    t.hasStrict(await readDelivery(id), { state: 'queued', error: null }, 'no worker waits')
    t.equal(await readStatus(id), 'published')
    t.same(youtube.comments, [])
    await work(MINUTE)
  }
  const [video] = youtube.videos
  const delivery = await readDelivery(id)
  const externalUrl = `https://www.youtube.com/watch?v=${video!.id}`
  t.hasStrict(delivery, { state: 'published', error: null, externalId: video!.id, externalUrl })
  t.strictSame(
    delivery.acts.map(({ externalId }) => externalId),
    [video!.id, youtube.comments[0]!.id, video!.id, youtube.items[0]!.id],
  )
  t.ok(video!.content.equals(FILM))
  t.equal(video!.thumbnail?.bytes.toString(), 'PNG')
  t.equal((await retry(id, account)).status, 409, 'nothing is left to retry')
})

t.test('YouTube: what fails after the video loses nothing, is told, and is sent by a retry', async (t) => {
  const refusals = [
    [COMMENTS, errorReply(403, 'commentsDisabled', 'No comments.')],
    [THUMBNAILS, errorReply(403, 'forbidden', 'No thumbnails.')],
    [ITEMS, errorReply(403, 'playlistItemsNotAccessible', 'No items.')],
  ] as const
  const { db, ada, create, settle, readDelivery, readStatus, youtube, account, retry } = await start(t)
  // Each alone, each pair, and all.
  for (let mask = 1; mask < 8; mask++) {
    const refused = refusals.filter((_, index) => mask & (1 << index))
    for (const [on, instead] of refused) youtube.faults.push({ on, instead })
    const id = await create()
    const delivery = await settle(id)
    const name = refused.map(([on]) => on).join(', ')
    const video = youtube.videos.at(-1)
    t.hasStrict(delivery, { state: 'published', externalId: video!.id }, name)
    t.equal(delivery.error?.code, 'content_refused', name)
    t.equal(delivery.acts.length, 4 - refused.length, `${name}: acts`)
    const words = delivery.history.flatMap(({ error }) => error?.message ?? [])
    const expected = refused.map(([, { body }]) => (body as { error: { message: string } }).error.message)
    t.match(
      words,
      expected.map((message) => new RegExp(`^youtube\\.com: ${message}`)),
      `${name}: each is told`,
    )
    t.equal(words.length, expected.length)
    t.equal(await readStatus(id), 'published')
    const [failed] = await readAllEvents(db, ada, `&types=delivery.failed&postId=${id}`)
    t.match(
      failed,
      { data: { state: 'published', acts: 4 - refused.length, error: { code: 'content_refused' } } },
      name,
    )

    t.equal((await retry(id, account)).status, 202, name)
    t.hasStrict(await settle(id), { state: 'published', error: null, externalId: video!.id }, `${name}, retried`)
    t.equal((await readDelivery(id)).acts.length, 4)
    const { videos, comments, items } = youtube
    t.strictSame([videos.length, comments.length, items.length], [mask, mask, mask], `${name}: once`)
    t.equal(video!.thumbnail?.bytes.toString(), 'PNG')
  }
})

t.test('YouTube: a lost response to the last byte, to a thumbnail or to a playlist doubles nothing', async (t) => {
  for (const isSent of [true, false]) {
    const { create, settle, youtube } = await start(t)
    const id = await create()
    for (const on of [THUMBNAILS, ITEMS]) youtube.faults.push({ on, after: isSent, instead: broken(200) })
    youtube.faults.push({ on: `PUT ${UPLOADS}`, instead: { status: 308 } })
    youtube.faults.push({ on: `PUT ${UPLOADS}`, after: isSent, instead: reset })
    const { state, error } = await settle(id)
    t.strictSame([youtube.videos.length, youtube.comments.length], [1, 1])
    t.equal(youtube.items.length, isSent ? 1 : 0, 'a playlist that may have the video does not get it again')
    t.equal(state, isSent ? 'published' : 'unconfirmed', `${error?.message}`)
  }
})

t.test('YouTube: what follows an unconfirmed comment is sent by a retry, once its owner has resolved it', async (t) => {
  const { create, settle, readDelivery, youtube, account, resolve, retry } = await start(t)
  youtube.faults.push({ on: COMMENTS, instead: reset })
  const id = await create()
  t.hasStrict(await settle(id), { state: 'unconfirmed', externalId: youtube.videos[0]!.id })
  t.equal((await resolve(id, account, { outcome: 'published' })).status, 200)
  t.hasStrict(await readDelivery(id), { state: 'published', error: { code: 'not_published', retryable: true } })
  t.equal((await retry(id, account)).status, 202)
  t.hasStrict(await settle(id), { state: 'published', error: null })
  t.strictSame([youtube.videos.length, youtube.comments.length, youtube.items.length], [1, 0, 1])
  t.equal(youtube.videos[0]!.thumbnail?.bytes.toString(), 'PNG')
})

t.test('YouTube: a quota that is used up rests the account until it is renewed', async (t) => {
  const { create, work, readDelivery, youtube, time } = await start(t)
  youtube.faults.push({ on: `POST ${UPLOADS}`, instead: uploadsUsedUp() })
  const id = await create()
  await work()
  const { nextAttemptAt, ...delivery } = await readDelivery(id)
  t.match(delivery, { state: 'queued', error: { code: 'rate_limited', message: /operator can apply for more/ } })
  const restsMs = Date.parse(nextAttemptAt!) - time.now.getTime()
  t.ok(Math.abs(restsMs - untilMidnightPacificMs(new Date())) < MINUTE, `${restsMs}`)
})
