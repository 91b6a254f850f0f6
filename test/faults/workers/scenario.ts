import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import { v5 as uuidOf } from 'uuid'
import type { PostType } from '../../../schemas/platform.ts'
import type { SandboxFault } from '../../../schemas/sandbox.ts'
import { planActs } from '../../../src/delivery/plan.ts'
import { createWorld, type World } from '../../helpers/app.ts'
import type { Teardown } from '../../helpers/database.ts'
import { type FakeTelegram, startTelegram } from '../../helpers/fake-telegram.ts'
import type { FromKiller, Job, Report, ToKiller } from './protocol.ts'

const HOUR = 3_600_000

const SANDBOX_ACCOUNTS = 10
const TELEGRAM_ACCOUNTS = 8

/** Faults after which a post comes out once all the same, and the one that leaves it open. */
const FAULTS: SandboxFault[] = ['server_error_after', 'timeout_after', 'server_error', 'rate_limited', 'unknown']

export interface Scenario {
  /** Carries out a job to its end. */
  run(job: Pick<Job, 'plan' | 'workers'>): Promise<Report>
  /** Every way in which what is there differs from what was promised. */
  findBreaches(report: Report): Promise<string[]>
  /** How many acts the posts are made of. */
  countActs(): Promise<number>
}

/** A world with accounts on the sandbox and on Telegram, where so many posts are written whenever there are none left. */
export async function createScenario(t: Teardown, { posts }: { posts: number }): Promise<Scenario> {
  const world = await createWorld(t)
  const telegram = await startTelegram(t)
  const start = (await sql<{ now: Date }>`select now()`.execute(world.db)).rows[0]!.now.getTime()
  const write = await createWriter(world, telegram, start)
  const answer: Answers = {
    settle: (worker) => settle(world, telegram, worker),
    more: () => write(posts),
  }
  return {
    run: (job) => {
      const { databaseUrl, mediaDir } = world
      return runKiller(t, { ...job, now: start + HOUR, databaseUrl, mediaDir, telegram: telegram.address }, answer)
    },
    findBreaches: (report) => findBreaches(world, telegram, report),
    countActs: async () => (await readDeliveries(world)).reduce((count, { plan }) => count + plan.length, 0),
  }
}

/** Gives what writes so many posts, on many accounts, of every kind in turn. */
async function createWriter(
  world: World,
  telegram: FakeTelegram,
  start: number,
): Promise<(posts: number) => Promise<void>> {
  const ada = await world.user()
  const connected = async (platform: 'sandbox' | 'telegram', username: string, credentials: object) => {
    const accountId = await ada.account(platform, { username })
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
    const faulty = (faultAct: number) => ({ accountOverrides: [{ accountId: sandbox, fields: { fault, faultAct } }] })
    const kinds = [
      { accountIds: [sandbox], caption },
      { accountIds: [channel], caption, firstComment },
      { accountIds: [sandbox], postType: 'thread', threadParts, firstComment },
      { accountIds: [sandbox, other, channel], caption, firstComment, ...faulty(1 + (number % 2)) },
      { accountIds: [sandbox], postType: 'thread', threadParts, firstComment, ...faulty(1 + (number % 4)) },
      { accountIds: [channel], caption, firstComment },
    ]
    const { status, body } = await ada.call('POST', '/posts', { ...at(kinds), scheduledAt })
    if (status !== 201) throw new Error(JSON.stringify(body))
    number++
  }
  return async (posts) => {
    for (let left = posts; left > 0; left--) await write()
  }
}

interface Answers {
  settle(worker: string): Promise<void>
  more(): Promise<void>
}

/** Starts the killer, and gives what it reports. */
async function runKiller(t: Teardown, job: Job, { settle, more }: Answers): Promise<Report> {
  const killer = fork(new URL('./killer.ts', import.meta.url), {
    // Not those of tap, which do not serve here.
    execArgv: [],
    env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: 'node_modules/.cache/node' },
  })
  const ended = once(killer, 'exit')
  // Without us, it ends its workers and itself.
  t.teardown(async () => {
    if (killer.connected) killer.disconnect()
    await ended
  })
  const tell = (message: ToKiller) => killer.send(message)
  const report = new Promise<Report>((resolve, reject) => {
    killer.on('message', (message: FromKiller) => {
      if (message.type === 'report') {
        resolve(message.report)
        killer.disconnect()
      } else (message.type === 'more' ? more() : settle(message.worker)).then(() => tell({ type: 'done' }), reject)
    })
    ended.then(([code]) => reject(new Error(`The killer ended with ${code}`)))
  })
  tell({ type: 'job', job })
  return report
}

/** Waits until nothing of a dead worker's is under way: its statements have ended, and its calls have arrived. */
async function settle({ db }: World, telegram: FakeTelegram, worker: string): Promise<void> {
  const isConnected = async () =>
    (await sql`select from pg_stat_activity where application_name = ${worker}`.execute(db)).rows.length > 0
  while ((await isConnected()) || (await telegram.connections()) > 0) await pause(1)
}

async function readDeliveries({ db }: World) {
  const rows = await db
    .selectFrom('postTargets')
    .innerJoin('posts', (join) =>
      join.onRef('posts.userId', '=', 'postTargets.userId').onRef('posts.id', '=', 'postTargets.postId'),
    )
    .innerJoin('accounts', 'accounts.id', 'postTargets.accountId')
    .selectAll('postTargets')
    .select(['posts.caption', 'posts.firstComment', 'posts.postType', 'posts.status', 'accounts.username'])
    .execute()
  return rows.map((row) => {
    const threadParts = row.threadParts as string[] | null
    const sent = row.sent as { id: string | null }[]
    const fields = (row.fields ?? {}) as { fault?: SandboxFault; faultAct?: number }
    const plan = planActs({ ...row, threadParts, postType: row.postType as PostType })
    return { ...row, sent, fields, plan: plan.map((act) => ({ ...act, token: uuidOf(String(act.number), row.token) })) }
  })
}

