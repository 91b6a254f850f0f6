import t, { type Test } from 'tap'
import { CHANGE_LEASE_MS } from '../../src/engine/delivery/timing.ts'
import { createKey } from '../../src/features/auth/create-key.ts'
import { call } from '../helpers/app.ts'
import { noJournal } from '../helpers/journal.ts'
import { createDeliveryWorld } from '../helpers/publisher.ts'
import { lostResponse, refusal, scriptedNetwork, unreachable } from '../helpers/scripted-network.ts'
import { until } from '../helpers/until.ts'

const POST = 15_000
const WITH_URL = 200_000
const REMOVAL = 10_000
const MINUTE = 60_000

/** A post with a first comment on X, which has cost its price. */
async function createScene(t: Test) {
  const x = scriptedNetwork()
  x.editsAreNew = true
  const world = await createDeliveryWorld(t, { x })
  const { ada, time } = world
  /** The clock of the workers is that of the database, which changes are due by. Their month is that of the service. */
  const setClock = (aheadMs = 1_000) => {
    time.now = new Date(Date.now() + aheadMs)
  }
  setClock()
  const account = await world.connectAccount('x')
  const id = await world.post({ accountIds: [account], caption: 'a', firstComment: 'b' })
  await world.work()
  const path = `/posts/${id}/deliveries/${account}`
  const amounts = async (owner = `/accounts/${account}`) => {
    const { body } = await ada.call('GET', `${owner}/budget`)
    return [body.spentUsdMicros, body.reservedUsdMicros]
  }
  t.strictSame(await amounts(), [2 * POST, 0])
  const limit = async (limitUsdMicros: number | null, owner = `/accounts/${account}`) =>
    t.equal((await ada.call('PUT', `${owner}/budget`, { limitUsdMicros })).status, 200)
  const edit = async (text: string) => t.equal((await ada.call('PATCH', path, { text, acceptNewId: true })).status, 202)
  const remove = async () => t.equal((await ada.call('POST', `${path}/remove`)).status, 202)
  const change = (aheadMs?: number) => {
    setClock(aheadMs)
    return world.change()
  }
  /** A worker commits the intent of an edit, and does nothing more. */
  const killAfterIntent = async () => {
    const died = Promise.withResolvers<boolean>()
    const editing = () => {
      died.resolve(true)
      return new Promise<never>(() => {})
    }
    setClock()
    await world.createWorker({ journal: { ...noJournal, editing } }).changes.begin()
    await until('the intent is committed', () => died.promise)
  }
  const read = () => world.readDelivery(id)
  return { ...world, x, account, id, path, amounts, limit, edit, remove, change, killAfterIntent, read }
}

t.test('an edit costs what the new post costs, and each act that is removed its price', async (t) => {
  const { edit, remove, change, amounts, read } = await createScene(t)
  await edit('see https://example.com')
  await change()
  t.strictSame(await amounts(), [2 * POST + WITH_URL, 0])
  await remove()
  await change()
  const total = 2 * POST + WITH_URL + 2 * REMOVAL
  t.hasStrict(await read(), { state: 'removed', cost: { spentUsdMicros: total, reservedUsdMicros: 0 } })
  t.strictSame(await amounts(), [total, 0])
})

t.test('a change that the budget does not cover is not made until the budget is raised', async (t) => {
  const { x, edit, remove, change, amounts, limit, read } = await createScene(t)
  await limit(2 * POST + REMOVAL)
  await edit('c')
  await change()
  t.strictSame(x.edits, [])
  t.hasStrict((await read()).edit, { state: 'failed', error: { code: 'budget_used_up', retryable: false } })
  t.strictSame(await amounts(), [2 * POST, 0])
  await remove()
  await change()
  t.strictSame(x.removals, ['n2'], 'the budget covers the removal of the comment')
  t.hasStrict(await read(), {
    state: 'remove_failed',
    error: { code: 'budget_used_up' },
    cost: { spentUsdMicros: 2 * POST + REMOVAL },
  })
  await limit(null)
  await remove()
  await change()
  t.hasStrict(await read(), { state: 'removed', error: null })
  t.strictSame(await amounts(), [2 * POST + 2 * REMOVAL, 0])
})

t.test('a refused call costs nothing, and a lost one stays reserved until its outcome is known', async (t) => {
  const { x, edit, change, amounts, read } = await createScene(t)
  await edit('c')
  x.editSteps.push({ isAccepted: false, error: unreachable() }, { isAccepted: true, error: lostResponse() })
  await change()
  t.strictSame(await amounts(), [2 * POST, 0])
  await change(MINUTE)
  t.strictSame(await amounts(), [2 * POST, POST])
  t.hasStrict((await read()).edit, { state: 'pending', error: { code: 'timeout' } })
  await change(10 * MINUTE)
  t.notOk('edit' in (await read()))
  t.strictSame(await amounts(), [3 * POST, 0], 'the repeated call is paid once')

  await edit('d')
  x.editSteps.push({ isAccepted: false, error: lostResponse() }, { isAccepted: false, error: refusal() })
  await change(2 * MINUTE)
  await change(3 * MINUTE)
  t.hasStrict((await read()).edit, { state: 'failed', error: { code: 'content_refused' } })
  t.strictSame(await amounts(), [4 * POST, 0], 'the lost call may have been charged')
})

t.test('a worker that dies after the reservation neither loses nor doubles money', async (t) => {
  const { x, edit, change, killAfterIntent, amounts, db, id } = await createScene(t)
  await edit('c')
  await killAfterIntent()
  t.strictSame(await amounts(), [2 * POST, POST])
  await change(CHANGE_LEASE_MS + MINUTE)
  t.strictSame(x.edits, ['c'])
  t.strictSame(await amounts(), [3 * POST, 0])
  await edit('d')
  await killAfterIntent()
  await db.deleteFrom('posts').where('id', '=', id).execute()
  t.strictSame(await amounts(), [4 * POST, 0], 'the edit of the deleted post may be out')
})

t.test('a removal that takes the place of an edit leaves its price with the key that requested it', async (t) => {
  const { app, db, ada, edit, path, change, killAfterIntent, amounts, limit } = await createScene(t)
  const { id: keyId, key } = await createKey(db, { userId: ada.id, name: null, expiresAt: null })
  await edit('c')
  await killAfterIntent()
  t.equal((await call(app, key, 'POST', `${path}/remove`)).status, 202)
  t.strictSame(await amounts(), [3 * POST, 0])
  await limit(2 * REMOVAL, `/keys/${keyId}`)
  await change(CHANGE_LEASE_MS + MINUTE)
  t.strictSame(await amounts(`/keys/${keyId}`), [2 * REMOVAL, 0])
  t.strictSame(await amounts(), [3 * POST + 2 * REMOVAL, 0])
})
