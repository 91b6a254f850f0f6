import { fork } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, createReadStream, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import pg from 'pg'
import type { Teardown } from '../../helpers/database.ts'
import { type ClientJob, type Fault, type FromKiller, hasKey, type Job, KINDS, type Kind } from './protocol.ts'

export interface Tally {
  faults: number
  requests: number
  created: number
  unavailable: number
  /** The slowest 503, in milliseconds. */
  slowestMs: number
  /** Other answers of 5xx. */
  failed: number
  /** Requests whose connection broke, and those among them that had no answer for ten seconds. */
  broken: number
  hung: number
  /** From the end of each fault to the first 201 after it, in milliseconds, ascending. */
  recoveries: number[]
  lost: number
  doubled: number
  /** What was refused and is there, or is there in another way that nobody was told of. */
  strays: number
  /** How often the API ended without having been killed. */
  exits: number
}

export interface Outcome {
  tallies: Map<Kind | 'no fault', Tally>
  acknowledged: number
  seconds: number
  /** What was found wrong, in words, the first of it. */
  breaches: string[]
}

/** Does the faults of `plan` under load, goes on until so much is acknowledged, and holds the history against the database. */
export async function runFaults(
  t: Teardown,
  { plan, pauseMs, writes }: Pick<Job, 'plan' | 'pauseMs'> & { writes: number },
): Promise<Outcome> {
  const begun = performance.now()
  const folder = mkdtempSync(join(tmpdir(), 'postroom-faults-'))
  chmodSync(folder, 0o755)
  const env = { PATH: process.env.PATH, NODE_COMPILE_CACHE: 'node_modules/.cache/node' }
  const killer = fork(new URL('./killer.ts', import.meta.url), { execArgv: [], env })
  const ended = once(killer, 'exit')
  t.teardown(async () => {
    if (killer.connected) killer.disconnect()
    await ended
    const data = realpathSync(join(folder, 'data'))
    if (data !== join(realpathSync(folder), 'data')) rmSync(dirname(data), { recursive: true, force: true })
    rmSync(folder, { recursive: true, force: true })
  })
  const failed = ended.then(([code]) => Promise.reject(new Error(`The killer ended with ${code}`)))
  failed.catch(() => {})
  const heard = <T extends FromKiller['type']>(type: T) =>
    Promise.race([
      new Promise<Extract<FromKiller, { type: T }>>((resolve) => {
        killer.on('message', (message: FromKiller) => {
          if (message.type === type) resolve(message as Extract<FromKiller, { type: T }>)
        })
      }),
      failed,
    ])
  const up = heard('up')
  const done = heard('done')
  done.catch(() => {})
  killer.send({ folder, plan, pauseMs } satisfies Job)
  const { databaseUrl, clients } = await up

  const client = fork(new URL('./client.ts', import.meta.url), [JSON.stringify(clients)], { execArgv: [], env })
  const stopped = once(client, 'exit')
  t.teardown(async () => {
    if (client.connected) client.disconnect()
    await stopped
  })
  const enough = new Promise<void>((resolve) => {
    client.on('message', (count: number) => {
      if (count >= writes) resolve()
    })
  })
  const gone = stopped.then(([code]) => Promise.reject(new Error(`The clients ended with ${code}`)))
  gone.catch(() => {})
  const { faults, exits } = await Promise.race([done, gone])
  await Promise.race([enough, gone])
  client.send('stop')
  await stopped
  return { ...(await compare(databaseUrl, clients, faults, exits)), seconds: (performance.now() - begun) / 1000 }
}

const emptyTally = (): Tally => ({
  ...{ faults: 0, requests: 0, created: 0, unavailable: 0, slowestMs: 0, failed: 0, broken: 0, hung: 0 },
  ...{ recoveries: [], lost: 0, doubled: 0, strays: 0, exits: 0 },
})

const HUNG_MS = 9_900
const BREACHES_MAX = 20

