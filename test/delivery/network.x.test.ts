import t from 'tap'
import { timeline } from '../../src/platforms/x/limits.ts'
import { callsOf, createNetworkWorld, VIDEO } from '../helpers/network-world.ts'
import { jpeg } from '../helpers/upload.ts'
import { reset } from '../networks/fakes/network.ts'

const SECOND = 1_000
const MINUTE = 60_000
const CREATE = 'POST /2/tweets'

t.test('X: a text is published with its fields, and the delivery has its address', async (t) => {
  const { connect, post, work, readDelivery, readStatus, x } = await createNetworkWorld(t)
  const account = await connect('x')
  const fields = { replySettings: 'following', madeWithAi: true }
  const accountOverrides = [{ accountId: account, captionOverride: 'Thar she blows & <breathes>', fields }]
  const id = await post({ accountIds: [account], caption: 'Not this', accountOverrides })
  await work()
  t.strictSame(
    x.posts.map(({ body }) => body),
    [{ text: 'Thar she blows & <breathes>', reply_settings: 'following', made_with_ai: true }],
  )
  const externalId = x.posts[0]!.id
  const externalUrl = `https://x.com/ada_l/status/${externalId}`
  t.hasStrict(await readDelivery(id), { state: 'published', attempts: 1, externalId, externalUrl, error: null })
  t.equal(await readStatus(id), 'published')
})

t.test('X: files are uploaded first, and the post follows when they are processed', async (t) => {
  const { connect, uploadFile, post, work, readDelivery, x } = await createNetworkWorld(t)
  const account = await connect('x')
  const images = [await jpeg(40, 30, 1), await jpeg(30, 40, 2)]
  const mediaIds = [await uploadFile(images[0]!, 'A lighthouse at dusk'), await uploadFile(images[1]!)]
  await post({ accountIds: [account], caption: 'Two', mediaIds })
  await work()
  t.strictSame(
    callsOf(x, 'POST /2/media/upload').map(({ files }) => files[0]!.bytes),
    images,
  )
  t.strictSame(
    x.posts[0]!.media.map((id) => x.media.find(id).altText),
    ['A lighthouse at dusk', null],
  )

  x.media.switches.processing = 3
  const film = await post({ accountIds: [account], postType: 'video', mediaIds: [await uploadFile(VIDEO)] })
  await work()
  for (let looks = 0; looks < 3; looks++) {
    t.hasStrict(await readDelivery(film), { state: 'queued', attempts: 0, error: null }, 'X is still processing it')
    await work(2 * SECOND)
  }
  t.hasStrict(await readDelivery(film), { state: 'published', attempts: 1 })
  t.strictSame(
    callsOf(x, 'append').map(({ files }) => files[0]!.bytes),
    [VIDEO],
    'the file was uploaded once',
  )

  x.media.switches.processing = 'Unsupported video codec'
  const bad = await post({ accountIds: [account], postType: 'video', mediaIds: [await uploadFile(VIDEO)] })
  await work()
  await work(2 * SECOND)
  const message = 'api.x.com could not process the file: Unsupported video codec'
  t.hasStrict(await readDelivery(bad), { state: 'failed', error: { code: 'content_refused', message } })
  t.equal(x.posts.length, 2)
})

t.test('X: files that X no longer knows are uploaded anew, files that are not ready are sent again', async (t) => {
  const { connect, uploadFile, post, work, readDelivery, x } = await createNetworkWorld(t)
  const account = await connect('x')
  const body = { errors: [{ message: 'Your media IDs are invalid.' }], title: 'Invalid Request' }
  const refusal = { on: CREATE, instead: { status: 400, body } }
  const uploads = () => callsOf(x, 'POST /2/media/upload').length
  x.faults.push(refusal)
  const soon = await post({
    accountIds: [account],
    caption: 'One',
    mediaIds: [await uploadFile(await jpeg(40, 30, 1))],
  })
  await work()
  t.hasStrict(await readDelivery(soon), { state: 'published', attempts: 1 })
  t.equal(uploads(), 1)

  x.faults.push(refusal, refusal)
  const lost = await post({
    accountIds: [account],
    caption: 'Two',
    mediaIds: [await uploadFile(await jpeg(40, 30, 2))],
  })
  await work()
  const error = { code: 'server_error', message: 'api.x.com: Your media IDs are invalid.', retryable: true }
  t.hasStrict(await readDelivery(lost), { state: 'queued', error })
  t.equal(uploads(), 2)
  await work(MINUTE)
  t.hasStrict(await readDelivery(lost), { state: 'published', attempts: 2, error: null })
  t.equal(uploads(), 3, 'uploaded again')
  t.equal(x.posts.length, 2)
})

