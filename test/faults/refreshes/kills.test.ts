import { type ChildProcess, fork } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { sql } from 'kysely'
import t, { type Test } from 'tap'
import { createKeyring } from '../../../src/base/keyring/keyring.ts'
import { NO_GRANT, storeAccount } from '../../../src/features/accounts/store.ts'
import { createWorld } from '../../helpers/app.ts'
import { CHILD_ENV } from '../../helpers/log-record.ts'
import { endChild } from '../../helpers/processes.ts'
import { until } from '../../helpers/until.ts'
import { APP, type FromWorker, KEY, type Kill, STEPS, type ToWorker } from './protocol.ts'
import { type Family, LIFE_MS, NETWORKS, type Network, startTokenEndpoint } from './token-endpoint.ts'

/** Number of kills. */
const KILLS = Number(process.env.KILLS ?? 10)
const ACCOUNTS_OF_EACH = 3
const MINUTE = 60_000

interface Worker {
  child: ChildProcess
  ready: Promise<void>
  /** Messages that are not handled yet. */
  inbox: FromWorker[]
  name: string
}

async function createScenario(t: Test) {
  const world = await createWorld(t)
  const { db, databaseUrl } = world
  const keyring = createKeyring([KEY])
  const ada = await world.user()
  const time = { now: Date.now() }
  const endpoint = await startTokenEndpoint(t, () => time.now)
  const families = new Map<string, Family>()
  let workers = 0

  /** Connects an account, or connects it again. */
  async function connect(network: Network, externalId: string): Promise<void> {
    const family = endpoint.grant(network)
    const { account } = await storeAccount(db, keyring, {
      platform: network,
      userId: ada.id,
      organizationId: undefined,
      profile: {
        externalId,
        username: externalId,
        displayName: null,
        textLengthMax: null,
        altTextLengthMax: null,
        facts: null,
        avatarUrl: null,
        limitKey: null,
      },
      credentials: { accessToken: 'the-first-access-token', refreshToken: family.refreshToken },
      isRefreshable: true,
      grant: { ...NO_GRANT, clientId: APP.clientId, credentialsExpireAt: new Date(family.expiresAt) },
    })
    // The clock of the workers is ahead of the database's.
    await db
      .updateTable('accountCredentials')
      .set({ refreshAt: new Date(time.now + LIFE_MS * 0.8) })
      .where('accountId', '=', account.id)
      .execute()
    families.set(account.id, family)
  }

  function forkWorker(): Worker {
    const name = `refresher-${++workers}`
    const url = new URL(databaseUrl)
    url.searchParams.set('application_name', name)
    const child = fork(new URL('./worker-process.ts', import.meta.url), [url.href, endpoint.address], {
      // Drops the loaders of tap.
      execArgv: [],
      env: CHILD_ENV,
    })
    const ready = Promise.withResolvers<void>()
    const worker: Worker = { child, ready: ready.promise, inbox: [], name }
    child.on('message', (message: FromWorker) => {
      if (message.type === 'ready') ready.resolve()
      else worker.inbox.push(message)
    })
    t.teardown(() => endChild(child, 'SIGKILL'))
    return worker
  }

  /** The next message of a worker. */
  async function receive({ inbox, name, child }: Worker): Promise<FromWorker> {
    await until(`a message of ${name}`, () => inbox.length > 0 || child.exitCode !== null, { intervalMs: 1 })
    const message = inbox.shift()
    if (message?.type === 'error') throw new Error(message.message)
    if (!message) throw new Error(`${name} ended by itself with code ${child.exitCode}`)
    return message
  }

  const sendTo = ({ child }: Worker, message: ToWorker) => child.send(message)

  /** Kills a worker, and waits until its statements and calls have ended. */
  async function kill({ child, name }: Worker): Promise<void> {
    await endChild(child, 'SIGKILL')
    const isConnected = async () =>
      (await sql`select from pg_stat_activity where application_name = ${name}`.execute(db)).rows.length > 0
    const hasEnded = async () => !(await isConnected()) && (await endpoint.connections()) === 0
    await until(`nothing of ${name} is still arriving`, hasEnded, { intervalMs: 1 })
  }

  const readAccounts = () =>
    db
      .selectFrom('accounts')
      .innerJoin('accountCredentials', 'accountId', 'id')
      .select(['id', 'platform', 'externalId', 'attention', 'keyId', 'dataKey', 'data'])
      .execute()

  /** Compares the database with the networks. Connects accounts again that were given up. Returns their networks. */
  async function check(): Promise<Network[]> {
    const givenUp: Network[] = []
    for (const { id, platform, externalId, attention, ...sealed } of await readAccounts()) {
      if (!attention) continue
      givenUp.push(platform as Network)
      const { refreshToken } = keyring.open(id, sealed)
      const family = families.get(id)!
      const isUsable = !family.isRevoked && family.refreshToken === refreshToken
      if (isUsable) endpoint.breaches.push(`${refreshToken} of ${platform} was given up, and works`)
      await connect(platform as Network, externalId!)
    }
    return givenUp
  }

  /** Accounts whose tokens the network no longer knows, although they have no attention. */
  async function findSpent(): Promise<string[]> {
    const accounts = await readAccounts()
    const tokens = accounts.map(
      ({ id, ...sealed }) => [keyring.open(id, sealed).refreshToken, families.get(id)!] as const,
    )
    return tokens.flatMap(([token, family]) => (token === family.refreshToken && !family.isRevoked ? [] : [token!]))
  }

  return { world, time, endpoint, connect, forkWorker, receive, sendTo, kill, check, findSpent }
}

