import { fork } from 'node:child_process'
import { sql } from 'kysely'
import t from 'tap'
import { SCOPE_NAMES } from '../../../schemas/scopes.ts'
import { createKeyring } from '../../../src/base/keyring/keyring.ts'
import { createKey } from '../../../src/features/auth/create-key.ts'
import { LEASE_MS } from '../../../src/features/webhooks/timing.ts'
import { call } from '../../helpers/app.ts'
import { CHILD_ENV } from '../../helpers/log-record.ts'
import { endChild } from '../../helpers/processes.ts'
import { blockedBackends, until } from '../../helpers/until.ts'
import { connectAgain, createWebhookWorld, ok, startReceiver } from '../../webhooks/scene.ts'
import { KEY, STEPS, type Step } from './protocol.ts'

/** Number of kills. */
const KILLS = Number(process.env.KILLS ?? 10)
const EVENTS = 20

t.test('no event is lost when workers are killed at any step, and its id tells repeats', async (t) => {
  const { db, databaseUrl, hook, emit, app, ada } = await createWebhookWorld(t, { keyring: createKeyring([KEY]) })
  const locks = connectAgain(t, databaseUrl, 1)
  const start = Date.now() + 60_000
  let time = start
  let onReceived: () => Promise<boolean> = async () => false
  const receivers = await Promise.all(
    ['one', 'two', 'three', 'of all users'].map(() =>
      startReceiver(t, async (response) => ((await onReceived()) ? undefined : ok(response))),
    ),
  )
  const types = ['account.*']
  const { key } = await createKey(db, { userId: ada.id, name: null, expiresAt: null, scopes: SCOPE_NAMES })
  const program = { ...ada, call: (...request: Parameters<typeof ada.call>) => call(app, key, ...request) }
  const last = receivers.at(-1)!
  const hooks = await Promise.all([
    ...receivers.filter((receiver) => receiver !== last).map((receiver) => hook(receiver, { types })),
    hook(last, { types, allUsers: true }, program),
  ])
  const ids: string[] = []

  const startWorker = (step: Step | 'none', nth: number) => {
    const name = `dispatcher-${step}-${time}`
    const url = new URL(databaseUrl)
    url.searchParams.set('application_name', name)
    const child = fork(new URL('./worker-process.ts', import.meta.url), [url.href, String(time), step, String(nth)], {
      // Drops the loaders of tap.
      execArgv: [],
      env: CHILD_ENV,
    })
    t.teardown(() => endChild(child, 'SIGKILL'))
    let hasReached = false
    child.on('message', () => {
      hasReached = true
    })
    return { child, name, hasReached: () => hasReached }
  }

  /** Locks all rows of a table until the function that it returns is called. */
  async function lockRows(table: string): Promise<() => Promise<void>> {
    const locked = Promise.withResolvers<void>()
    const release = Promise.withResolvers<void>()
    const holding = locks.transaction().execute(async (transaction) => {
      await sql`select from ${sql.table(table)} for update`.execute(transaction)
      locked.resolve()
      await release.promise
    })
    await locked.promise
    return async () => {
      release.resolve()
      await holding
    }
  }

  async function killAt(step: Step, nth: number): Promise<void> {
    let received = 0
    let unlock = step === 'settling' ? await lockRows('webhook_deliveries') : undefined
    onReceived = async () => {
      received++
      if (step === 'received') return received >= nth
      // A locked webhook is not claimed: it is locked once it has been.
      if (step === 'releasing' && received === 1) unlock = await lockRows('webhooks')
      return false
    }
    const { child, name, hasReached } = startWorker(step, nth)
    const isReached = async () =>
      hasReached() || (step === 'received' && received >= nth) || (unlock && (await blockedBackends(db)).length > 0)
    await until(`the worker reaches ${step}`, isReached)
    await endChild(child, 'SIGKILL')
    await unlock?.()
    const isConnected = async () =>
      (await sql`select from pg_stat_activity where application_name = ${name}`.execute(db)).rows.length > 0
    await until(`nothing of ${name} is left`, async () => !(await isConnected()))
    onReceived = async () => false
  }

  for (let number = 0; number < KILLS; number++) {
    ids.push(...(await emit(EVENTS)))
    await killAt(STEPS[number % STEPS.length]!, 1 + (number % 4))
    // The lease of the killed worker expires, and so does the rest after a failure.
    time += LEASE_MS + 1_000
  }
  startWorker('none', 0)
  for (const receiver of receivers) {
    await until('each event has arrived', () => new Set(receiver.ids()).size, { isMet: (size) => size === ids.length })
    t.same(new Set(receiver.ids()), new Set(ids))
    t.equal(receiver.forged.length, 0)
  }
  const pending = () => sql`select from webhook_deliveries where state <> 'delivered'`.execute(db)
  await until('each event is settled', async () => (await pending()).rows.length === 0)
  const requests = receivers.reduce((sum, { received }) => sum + received.length, 0)
  t.comment(`${KILLS} kills, ${ids.length} events, ${hooks.length} webhooks, ${requests} requests`)
  t.ok(requests > ids.length * hooks.length, 'some arrive twice: a worker was killed after it had sent them')
})
