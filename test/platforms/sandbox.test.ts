import { createHash, randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import t from 'tap'
import type { Db } from '../../db/client.ts'
import { sandboxStore } from '../../db/queries/sandbox.ts'
import type { Act, PublishedFile } from '../../src/platforms/contract/adapter.ts'
import type { Credentials } from '../../src/platforms/contract/io.ts'
import type { SandboxStore } from '../../src/platforms/contract/sandbox-store.ts'
import { createSandboxAdapter } from '../../src/platforms/sandbox/adapter.ts'
import { actOf, type ContractIo, clientOf, fileOf, rejection } from '../helpers/adapter-calls.ts'
import { createWorld } from '../helpers/app.ts'
import type { Teardown } from '../helpers/database.ts'

const credentials = { username: 'ada' }

const POST_URL = /^https:\/\/sandbox\.invalid\/posts\/[\w-]{36}$/

/** The sandbox with one account, and a log of intents, stored calls and pauses. */
async function start(t: Teardown) {
  const { db, user } = await createWorld(t)
  const accountId = await (await user()).account('sandbox')
  const log: string[] = []
  const kept = sandboxStore(db)
  const store: SandboxStore = {
    ...kept,
    keep: (received) => {
      log.push('keep')
      return kept.keep(received)
    },
  }
  const { identify, send, reconcile } = clientOf(createSandboxAdapter(store))
  const io = (options: Partial<ContractIo> = {}): ContractIo => ({
    fetch: () => Promise.reject(new Error('the sandbox makes no calls')),
    signal: new AbortController().signal,
    intend: async () => {
      log.push('intend')
    },
    pause: (ms) => log.push(`pause ${ms}`),
    ...options,
  })
  const act = (options: Partial<Act> = {}) => actOf({ accountId, token: randomUUID(), ...options })
  return {
    db,
    log,
    io,
    act,
    rows: () => rowsOf(db),
    identify: (given: Credentials) => identify(given, io()),
    send: (act: Act, options: Partial<ContractIo> = {}, given: Credentials = credentials) =>
      send(act, given, io(options)),
    reconcile: (act: Act, given: Credentials = credentials) => reconcile(act, given, io()),
  }
}

t.test('an error of the store before the call does not leave open whether the act was sent', async (t) => {
  const { act, db } = await start(t)
  const failing: SandboxStore = { ...sandboxStore(db), countFaults: () => Promise.reject(new Error('no connection')) }
  const log: string[] = []
  const { send } = clientOf(createSandboxAdapter(failing))
  const intend = async () => {
    log.push('intend')
  }
  const io = { fetch, signal: new AbortController().signal, intend }
  await t.rejects(send(act({ fields: { fault: 'server_error' } }), credentials, io), { message: 'no connection' })
  t.same(log, [])
})

const rowsOf = (db: Db) => db.selectFrom('sandboxCalls').selectAll().orderBy('id').execute()

t.test('a call is stored with the hash of each whole file', async (t) => {
  const { act, send, rows, log } = await start(t)
  const large = Buffer.alloc(300_000, 'a')
  const media: PublishedFile[] = [
    fileOf('image/png', { content: 'sea', altText: 'The sea.' }),
    fileOf('video/mp4', { bytes: large.length, open: async () => Readable.from([large, Buffer.of()]) }),
  ]
  const post = act({ media, fields: { altText: 'A file.', other: [1] } })
  const { id, url } = await send(post)
  t.match(url, POST_URL)
  t.equal(url, `https://sandbox.invalid/posts/${id}`)
  t.same(log, ['intend', 'keep'], 'one intent, right before the call')
  const { content, ...row } = (await rows())[0]!
  t.match(row, { id, accountId: post.accountId, token: post.token, accepted: true, fault: null })
  const sha256 = (bytes: string | Buffer) => createHash('sha256').update(bytes).digest('hex')
  const { id: fileId } = media[0]!
  const [image, video] = [
    { kind: 'image', mimeType: 'image/png', bytes: 3, sha256: sha256('sea'), altText: 'The sea.' },
    { kind: 'video', mimeType: 'video/mp4', bytes: 300_000, sha256: sha256(large), altText: 'A file.' },
  ]
  t.strictSame(content, {
    kind: 'post',
    text: 'A lighthouse at dusk',
    fields: { altText: 'A file.', other: [1] },
    media: [
      { id: fileId, ...image },
      { id: fileId, ...video },
    ],
    parentId: null,
    number: 1,
  })
})

t.test('an act that is sent twice becomes two posts', async (t) => {
  const { act, send, rows, reconcile } = await start(t)
  const post = act()
  const ids = [(await send(post)).id, (await send(post)).id]
  t.strictSame(
    (await rows()).map(({ id, token }) => [id, token]),
    ids.map((id) => [id, post.token]),
  )
  t.match(await reconcile(post), { id: ids[1], url: POST_URL })
})

t.test('an account is its username, and an expired token is refused', async (t) => {
  const { identify, act, send, reconcile, rows } = await start(t)
  const name = `a.B_9-${'x'.repeat(58)}`
  t.same(await identify({ username: name }), { externalId: name, username: name, displayName: null })
  t.match(await identify({ username: 'ada', displayName: 'Ada L.', token: 'any' }), { displayName: 'Ada L.' })
  const wrong: Credentials[] = [
    {},
    { username: '' },
    { username: 'a b' },
    { username: 'ä' },
    { username: 'ada\n' },
    { username: `${name}x` },
    { username: 'ada', token: 'expired' },
  ]
  for (const credentials of wrong) {
    for (const attempt of [identify(credentials), send(act(), {}, credentials), reconcile(act(), credentials)]) {
      t.has(await rejection(attempt), {
        code: 'unauthorized',
        maybeSent: false,
        retryable: false,
        needsAttention: true,
      })
    }
  }
  t.equal((await rows()).length, 0)
})

t.test('each fault has its error, its stored call, and its later result of reconcile', async (t) => {
  const { act, send, rows, log, reconcile } = await start(t)
  const open = { maybeSent: true, retryable: true, needsAttention: false }
  const refused = { maybeSent: false, retryable: false, needsAttention: false }
  const cases = [
    ['rate_limited', { ...refused, code: 'rate_limited', retryable: true, retryAfterMs: 5000 }, false, 'absent'],
    ['server_error', { ...open, code: 'server_error' }, false, 'absent'],
    ['server_error_after', { ...open, code: 'server_error' }, true, 'sent'],
    ['timeout_after', { ...open, code: 'timeout' }, true, 'sent'],
    ['unknown', { ...open, code: 'timeout' }, true, 'unknown'],
    ['expired_token', { ...refused, code: 'unauthorized', needsAttention: true }, false, 'absent'],
    ['content_refused', { ...refused, code: 'content_refused' }, false, 'absent'],
  ] as const
  for (const [fault, expected, accepted, later] of cases) {
    const post = act({ fields: { fault, faultTimes: 2 } })
    const mine = async () => (await rows()).filter(({ token }) => token === post.token)
    for (const times of [1, 2]) {
      log.length = 0
      t.has(await rejection(send(post)), expected, `${fault}, ${times}`)
      t.same(log, ['intend', 'keep'], `${fault}: one intent, right before the call`)
      t.match(await mine(), Array(times).fill({ accepted, fault }), `${fault}: stored`)
      const found = await reconcile(post)
      if (later === 'sent') t.match(found, { id: (await mine())[times - 1]!.id, url: POST_URL }, fault)
      else t.equal(found, later, fault)
    }
    const sent = await send(post)
    t.match((await mine())[2], { id: sent.id, accepted: true, fault: null }, `${fault}: the third call succeeds`)
    t.same(await reconcile(post), sent, `${fault}: reconcile finds it`)
  }
})

t.test('a fault happens once by default, and each delivery counts its own', async (t) => {
  const { act, send } = await start(t)
  for (const post of [act({ fields: { fault: 'server_error' } }), act({ fields: { fault: 'server_error' } })]) {
    t.has(await rejection(send(post)), { code: 'server_error' })
    t.ok(await send(post))
    const changed = { ...post, fields: { fault: 'rate_limited' } }
    t.has(await rejection(send(changed)), { code: 'rate_limited' }, 'another fault is counted separately')
    t.ok(await send(changed))
  }
})

t.test('faultAct chooses the act: a part of a thread, or its first comment', async (t) => {
  for (const faultAct of [1, 2, 3, 4]) {
    const { act, send, rows } = await start(t)
    const fields = { fault: 'server_error_after', faultAct }
    const numbers: number[] = []
    /** Sends until a call succeeds, without reconcile. */
    const deliver = async (each: Act, number: number) => {
      const attempt = () => send(each)
      if (number === faultAct) {
        t.has(await rejection(attempt()), { code: 'server_error', maybeSent: true })
        numbers.push(number)
      }
      numbers.push(number)
      return attempt()
    }
    const root = await deliver(act({ fields }), 1)
    const second = await deliver(act({ fields, parent: root, root }), 2)
    const third = await deliver(act({ fields, parent: second, root }), 3)
    await deliver(act({ fields, kind: 'comment', parent: third, root }), 4)
    const contents = (await rows()).map(({ content }) => content as { number: number; parentId: string })
    t.strictSame(
      contents.map(({ number }) => number),
      numbers,
    )
    t.same(new Set(contents.map(({ parentId }) => parentId)), new Set([null, root.id, second.id, third.id]))
  }
})

t.test('the first comment on a single post is its second act', async (t) => {
  const { act, send, reconcile } = await start(t)
  const fields = { fault: 'content_refused', faultAct: 2 }
  const root = await send(act({ fields }))
  const comment = act({ fields, kind: 'comment', parent: root, root })
  t.has(await rejection(send(comment)), { code: 'content_refused' })
  t.equal(await reconcile(comment), 'absent')
})

t.test('slow media take five seconds each, before the intent', async (t) => {
  const { act, send, log, rows } = await start(t)
  const post = act({ fields: { fault: 'slow_media' }, media: [fileOf('image/png'), fileOf('image/png')] })
  for (const _ of [1, 2]) {
    log.length = 0
    await send(post)
    t.same(log, ['pause 10000', 'intend', 'keep'])
  }
  t.match(await rows(), Array(2).fill({ accepted: true, fault: 'slow_media' }))
})

t.test('a signal that aborts before the call leaves the act unsent', async (t) => {
  const late = { code: 'timeout', maybeSent: false, retryable: true }
  const slow = await start(t)
  const stuck = new AbortController()
  const open = async () => {
    setImmediate(() => stuck.abort())
    return new Readable({ read() {} })
  }
  const unread = slow.act({ media: [fileOf('image/png', { open })] })
  t.has(await rejection(slow.send(unread, { signal: stuck.signal })), late, 'in the middle of a file')

  const other = new AbortController()
  const intend = async () => other.abort()
  t.has(await rejection(slow.send(slow.act(), { signal: other.signal, intend })), late, 'after the intent')
  t.equal((await slow.rows()).length, 0)
})

t.test('an unreadable file, and an intent that cannot be committed, stop the act', async (t) => {
  const { act, send, log, rows } = await start(t)
  const gone = async () => {
    throw new Error('ENOENT /var/lib/postroom/media')
  }
  for (const file of [{ open: gone }, { bytes: 4 }, { bytes: 6 }]) {
    const error = await rejection(send(act({ media: [fileOf('image/png', file)] })))
    t.has(error, { code: 'media_unreadable', maybeSent: false, retryable: true })
    t.equal(error.message, 'A file of the post could not be read')
  }
  const intend = async () => {
    throw new Error('the lease is lost')
  }
  await t.rejects(send(act(), { intend }), { message: 'the lease is lost' })
  t.same(log, [])
  t.equal((await rows()).length, 0)
})

t.test('a call that cannot be stored leaves the outcome open', async (t) => {
  const { act, send } = await start(t)
  const error = await rejection(send(act({ accountId: randomUUID() })))
  t.has(error, {
    code: 'disconnected',
    maybeSent: true,
    message: 'sandbox.invalid did not respond: the connection was lost',
  })
})