/** One thing that a network has made visible. */
interface Visible {
  id: string
  parentId: string | null
}

async function findBreaches(world: World, telegram: FakeTelegram, report: Report): Promise<string[]> {
  const breaches: string[] = []
  const deliveries = await readDeliveries(world)
  const calls = await world.db.selectFrom('sandboxCalls').selectAll().orderBy('id').execute()
  const attempts = await world.db.selectFrom('deliveryAttempts').selectAll().orderBy('number').execute()
  const messages = telegram.calls.map(({ body }, place) => {
    const { text, reply_parameters } = body as { text: string; reply_parameters?: { message_id: number } }
    const parentId = reply_parameters ? String(reply_parameters.message_id) : null
    return { text, username: telegram.messages[place]?.chat.username, id: String(place + 1), parentId }
  })
  if (telegram.calls.length !== telegram.messages.length) breaches.push('Telegram has refused something')

  for (const delivery of deliveries) {
    const { platform, state, sent, plan, fields, username, intent } = delivery
    const name = `${username}, ${plan[0]!.text}`
    const expect = (isSo: boolean, what: string) => isSo || breaches.push(`${name} (${state}): ${what}`)
    const isSandbox = platform === 'sandbox'
    const ofAct = plan.map(({ text, token }): Visible[] =>
      isSandbox
        ? calls
            .filter((call) => call.token === token && call.accepted)
            .map(({ id, content }) => ({ id, parentId: (content as { parentId: string | null }).parentId }))
        : messages.filter((message) => message.text === text && message.username === username),
    )
    expect(state === 'published' || state === 'unconfirmed', 'it has come to its end')
    expect(delivery.status === 'published', `its post is ${delivery.status}`)
    expect(delivery.leaseToken === null && delivery.claimableAt === null, 'nobody holds it')
    expect((intent !== null) === (state === 'unconfirmed'), `its intent is ${intent}`)
    expect(sent.length === (state === 'published' ? plan.length : (intent ?? 0) - 1), `${sent.length} acts are known`)

    for (const [index, { number, token }] of plan.entries()) {
      const [visible, ...more] = ofAct[index]!
      expect(more.length === 0, `act ${number} was sent ${more.length + 1} times`)
      if (index < sent.length) {
        expect(visible !== undefined, `act ${number} is lost`)
        expect(visible?.id === sent[index]!.id, `act ${number} is known by its id`)
        expect(visible?.parentId === (sent[index - 1]?.id ?? null), `act ${number} answers to the one before it`)
        const refused = calls.filter((call) => call.token === token && !call.accepted).length
        const isRefused = fields.faultAct === number && /^(?:server_error|rate_limited)$/.test(fields.fault ?? '')
        expect(refused === (isRefused ? 1 : 0), `act ${number} was refused ${refused} times`)
      } else if (number !== intent) expect(visible === undefined, `act ${number} was sent out of turn`)

      const fates = report.interrupted.filter(({ act }) => act === token)
      const mayBeOpen = isSandbox
        ? fields.fault === 'unknown' && fields.faultAct === number
        : fates.some(({ step, isBeyond }) => OPEN.includes(step) || (step === 'intending' && isBeyond))
      const mustBeOpen = isSandbox
        ? mayBeOpen
        : fates.some(
            ({ step, isBeyond, isLost }) => OPEN.includes(step) && !isLost && !(step === 'answered' && isBeyond),
          )
      const isOpen = intent === number
      expect(!isOpen || mayBeOpen, `act ${number} can be known`)
      if (mustBeOpen && intent !== null && intent >= number) expect(isOpen, `act ${number} cannot be known`)
      if (mustBeOpen) expect(state === 'unconfirmed', `act ${number} cannot be known`)
      // What is known of an open one: whether its call was made.
      const isMade =
        isSandbox || fates.some(({ step, isLost }) => !isLost && (step === 'called' || step === 'answered'))
      const isNotMade = fates.some(({ step, isBeyond, isLost }) => (step === 'intended' && !isBeyond) || isLost)
      if (isOpen && isMade) expect(visible !== undefined, `act ${number} was called, and is lost`)
      if (isOpen && !isSandbox && isNotMade) expect(visible === undefined, `act ${number} was sent by nobody`)
    }

    const ledger = attempts.filter(
      ({ postId, accountId }) => postId === delivery.postId && accountId === delivery.accountId,
    )
    expect(
      ledger.every(({ outcome, finishedAt }) => outcome !== null && finishedAt !== null),
      'no attempt is open',
    )
    expect(ledger.length === delivery.attempts, `${ledger.length} of ${delivery.attempts} attempts are in the ledger`)
    for (const { number } of plan) {
      const times = ledger.filter(({ act, outcome }) => act === number && /^(?:published|found)$/.test(outcome ?? ''))
      expect(times.length === (number <= sent.length ? 1 : 0), `act ${number} came out ${times.length} times`)
    }
  }
  return breaches
}

/** An act whose worker was stopped there is one that nobody knows of, unless its network can be asked. */
const OPEN = ['intended', 'called', 'answered']
