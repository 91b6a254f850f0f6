import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import pg from 'pg'
import { type Breach, findWrongClaim } from '../../helpers/promises.ts'
import { type ClientJob, type Fault, hasKey, KINDS, type Kind, NO_RESPONSE, TIMED_OUT } from './protocol.ts'

/** Events during and after all faults of a kind. */
export interface Tally {
  faults: number
  requests: number
  created: number
  /** Responses with 503, and the slowest of them. */
  unavailable: number
  slowestMs: number
  /** Other responses of 5xx. */
  failed: number
  /** Requests whose connection broke. */
  broken: number
  /** Requests without a response within the deadline. */
  timedOut: number
  /** Milliseconds from the end of each fault to the first 201 after it, ascending. */
  recoveries: number[]
  /** Acknowledged writes that the database does not have. */
  lost: number
  /** Posts stored twice, or under another id than the acknowledged one. */
  duplicated: number
  /** Posts stored though they were rejected, or retried under a key without an acknowledgement. */
  unexpected: number
  /** How often the API ended without having been killed. */
  exits: number
}

export interface Audit {
  tallies: Map<Kind | 'no fault', Tally>
  acknowledged: number
  /** The first promises found broken, in words. */
  breaches: string[]
}

/** The acknowledgement of a post. */
interface Known {
  id: string
  fault: number
}

interface Findings extends Audit {
  faults: Fault[]
  created: (undefined | Known)[]
  deleted: Set<number>
  rejected: Set<number>
}

const BREACHES_MAX = 20

/** Compares the logs of the clients with the database. */
export async function audit(
  databaseUrl: string,
  { userId, acknowledgedLog, otherLog }: ClientJob,
  faults: Fault[],
  exits: number[],
): Promise<Audit> {
  const tallies = new Map((['no fault', ...KINDS] as const).map((kind) => [kind, emptyTally()]))
  const findings: Findings = {
    faults,
    tallies,
    breaches: [],
    acknowledged: 0,
    created: [],
    deleted: new Set(),
    rejected: new Set(),
  }
  for (const { kind } of faults) tallies.get(kind)!.faults++
  for (const at of exits) {
    tallyOf(findings, faultAt(findings, at)).exits++
    addBreach(findings, `the API ended unexpectedly at ${at}`)
  }
  await readAcknowledged(findings, acknowledgedLog)
  await readOthers(findings, otherLog)
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    await findIncompletePosts(findings, client)
    await comparePosts(findings, client, userId)
  } finally {
    await client.end()
  }
  for (const { recoveries } of tallies.values()) recoveries.sort((a, b) => a - b)
  return findings
}

const emptyTally = (): Tally => ({
  faults: 0,
  requests: 0,
  created: 0,
  unavailable: 0,
  slowestMs: 0,
  failed: 0,
  broken: 0,
  timedOut: 0,
  recoveries: [],
  lost: 0,
  duplicated: 0,
  unexpected: 0,
  exits: 0,
})

/** Index of the last fault that began before; -1 if there was none. */
const faultAt = ({ faults }: Findings, at: number) => faults.findLastIndex(({ beganAt }) => beganAt <= at)

const tallyOf = ({ faults, tallies }: Findings, fault: number) => tallies.get(faults[fault]?.kind ?? 'no fault')!

function addBreach({ breaches }: Findings, text: string): void {
  if (breaches.length < BREACHES_MAX) breaches.push(text)
}

async function readAcknowledged(findings: Findings, log: string): Promise<void> {
  const recovered = new Set<number>()
  for await (const [at, , status, number, id] of readLog(log)) {
    const fault = faultAt(findings, +at!)
    const tally = tallyOf(findings, fault)
    findings.acknowledged++
    tally.requests++
    if (status !== '201') {
      findings.deleted.add(+number!)
      continue
    }
    findings.created[+number!] = { id: id!, fault }
    tally.created++
    if (fault < 0 || recovered.has(fault) || +at! < findings.faults[fault]!.overAt) continue
    recovered.add(fault)
    tally.recoveries.push(+at! - findings.faults[fault]!.overAt)
  }
}

async function readOthers(findings: Findings, log: string): Promise<void> {
  for await (const [at, ms, status, number] of readLog(log)) {
    const tally = tallyOf(findings, faultAt(findings, +at!))
    tally.requests++
    if (status === '503') {
      tally.unavailable++
      tally.slowestMs = Math.max(tally.slowestMs, +ms!)
    } else if (status === NO_RESPONSE) tally.broken++
    else if (status === TIMED_OUT) {
      tally.timedOut++
      addBreach(findings, `the request of post ${number} got no response within ${ms} ms`)
    } else if (status!.startsWith('5')) {
      tally.failed++
      addBreach(findings, `${status} at ${at}`)
    } else if (+number! < 0) {
      tally.lost++
      addBreach(findings, `post ${-number!} was acknowledged, and its deletion returned ${status}`)
    } else findings.rejected.add(+number!)
  }
}

async function findIncompletePosts(findings: Findings, client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ count: number }>(`
    select count(*)::int from posts
    where (select count(*) from post_targets t where t.user_id = posts.user_id and t.post_id = posts.id) <> 3`)
  if (rows[0]!.count > 0) addBreach(findings, `${rows[0]!.count} posts were stored without all of their targets`)
}

const ROWS_PER_PAGE = 50_000

const TALLIED: Partial<Record<Breach['kind'], 'lost' | 'duplicated' | 'unexpected'>> = {
  lost: 'lost',
  'stored twice': 'duplicated',
  unexpected: 'unexpected',
}

async function comparePosts(findings: Findings, client: pg.Client, userId: string): Promise<void> {
  const { created, deleted, rejected } = findings
  const stored = await readStored(client, userId)
  for (const number of new Set([...created.keys(), ...stored.keys()])) {
    const known = created[number]
    const claim = {
      name: `post ${number}`,
      ids: known ? [known.id] : [],
      // Sent once without a key.
      mayBeStored: !hasKey(number) && !rejected.has(number),
      deletion: deleted.has(number) ? ('acknowledged' as const) : undefined,
      stored: stored.get(number) ?? [],
    }
    for (const { kind, text } of findWrongClaim(claim)) {
      tallyOf(findings, known?.fault ?? -1)[TALLIED[kind]!]++
      addBreach(findings, text)
    }
  }
}

/** The ids of the posts that are stored under each number. */
async function readStored(client: pg.Client, userId: string): Promise<Map<number, string[]>> {
  const stored = new Map<number, string[]>()
  for (let after = '00000000-0000-0000-0000-000000000000'; ; ) {
    const { rows } = await client.query<{ id: string; caption: string }>(
      `select id, caption from posts where user_id = $1 and id > $2 order by id limit ${ROWS_PER_PAGE}`,
      [userId, after],
    )
    for (const { id, caption } of rows) {
      const ids = stored.get(Number(caption))
      if (ids) ids.push(id)
      else stored.set(Number(caption), [id])
    }
    if (rows.length === 0) return stored
    after = rows.at(-1)!.id
  }
}

async function* readLog(file: string): AsyncGenerator<string[]> {
  for await (const line of createInterface({ input: createReadStream(file) })) yield line.split(' ')
}
