import t from 'tap'
import type { Act } from '../../src/platforms/contract/adapter.ts'
import { redditAdapter } from '../../src/platforms/reddit/adapter.ts'
import { actOf, clientOf, fileOf, ioOf, rejection } from '../helpers/adapter-calls.ts'
import type { Teardown } from '../helpers/database.ts'
import { reset } from '../networks/fakes/network.ts'
import { startReddit } from '../networks/fakes/reddit.ts'

const { send, reconcile } = clientOf(redditAdapter)

const SUBMIT = 'POST /api/submit'
const GALLERY = 'POST /api/submit_gallery_post.json'
const LINK = 'https://example.com/a?b=c&d'

async function start(t: Teardown) {
  const fake = await startReddit(t)
  const { credentials } = fake
  const io = ioOf(fake)
  return { fake, credentials, io, sent: () => sentOf(fake.posts[0]!) }
}

const sentOf = ({ name, permalink }: { name: string; permalink: string }) => ({
  id: name,
  url: `https://www.reddit.com${permalink}`,
})

const postOf = ({ fields, ...act }: Partial<Act> = {}) =>
  actOf({ ...act, fields: { subreddit: 'lighthouses', ...fields } })

const again = (afterMs: number) => ({ processing: { state: { looks: 1 }, afterMs } })

const UNUSED = { assets: [], uploadedAt: Date.now(), isAccepted: false, looks: 0 }

/** The list of a text or a comment is read a last time. */
const LAST = { ...UNUSED, looks: 1 }

/** The state that `prepare` returns when the files are uploaded. */
async function prepare(act: Act, io: Parameters<typeof redditAdapter.prepare>[1]) {
  const prepared = await redditAdapter.prepare(act, io, null)
  if (!('ready' in prepared)) throw new Error('small files are uploaded in one call')
  return prepared.ready
}

t.test('a text or a link whose response was lost is found by its subreddit, title and content', async (t) => {
  const { fake, credentials, io, sent } = await start(t)
  const acts = [
    postOf({ text: '  A   title\twith blanks \n\n body  & <b> \n\nof two paragraphs\n' }),
    postOf({ text: 'A title\nwith another text', fields: { subreddit: 'LightHouses' } }),
    postOf({ text: 'A link', fields: { link: LINK } }),
    postOf({ text: 'Only a title' }),
    postOf({ text: 'A title\u001fwith separators\u0085' }),
  ]
  for (const act of acts) {
    t.match(await reconcile(act, credentials, io), again(90_000))
    fake.faults.push({ on: SUBMIT, instead: reset, after: true })
    t.has(await rejection(send(act, credentials, io)), { maybeSent: true, code: 'disconnected' })
    t.strictSame(await reconcile(act, credentials, io), sent(), act.text)
  }
})

t.test('a text that the list does not show for two minutes is absent, and a similar one proves nothing', async (t) => {
  const { credentials, io } = await start(t)
  const act = postOf({ text: 'A title\nand a text' })
  await send(postOf({ text: 'A title\nand a text', fields: { subreddit: 'u_ada_l' } }), credentials, io).catch(() => {})
  t.match(await reconcile(act, credentials, io, UNUSED), again(90_000))
  t.equal(await reconcile(act, credentials, io, LAST), 'absent')
  await send(postOf({ text: 'A title\nand another text' }), credentials, io)
  t.match(await reconcile(act, credentials, io, UNUSED), again(90_000), 'it may show later')
  t.equal(await reconcile(act, credentials, io, LAST), 'unknown', 'Reddit may have changed the text')
  for (let count = 0; count < 2; count++) await send(act, credentials, io)
  t.equal(await reconcile(act, credentials, io, LAST), 'unknown', 'one of two may belong to another post')
  const later = { ...act, startedAt: new Date(Date.now() + 120_000) }
  t.equal(await reconcile(later, credentials, io, LAST), 'absent', 'older ones are others')
})

t.test('an account with more posts than a page since the attempt has to be looked at', async (t) => {
  const { fake, credentials, io } = await start(t)
  for (let count = 0; count < 4; count++) await send(postOf({ text: `Post ${count}` }), credentials, io)
  const act = postOf({ text: 'Another' })
  t.equal(await reconcile(act, credentials, io, LAST), 'absent')
  // Reddit leaves out some of the 100 that a page may have: only `after` says whether more follow.
  fake.switches.pageSizeMax = 3
  t.equal(await reconcile(act, credentials, io, LAST), 'unknown')
  t.equal(
    await reconcile({ ...act, kind: 'comment', parent: { id: 't3_1', url: null } }, credentials, io, LAST),
    'absent',
  )
  fake.posts[2]!.createdAt -= 120_000
  t.equal(await reconcile(act, credentials, io, LAST), 'absent', 'the next page has older ones')
})