type Scenario = Awaited<ReturnType<typeof createScenario>>

/**
 * Lets a worker work until it reaches the step for the nth time, and kills it there; `after` lets it continue first.
 */
async function killAt(scenario: Scenario, worker: Worker, { step, isAfter }: Kill, nth: number): Promise<void> {
  const { time, endpoint, receive, sendTo, kill } = scenario
  let count = 0
  if (step === 'received') {
    endpoint.beforeResponse = () => {
      if (++count < nth) return
      endpoint.beforeResponse = () => {}
      return endChild(worker.child, 'SIGKILL')
    }
  }
  sendTo(worker, { type: 'work', now: time.now })
  while (worker.child.signalCode === null) {
    await until(
      'a message, or the end of the worker',
      () => worker.inbox.length > 0 || worker.child.signalCode !== null,
      { intervalMs: 1 },
    )
    if (worker.inbox.length === 0) break
    const message = await receive(worker)
    if (message.type === 'idle') {
      time.now += 20 * MINUTE
      sendTo(worker, { type: 'work', now: time.now })
    } else if (message.type === 'step' && message.step === step && ++count >= nth) {
      if (isAfter) sendTo(worker, { type: 'go' })
      break
    } else if (worker.child.connected) sendTo(worker, { type: 'go' })
  }
  await kill(worker)
}

/** Works until nothing is due. */
async function finish({ time, receive, sendTo }: Scenario, worker: Worker): Promise<void> {
  sendTo(worker, { type: 'work', now: time.now })
  while ((await receive(worker)).type !== 'idle') sendTo(worker, { type: 'go' })
}

t.test('no account is lost that its network allows to keep when workers are killed at any step', async (t) => {
  const scenario = await createScenario(t)
  const { time, endpoint, connect, forkWorker, kill, check, findSpent } = scenario
  for (const network of Object.keys(NETWORKS) as Network[]) {
    for (let number = 1; number <= ACCOUNTS_OF_EACH; number++) {
      await connect(network, `${network}-${number}`)
      time.now += 5 * MINUTE
    }
  }
  let spare = forkWorker()
  const kills: Kill[] = []
  const givenUp: Network[] = []
  for (let number = 0; number < KILLS; number++) {
    const worker = spare
    spare = forkWorker()
    await worker.ready
    const planned = { step: STEPS[number % STEPS.length]!, isAfter: number % 2 === 1 }
    await killAt(scenario, worker, planned, 1 + (number % 3))
    kills.push(planned)
    time.now += MINUTE
    givenUp.push(...(await check()))
  }
  await spare.ready
  // Longer than an access token lives, and than the longest pause.
  for (let left = 2 * LIFE_MS; left > 0; left -= 10 * MINUTE) {
    time.now += 10 * MINUTE
    await finish(scenario, spare)
  }
  givenUp.push(...(await check()))
  await kill(spare)
  t.same(endpoint.breaches, [])
  t.same(await findSpent(), [], 'an account with spent tokens has attention')
  t.notOk(givenUp.includes('linkedin'), 'its refresh token can be used again')
  const { calls, breaches } = endpoint
  const reconnected = Object.fromEntries(
    Object.keys(NETWORKS).map((network) => [
      `${network} reconnected`,
      givenUp.filter((each) => each === network).length,
    ]),
  )
  t.comment(`${kills.length} kills, ${calls} calls`, reconnected)
  if (!process.env.SOAK_REPORT) return
  writeFileSync(process.env.SOAK_REPORT, JSON.stringify({ kills, calls, reconnected, breaches }))
})

t.test('of eight workers, one refreshes each account that is due, with one call', async (t) => {
  const scenario = await createScenario(t)
  const { time, endpoint, connect, forkWorker, check, findSpent } = scenario
  const networks = Object.keys(NETWORKS) as Network[]
  for (const network of networks) await connect(network, `${network}-1`)
  const workers = Array.from({ length: 8 }, forkWorker)
  for (const { ready } of workers) await ready
  time.now += LIFE_MS * 0.9
  await Promise.all(workers.map((worker) => finish(scenario, worker)))
  t.equal(endpoint.calls, networks.length)
  t.same(endpoint.breaches, [])
  t.same(await check(), [])
  t.same(await findSpent(), [])
})