async function compare(
  databaseUrl: string,
  { userId, acknowledgedLog, otherLog }: ClientJob,
  faults: Fault[],
  exits: number[],
): Promise<Omit<Outcome, 'seconds'>> {
  const tallies = new Map<Kind | 'no fault', Tally>(
    (['no fault', ...KINDS] as const).map((kind) => [kind, emptyTally()]),
  )
  /** What happens belongs to the last fault before it. */
  const faultAt = (at: number) => faults.findLastIndex(({ beganAt }) => beganAt <= at)
  const tallyOf = (fault: number) => tallies.get(faults[fault]?.kind ?? 'no fault')!
  const breaches: string[] = []
  const found = (what: string) => breaches.length < BREACHES_MAX && breaches.push(what)

  for (const { kind } of faults) tallies.get(kind)!.faults++
  for (const at of exits) {
    tallyOf(faultAt(at)).exits++
    found(`the API ended by itself at ${at}`)
  }
  const created: (undefined | { id: string; fault: number })[] = []
  const deleted = new Set<number>()
  const refused = new Set<number>()
  const recovered = new Set<number>()
  let acknowledged = 0
  for await (const [at, , status, number, id] of readLog(acknowledgedLog)) {
    const fault = faultAt(+at!)
    const tally = tallyOf(fault)
    acknowledged++
    tally.requests++
    if (status !== '201') {
      deleted.add(+number!)
      continue
    }
    created[+number!] = { id: id!, fault }
    tally.created++
    if (fault >= 0 && !recovered.has(fault) && +at! >= faults[fault]!.overAt) {
      recovered.add(fault)
      tally.recoveries.push(+at! - faults[fault]!.overAt)
    }
  }
  for await (const [at, ms, status, number] of readLog(otherLog)) {
    const fault = faultAt(+at!)
    const tally = tallyOf(fault)
    tally.requests++
    if (status === '503') {
      tally.unavailable++
      tally.slowestMs = Math.max(tally.slowestMs, +ms!)
    } else if (status === '0') {
      tally.broken++
      if (+ms! > HUNG_MS) tally.hung++
    } else if (status!.startsWith('5')) {
      tally.failed++
      found(`${status} at ${at}`)
    } else if (+number! < 0) {
      tally.lost++
      found(`post ${-number!} could not be deleted: ${status}`)
    } else refused.add(+number!)
  }
  for (const tally of tallies.values()) tally.recoveries.sort((a, b) => a - b)

  const there = new Set<number>()
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    const { rows: counts } = await client.query(
      'select count(*)::int from posts p where (select count(*) from post_targets t where t.user_id = p.user_id and t.post_id = p.id) <> 3',
    )
    if (counts[0].count > 0) found(`${counts[0].count} posts are not whole`)
    for (let after = '00000000-0000-0000-0000-000000000000'; ; ) {
      const { rows } = await client.query<{ id: string; caption: string }>(
        'select id, caption from posts where user_id = $1 and id > $2 order by id limit 50000',
        [userId, after],
      )
      for (const { id, caption } of rows) {
        const number = Number(caption)
        const known = created[number]
        const tally = tallyOf(known?.fault ?? -1)
        if (!known && !hasKey(number) && !refused.has(number) && !there.has(number)) there.add(number)
        else if (!known) {
          tally.strays++
          found(`post ${number} is there${refused.has(number) ? ', and was refused' : ''}`)
        } else if (known.id !== id) {
          tally.doubled++
          found(`post ${number} is there twice, or under an id that nobody was told`)
        } else if (deleted.has(number)) {
          tally.lost++
          found(`post ${number} was deleted, and is there`)
        }
        if (known?.id === id) there.add(number)
      }
      if (rows.length === 0) break
      after = rows.at(-1)!.id
    }
  } finally {
    await client.end()
  }
  for (const [number, known] of created.entries()) {
    if (!known || there.has(number) || deleted.has(number)) continue
    tallyOf(known.fault).lost++
    found(`post ${number} was acknowledged, and is not there`)
  }
  return { tallies, acknowledged, breaches }
}

async function* readLog(file: string): AsyncGenerator<string[]> {
  for await (const line of createInterface({ input: createReadStream(file) })) yield line.split(' ')
}