t.test('Reddit’s clock decides which posts are older than the attempt', async (t) => {
  const { fake, credentials, io, sent } = await start(t)
  for (const aheadMs of [-600_000, 600_000]) {
    fake.switches.clockAheadMs = aheadMs
    const act = postOf({ text: `A title ${aheadMs}` })
    await send(act, credentials, io)
    t.strictSame(await reconcile(act, credentials, io), sent(), `${aheadMs}`)
    const later = { ...act, startedAt: new Date(Date.now() + 120_000) }
    t.equal(await reconcile(later, credentials, io, LAST), 'absent', `${aheadMs}`)
  }
})

t.test('a post that a filter has removed is found', async (t) => {
  const { fake, credentials, io, sent } = await start(t)
  fake.switches.isFiltered = true
  const act = postOf()
  await send(act, credentials, io)
  t.strictSame(await reconcile(act, credentials, io), sent())
})

t.test('a list that is not understood proves nothing', async (t) => {
  const { fake, credentials, io } = await start(t)
  const act = postOf({ text: 'A title' })
  const post = { name: 't3_1', subreddit: 'lighthouses', title: 'A title', selftext: '', is_self: true }
  const created = { created_utc: Date.now() / 1000 }
  const lists: [object | null, string][] = [
    [{ data: post }, 'without a time of creation'],
    [{ data: { ...post, created_utc: 'today' } }, 'with another time'],
    [null, 'without a post'],
    [{ data: { ...post, ...created, name: undefined } }, 'without a name'],
  ]
  const on = 'GET /user/ada_l/submitted'
  for (const [child, name] of lists) {
    fake.faults.push({ on, instead: { status: 200, body: { data: { after: null, children: [child] } } } })
    t.has(await rejection(reconcile(act, credentials, io, LAST)), { code: 'unexpected_answer', maybeSent: false }, name)
  }
  for (const name of ['1', `t3_${'1'.repeat(99)}`]) {
    const children = [{ data: { ...post, ...created, name } }]
    fake.faults.push({ on, instead: { status: 200, body: { data: { after: null, children } } } })
    t.equal(await reconcile(act, credentials, io, LAST), 'unknown', `named ${name}`)
  }
})

t.test('files whose response was lost are proof, whatever the text', async (t) => {
  const { fake, credentials, io, sent } = await start(t)
  const full = { ...io, credentials }
  const cases: [Act, string][] = [
    [postOf({ text: 'An image', media: [fileOf('image/jpeg')] }), SUBMIT],
    [postOf({ text: 'A film', media: [fileOf('video/mp4')] }), SUBMIT],
    [postOf({ text: 'A gallery', media: [fileOf('image/png'), fileOf('image/png')] }), GALLERY],
  ]
  for (const [act, on] of cases) {
    const ready = await prepare(act, full)
    t.match(await reconcile(act, credentials, io, ready), again(60_000))
    fake.faults.push({ on, instead: { status: 502, body: '<html>' }, after: true })
    t.has(await rejection(redditAdapter.publish(act, full, ready)), { maybeSent: true, code: 'server_error' })
    fake.posts[0]!.title = 'Changed by somebody'
    t.strictSame(await reconcile(act, credentials, io, ready), sent(), act.text)
    await send(act, credentials, io)
    t.strictSame(
      await reconcile(act, credentials, io, ready),
      sentOf(fake.posts[1]!),
      'not the same text with other files',
    )
  }
})

// https://github.com/Pyprohly/reddit-api-doc-notes/blob/main/docs/api-reference/submission.rst: `gallery_data` can be
// null.
t.test('a gallery that is listed without its items may be the one whose response was lost', async (t) => {
  const { fake, credentials, io, sent } = await start(t)
  const full = { ...io, credentials }
  const act = postOf({ media: [fileOf('image/png'), fileOf('image/png')] })
  const ready = await prepare(act, full)
  fake.faults.push({ on: GALLERY, instead: reset, after: true })
  await rejection(redditAdapter.publish(act, full, ready))
  fake.switches.hidesGalleryItems = true
  t.match(await reconcile(act, credentials, io, ready), again(60_000))
  t.equal(await reconcile(act, credentials, io, { ...ready, looks: 10 }), 'unknown')
  fake.switches.hidesGalleryItems = false
  t.strictSame(await reconcile(act, credentials, io, ready), sent())
})

