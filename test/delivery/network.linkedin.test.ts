import t from 'tap'
import { callsOf, createNetworkWorld } from '../helpers/network-world.ts'
import { jpeg } from '../helpers/upload.ts'
import { withoutMetadata } from '../helpers/without-metadata.ts'
import { throttled } from '../networks/fakes/linkedin.ts'
import { reset } from '../networks/fakes/network.ts'

const SECOND = 1_000
const MINUTE = 60_000

const on = 'POST /rest/posts'

/** A video of 3 seconds and 75 KB at least, as LinkedIn requires: with a box that players skip. */
const PADDING = Buffer.alloc(80_000)
PADDING.writeUInt32BE(PADDING.length)
PADDING.write('free', 4)
const FILM = Buffer.concat([await withoutMetadata('test/samples/slow.mp4', 'video/mp4'), PADDING])

/** A world whose LinkedIn account is an organization or a member. */
async function start(t: Parameters<typeof createNetworkWorld>[0], author: 'organization' | 'member' = 'organization') {
  const world = await createNetworkWorld(t)
  const credentials = world.linkedin[author]
  return { ...world, account: await world.ada.account('linkedin', { username: author, credentials }) }
}

t.test('LinkedIn: a text is published with its fields and first comment', async (t) => {
  const { account, post, work, readDelivery, readStatus, linkedin } = await start(t)
  const fields = { visibility: 'LOGGED_IN', link: 'https://example.com', linkTitle: 'Example' }
  const id = await post({
    accountIds: [account],
    caption: 'Whales (and more) #sea',
    firstComment: 'and a comment',
    accountOverrides: [{ accountId: account, fields }],
  })
  linkedin.commentRefusals = 1
  await work()
  t.hasStrict(await readDelivery(id), { state: 'queued', error: { retryable: true } }, 'the comment is too early')
  await work(MINUTE)
  const [shown] = linkedin.posts
  t.hasStrict(shown, { text: 'Whales (and more) #sea', visibility: 'LOGGED_IN' })
  t.match(shown?.content, { article: { title: 'Example' } })
  t.match(linkedin.comments, [{ text: 'and a comment', object: shown!.id }])
  t.hasStrict(await readDelivery(id), {
    state: 'published',
    externalId: shown!.id,
    externalUrl: `https://www.linkedin.com/feed/update/${shown!.id}/`,
    error: null,
  })
  t.equal(await readStatus(id), 'published')
})

t.test('LinkedIn: a file that LinkedIn does not know is uploaded again', async (t) => {
  const { account, uploadFile, post, work, readDelivery, linkedin } = await start(t)
  const id = await post({ accountIds: [account], caption: 'One', mediaIds: [await uploadFile(await jpeg(40, 30, 1))] })
  const errorDetails = { inputErrors: [{ code: 'INVALID_IMAGE_ID', description: 'Cannot find the media' }] }
  linkedin.faults.push({ on, instead: { status: 400, body: { message: 'Invalid image', status: 400, errorDetails } } })
  await work()
  t.hasStrict(await readDelivery(id), { state: 'queued', error: { message: 'api.linkedin.com: Invalid image' } })
  t.equal(linkedin.assets.size, 1)
  await work(MINUTE)
  t.hasStrict(await readDelivery(id), { state: 'published', attempts: 2, error: null })
  t.equal(linkedin.assets.size, 2)
  t.equal(linkedin.posts.length, 1)
})

t.test('LinkedIn: images and videos are uploaded first, and the worker does not wait for them', async (t) => {
  const { account, uploadFile, post, work, readDelivery, linkedin } = await start(t, 'member')
  const images = [await jpeg(40, 30, 1), await jpeg(30, 40, 2)]
  const mediaIds = [await uploadFile(images[0]!, 'A lighthouse'), await uploadFile(images[1]!)]
  const pictures = await post({ accountIds: [account], postType: 'carousel', caption: 'Two', mediaIds })
  await work()
  t.match(linkedin.posts[0]?.content, { multiImage: { images: [{ altText: 'A lighthouse' }, {}] } })
  t.same(
    [...linkedin.assets.values()].map(({ parts }) => parts[0]),
    images,
  )
  t.hasStrict(await readDelivery(pictures), { state: 'published', attempts: 1 })

  linkedin.processing = 2
  linkedin.partBytes = Math.ceil(FILM.length / 3)
  const film = await post({ accountIds: [account], postType: 'video', mediaIds: [await uploadFile(FILM)] })
  await work()
  for (let looks = 0; looks < 3; looks++) {
    t.hasStrict(await readDelivery(film), { state: 'queued', attempts: 0, error: null })
    await work(5 * SECOND)
  }
  t.hasStrict(await readDelivery(film), { state: 'published', attempts: 1 })
  const asset = [...linkedin.assets.values()].at(-1)
  t.equal(asset?.parts.length, 3)
  t.ok(Buffer.concat(asset?.parts as Buffer[]).equals(FILM))
})

