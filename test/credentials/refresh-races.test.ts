import t from 'tap'
import { updateDataKey } from '../../db/queries/credentials.ts'
import { claimNextRefresh, refreshTokens } from '../../src/engine/credentials/refresh.ts'
import { findCredentials } from '../helpers/app.ts'
import { createRefreshWorld } from '../helpers/refresh-world.ts'
import { lostResponse, refusal, unreachable } from '../helpers/scripted-network.ts'

const MINUTE = 60_000
const HOUR = 3_600_000

const refused = () => refusal('unauthorized', { needsAttention: true })

t.test('a refresh that was overtaken by a new connection changes nothing', async (t) => {
  const { connect, deps, steps, refreshed, credentials, account, time } = await createRefreshWorld(t)
  time.now = new Date(time.now.getTime() + 1.7 * HOUR)
  for (const step of [{}, { error: refused() }, { error: unreachable() }, { error: lostResponse() }]) {
    const id = await connect()
    steps.push({ ...step, beforeResponse: () => connect({ ms: 100 * HOUR }) })
    await refreshTokens(deps, (await claimNextRefresh(deps))!)
    t.hasStrict(refreshed.at(-1), { outcome: 'overtaken', nextInMs: null })
    t.equal((await credentials(id)).accessToken, 'access-token-0')
    t.equal((await account(id)).attention, undefined)
  }
})

t.test('a refusal of a token that another worker has replaced means nothing', async (t) => {
  const { connect, refresh, steps, deps, account, credentials, time } = await createRefreshWorld(t)
  const id = await connect()
  time.now = new Date(time.now.getTime() + 1.7 * HOUR)
  const slow = (await claimNextRefresh(deps))!
  const other = await refresh(MINUTE)
  t.same(other, ['refreshed'])
  steps.push({ error: refused() })
  await refreshTokens({ ...deps, uptimeMs: () => slow.claimedAt }, slow)
  t.equal((await account(id)).attention, undefined)
  t.equal((await credentials(id)).accessToken, 'access-token-1')
})

t.test('tokens that could not be stored until another worker was refused end its attention', async (t) => {
  const { connect, refresh, steps, deps, account, credentials, time } = await createRefreshWorld(t)
  const id = await connect()
  time.now = new Date(time.now.getTime() + 1.7 * HOUR)
  const slow = (await claimNextRefresh(deps))!
  const refuseOther = async () => {
    steps.push({ error: refused() })
    t.same(await refresh(MINUTE), ['refused'])
    t.hasStrict(await account(id), { attention: { code: 'reconnect_required' } })
  }
  steps.push({ beforeResponse: refuseOther })
  await refreshTokens(deps, slow)
  t.equal((await account(id)).attention, undefined)
  t.match((await credentials(id)).accessToken, /^access-token-[12]$/)
  t.same(await refresh(1.7 * HOUR), ['refreshed'])
})

t.test('a worker without the network does not forget that a token may be spent', async (t) => {
  const { connect, refresh, deps, calls, time } = await createRefreshWorld(t, { afterLostResponse: 'revokes-reuse' })
  await connect({ ms: 10 * HOUR })
  time.now = new Date(time.now.getTime() + 8 * HOUR)
  const older = { ...deps, networks: {} as typeof deps.networks }
  const killed = await claimNextRefresh(deps)
  t.ok(killed)
  time.now = new Date(time.now.getTime() + MINUTE)
  await refreshTokens(older, (await claimNextRefresh(older))!)
  t.same(await refresh(MINUTE), ['held'])
  t.same(calls, [])
})

t.test('a worker that was suspended after its claim makes no call', async (t) => {
  const { connect, deps, calls, refreshed, time } = await createRefreshWorld(t)
  await connect()
  time.now = new Date(time.now.getTime() + 1.7 * HOUR)
  const slow = (await claimNextRefresh(deps))!
  time.now = new Date(time.now.getTime() + 20_000)
  await refreshTokens(deps, slow)
  t.same(calls, [])
  t.hasStrict(refreshed, [{ outcome: 'postponed', errorCode: 'interrupted' }])
})

t.test('nothing is stored for an account that was disconnected meanwhile', async (t) => {
  const { connect, refresh, steps, ada, db } = await createRefreshWorld(t)
  const id = await connect()
  steps.push({ beforeResponse: () => ada.call('DELETE', `/accounts/${id}`) })
  t.same(await refresh(1.7 * HOUR), ['overtaken'])
  t.equal(await findCredentials(db, id), undefined)
})

t.test('rewrapping and refreshing may cross', async (t) => {
  const { connect, refresh, steps, db, keyring, credentials } = await createRefreshWorld(t)
  const id = await connect()
  const before = (await findCredentials(db, id))!
  const rewrapped = keyring.rewrap(id, before)
  steps.push({ beforeResponse: () => updateDataKey(db, id, before, rewrapped) })
  t.same(await refresh(1.7 * HOUR), ['refreshed'])
  t.equal((await credentials(id)).accessToken, 'access-token-1')
  await updateDataKey(db, id, rewrapped, before)
  t.equal((await credentials(id)).accessToken, 'access-token-1', 'a rewrapping that comes too late changes nothing')
})