t.test('files are found at any time of creation, and on a page before others', async (t) => {
  const { fake, credentials, io, sent } = await start(t)
  const full = { ...io, credentials }
  const act = postOf({ media: [fileOf('image/jpeg')] })
  const ready = await prepare(act, full)
  await redditAdapter.publish(act, full, ready)
  await send(postOf(), credentials, io)
  fake.posts.reverse()
  fake.switches.pageSizeMax = 1
  t.strictSame(await reconcile(act, credentials, io, ready), sent())
  const late = { ...act, startedAt: new Date(Date.now() + 600_000) }
  t.strictSame(await reconcile(late, credentials, io, ready), sent())
})

t.test('files that were never accepted are absent after ten minutes, and sent again with the same ids', async (t) => {
  const { fake, credentials, io } = await start(t)
  const full = { ...io, credentials }
  const act = postOf({ media: [fileOf('image/jpeg')] })
  let state = await prepare(act, full)
  let waitedMs = 30_000
  for (;;) {
    const found = await redditAdapter.reconcile!(act, full, state)
    if (typeof found === 'string' || !('processing' in found)) {
      t.equal(found, 'absent')
      break
    }
    state = found.processing.state
    waitedMs += found.processing.afterMs
  }
  t.equal(waitedMs, 630_000)
  const next = await redditAdapter.prepare(act, full, state)
  t.hasStrict(next, { ready: { assets: state.assets, looks: 0 } })
  t.equal(fake.media.assets.size, 1)
})

t.test('a file that Reddit has accepted is waited for, and never sent again', async (t) => {
  const { fake, credentials, io, sent } = await start(t)
  const full = { ...io, credentials }
  const act = postOf({ media: [fileOf('video/mp4')] })
  fake.switches.processing = 3
  const ready = await prepare(act, full)
  let result = await redditAdapter.publish(act, full, ready)
  const pauses: number[] = []
  while ('processing' in result) {
    pauses.push(result.processing.afterMs)
    result = (await redditAdapter.reconcile!(act, full, result.processing.state)) as typeof result
  }
  t.strictSame(pauses, [2_000, 4_000, 8_000, 16_000])
  t.strictSame(result, sent())

  fake.switches.processing = 'fails'
  const other = await prepare(act, full)
  let found = await redditAdapter.publish(act, full, other)
  let waitedMs = 0
  while (typeof found !== 'string' && 'processing' in found) {
    waitedMs += found.processing.afterMs
    found = (await redditAdapter.reconcile!(act, full, found.processing.state)) as typeof found
  }
  t.equal(found, 'unknown')
  t.ok(waitedMs > 600_000 && waitedMs < 1_200_000, `${waitedMs}`)
})

t.test('a comment whose response was lost is found by its parent and text', async (t) => {
  const { fake, credentials, io } = await start(t)
  const parent = await send(postOf(), credentials, io)
  const other = await send(postOf({ text: 'Another post' }), credentials, io)
  const act = postOf({ kind: 'comment', text: 'First!\n\n*Really* & more ', parent, root: parent })
  await send({ ...act, parent: other }, credentials, io)
  t.match(await reconcile(act, credentials, io), again(90_000))
  t.equal(await reconcile(act, credentials, io, LAST), 'absent')
  await send({ ...act, text: 'Second!' }, credentials, io)
  t.equal(await reconcile(act, credentials, io, LAST), 'unknown', 'Reddit may have changed the text')
  fake.faults.push({ on: 'POST /api/comment', instead: reset, after: true })
  t.has(await rejection(send(act, credentials, io)), { maybeSent: true })
  t.strictSame(await reconcile(act, credentials, io), sentOf(fake.comments[0]!))
})

t.test('an intent of an older version, without the ids of its files, is left to the owner', async (t) => {
  const { credentials, io } = await start(t)
  t.equal(await reconcile(postOf({ media: [fileOf('image/png')] }), credentials, io), 'unknown')
})
