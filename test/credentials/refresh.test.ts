import t from 'tap'
import { deleteCredentialsUntil } from '../../db/queries/meta-users.ts'
import { createKeyring } from '../../src/base/keyring/keyring.ts'
import { claimNextRefresh, refreshTokens } from '../../src/engine/credentials/refresh.ts'
import { createRefreshWorld } from '../helpers/refresh-world.ts'
import { lostResponse, refusal, unreachable } from '../helpers/scripted-network.ts'

const MINUTE = 60_000
const HOUR = 3_600_000

const refused = () => refusal('unauthorized', { needsAttention: true })

t.test('tokens are refreshed at 80 % of their life, and again at 80 % of the next one', async (t) => {
  const { connect, refresh, calls, credentials, account, dueInMs, time } = await createRefreshWorld(t)
  const id = await connect({ ms: 10 * HOUR })
  t.same(await refresh(7.5 * HOUR), [])
  t.same(await refresh(HOUR), ['refreshed'])
  t.same(calls, ['refresh-token-0'])
  t.same(await credentials(id), { accessToken: 'access-token-1', refreshToken: 'refresh-token-1' })
  t.equal((await account(id)).credentialsExpireAt, new Date(time.now.getTime() + 2 * HOUR).toISOString())
  t.same((await account(id)).scopes, ['read', 'write'], 'a response without scopes leaves them')
  t.equal(await dueInMs(id), 1.6 * HOUR)
  t.same(await refresh(1.7 * HOUR), ['refreshed'])
  t.same(calls, ['refresh-token-0', 'refresh-token-1'])
})

t.test('tokens that cannot be refreshed, or whose end is not known, are left alone', async (t) => {
  const { connect, refresh, steps, dueInMs } = await createRefreshWorld(t)
  await connect({ isRefreshable: false })
  const id = await connect({ externalId: '2' })
  steps.push({ tokens: { expiresAt: null } })
  t.same(await refresh(2 * HOUR), ['refreshed'])
  t.equal(await dueInMs(id), null)
  t.same(await refresh(1_000 * HOUR), [])
})

t.test('a worker holds a claim for a minute, and others wait', async (t) => {
  const { connect, refresh, deps, calls, kill, time } = await createRefreshWorld(t)
  await connect()
  time.now = new Date(time.now.getTime() + 1.7 * HOUR)
  const [first, second] = await Promise.all([claimNextRefresh(deps), claimNextRefresh(deps)])
  t.equal([first, second].filter(Boolean).length, 1)
  t.same(await refresh(59_000), [])
  t.same(await refresh(1_000), ['refreshed'], 'the claim of a worker that was killed')
  t.equal(calls.length, 1)
  t.same(await refresh(1.7 * HOUR), ['refreshed'])
  time.now = new Date(time.now.getTime() + 1.7 * HOUR)
  await kill()
  t.same(await refresh(), ['refreshed'])
})

t.test('a refusal ends the refreshing until the account is connected again', async (t) => {
  const { connect, refresh, steps, calls, account, credentials, time } = await createRefreshWorld(t)
  const id = await connect()
  steps.push({ error: refused() })
  t.same(await refresh(1.7 * HOUR), ['refused'])
  t.same((await account(id)).attention, {
    code: 'reconnect_required',
    message: 'network.example: no: connect the account again',
    since: time.now.toISOString(),
  })
  t.same(await refresh(100 * HOUR), [])
  t.equal(calls.length, 1)
  t.equal(await connect({ ms: 200 * HOUR }), id)
  t.equal((await account(id)).attention, undefined)
  t.same(await refresh(100 * HOUR), ['refreshed'])
  t.equal((await credentials(id)).accessToken, 'access-token-2')
})

t.test('what is certainly not refreshed is tried again after a pause', async (t) => {
  const { connect, refresh, steps, account } = await createRefreshWorld(t, { afterLostResponse: 'revokes-reuse' })
  const id = await connect({ ms: 10 * HOUR })
  steps.push(
    { error: unreachable() },
    { error: refusal('rate_limited', { retryable: true, retryAfterMs: 5 * MINUTE }) },
  )
  t.same(await refresh(8 * HOUR), ['postponed'])
  t.same(await refresh(29_000), [])
  t.same(await refresh(1_000), ['postponed'])
  t.same(await refresh(5 * MINUTE - 1_000), [])
  t.same(await refresh(1_000), ['refreshed'])
  t.equal((await account(id)).attention, undefined)
})

