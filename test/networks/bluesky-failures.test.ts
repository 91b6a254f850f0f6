import t from 'tap'
import {
  act,
  failureOf,
  fileOf,
  identify,
  io,
  losingResponse,
  network,
  picture,
  reconcile,
  recordingFetch,
  send,
} from './bluesky-adapter.ts'
import { onlyRecord, records, startPds } from './pds.ts'

const pds = await startPds(t)
const accountFor = (handle: string) => pds.createAccount(handle)

t.test('identify says why credentials are invalid, without the password', async (t) => {
  const { credentials } = await accountFor('wrong-1.test')
  const unauthorized = { code: 'unauthorized', needsAttention: true, retryable: false, maybeSent: false }
  const password = await failureOf(identify({ ...credentials, password: 'abcd-efgh' }, network))
  t.match(password, { ...unauthorized, message: /Invalid identifier or password/ })
  t.notMatch(password.message, 'abcd-efgh')
  t.hasStrict(await failureOf(identify({ ...credentials, identifier: '' }, network)), unauthorized)
  t.hasStrict(await failureOf(identify({ ...credentials, service: 'bsky.social' }, network)), unauthorized)
})

t.test('reconcile finds a record whose response was lost', async (t) => {
  const account = await accountFor('lost-1.test')
  const post = act({ text: 'Did it arrive?' })
  t.equal(await reconcile(post, account.credentials, network), 'absent')
  const failure = await failureOf(send(post, account.credentials, io(losingResponse('com.atproto.repo.putRecord'))))
  t.hasStrict(failure, { code: 'disconnected', maybeSent: true, retryable: true })
  const found = await reconcile(post, account.credentials, network)
  t.same(found, await send(post, account.credentials, io()))
  t.equal((await records(account)).length, 1)
})

t.test('a call that fails before the intent was certainly not sent', async (t) => {
  const account = await accountFor('early-1.test')
  const post = act({ media: [fileOf(await picture(8, 8))] })
  let intended = 0
  const intend = async () => {
    intended++
  }
  for (const lost of ['com.atproto.server.createSession', 'com.atproto.repo.uploadBlob']) {
    const failure = await failureOf(send(post, account.credentials, io({ ...losingResponse(lost), intend })))
    t.hasStrict(failure, { maybeSent: false, retryable: true }, lost)
  }
  t.equal(intended, 0)
  t.equal((await records(account)).length, 0)
})

t.test('a text that is too long fails with the message of the network', async (t) => {
  const account = await accountFor('long-1.test')
  const failure = await failureOf(send(act({ text: 'e\u0301'.repeat(301) }), account.credentials, io()))
  t.hasStrict(failure, { code: 'content_refused', maybeSent: false, retryable: false, needsAttention: false })
  t.match(failure.message, /^localhost:\d+: .*grapheme too big \(maximum 300, got 301\)/)
  t.equal((await records(account)).length, 0)
  await send(act({ text: 'e\u0301'.repeat(300) }), account.credentials, io())
})

t.test('a threadgate that failed is created later, once', async (t) => {
  const account = await accountFor('gate-1.test')
  const post = act({ fields: { replyGate: 'mentioned' } })
  const isGate = (init?: RequestInit) => String(init?.body).includes('app.bsky.feed.threadgate')
  const failing: typeof fetch = async (url, init) =>
    isGate(init) ? Response.json({ error: 'InternalServerError' }, { status: 500 }) : fetch(url, init)
  t.hasStrict(await failureOf(send(post, account.credentials, io({ fetch: failing }))), {
    maybeSent: true,
    retryable: true,
  })
  t.equal((await records(account, 'app.bsky.feed.threadgate')).length, 0)

  const sent = await reconcile(post, account.credentials, network)
  t.same(await send(post, account.credentials, io()), sent)
  const gate = await onlyRecord(account, 'app.bsky.feed.threadgate')
  const { uri } = await onlyRecord(account)
  t.same(gate.value.allow, [{ $type: 'app.bsky.feed.threadgate#mentionRule' }])
  t.equal(gate.value.post, uri)
  t.equal(gate.uri.split('/').pop(), uri.split('/').pop())
})

t.test('posts share a session, and an expired one is replaced', async (t) => {
  const account = await accountFor('session-1.test')
  const { fetch: recording, methods } = recordingFetch()
  const sessions = () => methods.filter((method) => method === 'com.atproto.server.createSession').length
  await send(act(), account.credentials, io({ fetch: recording }))
  await send(act(), account.credentials, io({ fetch: recording }))
  t.equal(sessions(), 1)

  let expired = 0
  let intended = 0
  const fetchWithExpired: typeof fetch = async (url, init) => {
    const headers = new Headers(init?.headers)
    if (expired === 0) headers.set('authorization', `Bearer ${account.expiredToken()}`)
    const response = await recording(url, { ...init, headers })
    if ((await response.clone().text()).includes('ExpiredToken')) expired++
    return response
  }
  const intend = async () => {
    intended++
  }
  await send(act(), account.credentials, io({ fetch: fetchWithExpired, intend }))
  t.same([expired, sessions(), intended], [1, 2, 1])
  t.equal((await records(account)).length, 3)
})

t.test('a revoked password needs attention when its session has expired', async (t) => {
  const account = await accountFor('revoked-1.test')
  await send(act(), account.credentials, io())
  await account.call('com.atproto.server.revokeAppPassword', { body: { name: 'postroom' } })
  const fetchWithExpired: typeof fetch = (url, init) => {
    const headers = new Headers(init?.headers)
    if (headers.has('authorization')) headers.set('authorization', `Bearer ${account.expiredToken()}`)
    return fetch(url, { ...init, headers })
  }
  const failure = await failureOf(send(act(), account.credentials, io({ fetch: fetchWithExpired })))
  t.hasStrict(failure, { code: 'unauthorized', needsAttention: true, maybeSent: false, retryable: false })
  t.hasStrict(await failureOf(identify(account.credentials, network)), { code: 'unauthorized', needsAttention: true })
  t.equal((await records(account)).length, 1)
})

t.test('a server that is down is unreachable', async (t) => {
  const down = await startPds(t)
  const account = await down.createAccount('down-1.test')
  await send(act(), account.credentials, io())
  await down.kill()
  const failure = await failureOf(send(act(), account.credentials, io()))
  // The call may use a connection that is still open, and break.
  t.match(failure, { code: /^(?:unreachable|disconnected)$/, maybeSent: false, retryable: true })
})