t.test('X: a large video goes on where its progress was stored', async (t) => {
  const { connect, uploadFile, post, work, readDelivery, x } = await createNetworkWorld(t)
  const account = await connect('x')
  x.media.switches.processing = 0
  // A box that players skip.
  const padding = Buffer.alloc(19 * 2 ** 20)
  padding.writeUInt32BE(padding.length)
  padding.write('free', 4)
  const film = Buffer.concat([VIDEO, padding])
  const id = await post({ accountIds: [account], postType: 'video', mediaIds: [await uploadFile(film)] })
  await work()
  const [upload] = [...x.media.uploads.values()]
  t.equal(upload!.chunks.length, 8, '16 MB, then the worker is given back')
  t.hasStrict(await readDelivery(id), { state: 'queued', attempts: 0, error: null })
  x.faults.push({ on: `POST /2/media/upload/${upload!.id}/append`, instead: { status: 503 } })
  await work(SECOND)
  t.hasStrict(await readDelivery(id), { state: 'queued', error: { code: 'server_error' } })
  await work(MINUTE)
  t.hasStrict(await readDelivery(id), { state: 'published', externalId: x.posts[0]!.id })
  t.ok(Buffer.concat(upload!.chunks).equals(film))
  t.strictSame(
    callsOf(x, 'append').map(({ body }) => Number((body as { segment_index: string }).segment_index)),
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 8, 9],
    'only the chunk that was refused is sent again',
  )
  t.equal(x.media.uploads.size, 1)
})

t.test('X: the parts of a thread and its comment reply to each other, also after a lost response', async (t) => {
  const { connect, post, work, readDelivery, x } = await createNetworkWorld(t)
  const account = await connect('x')
  const threadParts = { [account]: ['one', 'two https://example.com/a?b&c', 'three'] }
  x.faults.push({ on: CREATE, after: true, instead: reset })
  const id = await post({ accountIds: [account], postType: 'thread', threadParts, firstComment: 'and a comment' })
  await work()
  t.hasStrict(await readDelivery(id), { state: 'queued', acts: [], error: { code: 'disconnected' } })
  x.faults.push({ on: CREATE, after: true, instead: { status: 503 } })
  await work(MINUTE)
  t.hasStrict(await readDelivery(id), { state: 'queued', acts: [{}], error: { code: 'server_error' } })
  await work(MINUTE)
  const [comment, three, two, one] = x.posts
  t.strictSame(
    [one, two, three, comment].map((each) => each?.sent),
    ['one', 'two https://example.com/a?b&c', 'three', 'and a comment'],
  )
  t.strictSame(
    [two, three, comment].map((each) => each?.referenced_tweets[0]?.id),
    [one?.id, two?.id, three?.id],
  )
  const acts = [one, two, three, comment].map((each) => ({ externalId: each!.id }))
  t.hasStrict(await readDelivery(id), { state: 'published', acts })
  t.equal(x.posts.length, 4)
})

t.test('X: a retry that X refuses as a duplicate finds the post of the first attempt', async (t) => {
  const { connect, post, work, readDelivery, resolve, retry, endFlights, x } = await createNetworkWorld(t)
  const account = await connect('x')
  const showsAfterMs = timeline.pausesMs.reduce((sum, pause) => sum + pause, 10 * MINUTE)
  x.switches.showsAfterMs = showsAfterMs
  x.faults.push({ on: CREATE, after: true, instead: reset })
  const id = await post({ accountIds: [account], caption: 'there after all' })
  await work()
  for (const pause of [31 * SECOND, ...timeline.pausesMs]) await work(pause)
  t.equal((await readDelivery(id)).state, 'unconfirmed')
  await endFlights()
  await resolve(id, account, { outcome: 'not_published' })
  await retry(id, account)
  await work(showsAfterMs)
  t.hasStrict(await readDelivery(id), { state: 'published', externalId: x.posts[0]!.id, error: null })
  t.equal(callsOf(x, CREATE).length, 2)
  t.equal(x.posts.length, 1)
})

t.test('X: a post with the text of another post is refused, and does not take its id', async (t) => {
  const { connect, post, work, readDelivery, x } = await createNetworkWorld(t)
  const account = await connect('x')
  const first = await post({ accountIds: [account], caption: 'twice' })
  await work()
  const later = await post({ accountIds: [account], caption: 'twice' })
  await work(SECOND)
  t.hasStrict(await readDelivery(later), { state: 'failed', error: { code: 'content_refused' } })
  t.hasStrict(await readDelivery(first), { state: 'published', externalId: x.posts[0]!.id })
  t.equal(x.posts.length, 1)
})