t.test('a lost response is followed by another try, which shows whether the token was spent', async (t) => {
  const { connect, refresh, steps, calls, account, credentials, kill, time } = await createRefreshWorld(t)
  const kept = await connect()
  steps.push({ error: lostResponse() })
  t.same(await refresh(1.7 * HOUR), ['unknown'])
  t.same(await refresh(MINUTE), ['refreshed'])
  t.same(calls, ['refresh-token-0', 'refresh-token-0'])
  t.equal((await credentials(kept)).accessToken, 'access-token-2')
  time.now = new Date(time.now.getTime() + 1.7 * HOUR)
  await kill()
  steps.push({ error: refused() })
  t.same(await refresh(), ['refused'])
  t.hasStrict(await account(kept), { attention: { code: 'reconnect_required' } })
})

t.test('where reuse revokes the access token, a token that may be spent is tried once it has expired', async (t) => {
  const { connect, refresh, steps, calls, account, time } = await createRefreshWorld(t, {
    afterLostResponse: 'revokes-reuse',
  })
  const id = await connect({ ms: 10 * HOUR })
  steps.push({ error: lostResponse() })
  t.same(await refresh(8 * HOUR), ['unknown'])
  t.same(await refresh(HOUR), [], 'the access token still works')
  t.equal((await account(id)).attention, undefined)
  t.same(await refresh(1.1 * HOUR), ['refreshed'])
  t.equal(calls.length, 2)
  steps.push({ error: lostResponse() }, { error: lostResponse() }, { error: refused() })
  t.same(await refresh(1.7 * HOUR), ['unknown'])
  t.same(await refresh(HOUR), ['unknown'], 'there is nothing to lose')
  t.same(await refresh(HOUR), ['refused'], 'the token was spent')
  t.hasStrict(await account(id), { attention: { code: 'reconnect_required', since: time.now.toISOString() } })
})

t.test('where reuse revokes the access token, a killed worker leaves the token alone until then', async (t) => {
  const { connect, refresh, calls, kill, time } = await createRefreshWorld(t, { afterLostResponse: 'revokes-reuse' })
  await connect({ ms: 10 * HOUR })
  time.now = new Date(time.now.getTime() + 8 * HOUR)
  await kill()
  t.same(await refresh(), ['held'])
  t.same(calls, [])
  t.same(await refresh(2.1 * HOUR), ['refreshed'])
})

t.test('a refresh does not hide from a callback of Meta when the owner consented', async (t) => {
  const { connect, refresh, db } = await createRefreshWorld(t)
  const id = await connect()
  const read = async () =>
    (await db.selectFrom('accountCredentials').select('updatedAt').executeTakeFirstOrThrow()).updatedAt
  const connectedAt = await read()
  t.same(await refresh(1.7 * HOUR), ['refreshed'])
  t.same(await read(), connectedAt)
  t.equal(await deleteCredentialsUntil(db, [id], new Date(connectedAt.getTime() + 1)), 1)
})

t.test('a worker without the key of credentials leaves them to others', async (t) => {
  const { connect, refresh, deps, time } = await createRefreshWorld(t)
  await connect()
  time.now = new Date(time.now.getTime() + 1.7 * HOUR)
  t.equal(await claimNextRefresh({ ...deps, keyring: createKeyring([Buffer.alloc(32, 7)]) }), undefined)
  t.same(await refresh(), ['refreshed'])
})

t.test('credentials of an app that the operator has removed wait for it', async (t) => {
  const { connect, refresh, deps, calls, time, account } = await createRefreshWorld(t)
  const id = await connect()
  time.now = new Date(time.now.getTime() + 1.7 * HOUR)
  const without = { ...deps, oauthApps: { x: { clientId: 'another', clientSecret: null } } }
  await refreshTokens(without, (await claimNextRefresh(without))!)
  t.same(calls, [])
  const { attention } = await account(id)
  t.hasStrict(attention, { code: 'app_missing', since: time.now.toISOString() })
  t.match(attention.message, 'is no longer configured')
  t.same(await refresh(HOUR), ['refreshed'])
  t.equal((await account(id)).attention, undefined)
})

t.test('an account that lost a scope has attention until it is granted again', async (t) => {
  const { connect, refresh, steps, account } = await createRefreshWorld(t)
  const id = await connect()
  steps.push({ tokens: { scopes: ['read'] } }, {}, { tokens: { scopes: ['read', 'write'] } })
  await refresh(1.7 * HOUR)
  t.hasStrict(await account(id), { scopes: ['read'], attention: { code: 'scopes_missing' } })
  await refresh(1.7 * HOUR)
  t.hasStrict(await account(id), { attention: { code: 'scopes_missing' } })
  await refresh(1.7 * HOUR)
  t.equal((await account(id)).attention, undefined)
})

t.test('tokens that cannot be stored are not, and count as spent', async (t) => {
  const { connect, refresh, steps, credentials } = await createRefreshWorld(t)
  const id = await connect()
  steps.push({ tokens: { credentials: { accessToken: 'with\na line' } } })
  t.same(await refresh(1.7 * HOUR), ['unknown'])
  t.equal((await credentials(id)).accessToken, 'access-token-0')
})
