import { fork } from 'node:child_process'
import { once } from 'node:events'
import { sql } from 'kysely'
import type { SandboxFault } from '../../../schemas/sandbox.ts'
import { createWorld, type Person, type World } from '../../helpers/app.ts'
import type { Teardown } from '../../helpers/database.ts'
import { CHILD_ENV } from '../../helpers/log-record.ts'
import { until } from '../../helpers/until.ts'
import { type FakeTelegram, startTelegram } from '../../networks/fakes/telegram.ts'
import { findBreaches, readDeliveries } from './breaches.ts'
import { createEditor, type Editor } from './editor.ts'
import type { FromKiller, Job, Report, ToKiller } from './protocol.ts'

const HOUR = 3_600_000

const SANDBOX_ACCOUNTS = 10
const TELEGRAM_ACCOUNTS = 8

/** The faults after which an act is still published once, and `unknown`, after which its delivery is unconfirmed. */
const FAULTS: SandboxFault[] = ['server_error_after', 'timeout_after', 'server_error', 'rate_limited', 'unknown']

export interface Scenario {
  /** Runs the killer with a plan. Returns its report. */
  run(job: Pick<Job, 'plan' | 'workers'>): Promise<Report>
  /** Compares the database with what the networks received. Returns every broken promise. */
  findBreaches(report: Report): Promise<string[]>
  /** Number of acts in all posts. */
  countActs(): Promise<number>
  editor: Editor
}

/**
 * A world with accounts on the sandbox and on a fake Telegram. It creates `posts` posts each time the killer needs
 * more. With `areEdited`, their owner changes them after each kill.
 */
export async function createScenario(
  t: Teardown,
  { posts, areEdited = false }: { posts: number; areEdited?: boolean },
): Promise<Scenario> {
  const world = await createWorld(t)
  const telegram = await startTelegram(t)
  const start = (await sql<{ now: Date }>`select now()`.execute(world.db)).rows[0]!.now.getTime()
  const owner = await world.user()
  const writePosts = await createWriter(world, owner, telegram, start)
  const editor = createEditor(world, owner)
  const handlers: Handlers = {
    settle: async (worker) => {
      await untilSettled(world, telegram, worker)
      if (areEdited) await editor.edit()
    },
    more: () => writePosts(posts),
  }
  return {
    run: (job) => {
      const { databaseUrl, mediaDir } = world
      return runKiller(t, { ...job, now: start + HOUR, databaseUrl, mediaDir, telegram: telegram.address }, handlers)
    },
    editor,
    findBreaches: (report) => findBreaches(world, telegram, report, editor.replaced),
    countActs: async () => (await readDeliveries(world.db)).reduce((count, { plan }) => count + plan.length, 0),
  }
}

/** Creates the accounts. Returns a function that creates posts of every kind in turn. */
async function createWriter(
  world: World,
  owner: Person,
  telegram: FakeTelegram,
  start: number,
): Promise<(posts: number) => Promise<void>> {
  const connected = async (platform: 'sandbox' | 'telegram', username: string, credentials: object) => {
    const accountId = await owner.account(platform, { username })
    const sealed = { keyId: 'none', dataKey: Buffer.alloc(1), data: Buffer.from(JSON.stringify(credentials)) }
    await world.db
      .insertInto('accountCredentials')
      .values({ accountId, ...sealed })
      .execute()
    return accountId
  }
  const sandboxes: string[] = []
  for (let number = 0; number < SANDBOX_ACCOUNTS; number++) {
    sandboxes.push(await connected('sandbox', `sandbox${number}`, { username: `sandbox${number}` }))
  }
  const channels: string[] = []
  for (let number = 0; number < TELEGRAM_ACCOUNTS; number++) {
    const username = `channel${number}`
    telegram.chats.push({ id: -1_001_000_000_000 - number, type: 'channel', title: username, username })
    channels.push(await connected('telegram', username, { ...telegram.credentials, chatId: `@${username}` }))
  }
  const scheduledAt = new Date(start).toISOString()

  let number = 0
  const write = async () => {
    const [caption, firstComment] = [`post ${number}`, `comment ${number}`]
    const at = <T>(list: T[]) => list[number % list.length]!
    const [sandbox, channel] = [at(sandboxes), at(channels)]
    const other = sandboxes[(number + 1) % sandboxes.length]!
    const threadParts = { [sandbox]: ['first', 'second', 'third'].map((part) => `${part} of ${number}`) }
    const fault = FAULTS[Math.floor(number / 6) % FAULTS.length]
    const faulty = (faultAct: number, ...others: object[]) => ({
      accountOverrides: [{ accountId: sandbox, fields: { fault, faultAct } }, ...others],
    })
    const later = (accountId: string, minutes: number) => ({
      accountId,
      scheduledAt: new Date(start + minutes * 60_000).toISOString(),
    })
    const ownTimes = [later(other, 10), later(channel, 25)]
    const kinds = [
      { accountIds: [sandbox], caption },
      { accountIds: [channel], caption, firstComment },
      { accountIds: [sandbox], postType: 'thread', threadParts, firstComment },
      { accountIds: [sandbox, other, channel], caption, firstComment, ...faulty(1 + (number % 2), ...ownTimes) },
      { accountIds: [sandbox], postType: 'thread', threadParts, firstComment, ...faulty(1 + (number % 4)) },
      { accountIds: [channel], caption, firstComment },
    ]
    const { status, body } = await owner.call('POST', '/posts', { ...at(kinds), scheduledAt })
    if (status !== 201) throw new Error(JSON.stringify(body))
    number++
  }
  return async (posts) => {
    for (let left = posts; left > 0; left--) await write()
  }
}

/** Requests from the killer to the test. */
interface Handlers {
  settle(worker: string): Promise<void>
  more(): Promise<void>
}

/** Starts the killer. Returns its report. */
async function runKiller(t: Teardown, job: Job, { settle, more }: Handlers): Promise<Report> {
  const killer = fork(new URL('./killer.ts', import.meta.url), {
    // Drops the loaders of tap.
    execArgv: [],
    env: CHILD_ENV,
  })
  const ended = once(killer, 'exit')
  // When it is disconnected, it kills its workers and ends.
  t.teardown(async () => {
    if (killer.connected) killer.disconnect()
    await ended
  })
  const send = (message: ToKiller) => killer.send(message)
  const report = new Promise<Report>((resolve, reject) => {
    killer.on('message', (message: FromKiller) => {
      if (message.type === 'report') {
        resolve(message.report)
        killer.disconnect()
      } else (message.type === 'more' ? more() : settle(message.worker)).then(() => send({ type: 'done' }), reject)
    })
    ended.then(([code]) => reject(new Error(`The killer ended with code ${code}`)))
  })
  send({ type: 'job', job })
  return report
}

/** Waits until the statements of a killed worker have ended, and its calls have arrived. */
async function untilSettled({ db }: World, telegram: FakeTelegram, worker: string): Promise<void> {
  const isConnected = async () =>
    (await sql`select from pg_stat_activity where application_name = ${worker}`.execute(db)).rows.length > 0
  const isSettled = async () => !(await isConnected()) && (await telegram.connections()) === 0
  await until(`nothing of ${worker} is still arriving`, isSettled, { intervalMs: 1 })
}