t.test('LinkedIn: a lost post of an organization is found, or sent again where it is absent', async (t) => {
  const { account, post, work, readDelivery, linkedin } = await start(t)
  linkedin.listedAfterMs = MINUTE
  linkedin.faults.push({ on, after: true, instead: reset })
  const there = await post({ accountIds: [account], caption: 'there' })
  await work()
  await work(2 * MINUTE - SECOND)
  t.equal(callsOf(linkedin, 'GET /rest/posts').length, 0, 'a post may be listed late')
  await work(SECOND)
  t.hasStrict(await readDelivery(there), { state: 'published', externalId: linkedin.posts[0]?.id, error: null })

  linkedin.faults.push({ on, instead: { status: 504 } })
  const absent = await post({ accountIds: [account], caption: 'absent' })
  await work()
  await work(2 * MINUTE)
  t.hasStrict((await readDelivery(absent)).history, [{ outcome: 'absent' }, { outcome: 'published' }])

  linkedin.listedAfterMs = 5 * MINUTE
  linkedin.faults.push({ on, after: true, instead: { status: 500 } })
  const late = await post({ accountIds: [account], caption: 'late' })
  await work()
  await work(2 * MINUTE)
  t.hasStrict(await readDelivery(late), { state: 'published', externalId: linkedin.posts[0]?.id })
  t.hasStrict((await readDelivery(late)).history, [{ outcome: 'absent' }, { outcome: 'found' }], 'the copy is refused')
  t.same(
    linkedin.posts.map(({ text }) => text),
    ['late', 'absent', 'there'],
  )
})

t.test('LinkedIn: a lost post of a member is unconfirmed, and LinkedIn refuses to make it twice', async (t) => {
  const { account, post, work, readDelivery, retry, resolve, endFlights, linkedin } = await start(t, 'member')
  for (const after of [true, false]) {
    linkedin.posts.length = 0
    linkedin.faults.push({ on, after, instead: reset })
    const id = await post({ accountIds: [account], caption: 'perhaps' })
    await work()
    t.hasStrict(await readDelivery(id), { state: 'unconfirmed' })
    await work(MINUTE)
    t.equal(linkedin.posts.length, after ? 1 : 0)
    const retried = await retry(id, account)
    t.hasStrict(retried, { status: 409, headers: { 'x-error-code': 'delivery_unconfirmed' } })
    t.match(retried.body.error, 'call resolve')
    t.hasStrict(await readDelivery(id), { state: 'unconfirmed' })
    await endFlights()
    await resolve(id, account, { outcome: 'not_published' })
    await retry(id, account)
    await work()
    t.equal(linkedin.posts.length, 1)
    t.hasStrict(await readDelivery(id), { state: 'published', externalId: linkedin.posts[0]?.id })
    t.equal((await readDelivery(id)).history.at(-1)?.outcome, after ? 'found' : 'published')
  }
  t.equal(callsOf(linkedin, 'GET /rest/posts').length, 0)
})

t.test('LinkedIn: the accounts of one member rest together', async (t) => {
  const { ada, db, account, post, work, readDelivery, linkedin } = await start(t)
  const own = await ada.account('linkedin', { username: 'alice', credentials: linkedin.member })
  const limitKey = `linkedin:${linkedin.member.member}`
  await db.updateTable('accounts').set({ limitKey }).where('platform', '=', 'linkedin').execute()
  linkedin.faults.push({
    on,
    instead: throttled('Resource level throttle limit for calls to this resource is reached.'),
  })
  const first = await post({ accountIds: [account], caption: 'first' })
  await work()
  t.hasStrict(await readDelivery(first), { state: 'queued', error: { code: 'rate_limited' } })
  const calls = linkedin.calls.length
  await post({ accountIds: [own], caption: 'second' })
  await work()
  t.equal(linkedin.calls.length, calls, 'the member rests too')
  await work(60 * MINUTE)
  t.same(linkedin.posts.map(({ text }) => text).sort(), ['first', 'second'])
})
