import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import t, { type Test } from 'tap'
import { connect, type Db } from '../../db/client.ts'
import type { ClaimedDelivery } from '../../db/queries/delivery/claim.ts'
import type { JournalFiles } from '../../src/base/storage/journal.ts'
import { JOURNAL_KEPT_MS, JOURNAL_STALE_MS, JOURNAL_WAIT_MS, SEGMENT_MAX_MS } from '../../src/engine/delivery/timing.ts'
import { openJournal } from '../../src/engine/journal/journal.ts'
import { decodeSegment, encodeEntry, encodeGroup, isAhead, nameOf } from '../../src/engine/journal/journal-text.ts'
import { readJournal } from '../../src/engine/journal/read-journal.ts'
import { createDatabase } from '../helpers/database.ts'
import { noLog } from '../helpers/log-record.ts'
import { untilBlocked } from '../helpers/until.ts'

const delivery = { userId: 'u', postId: 'p', accountId: 'a', startedAt: new Date() } as ClaimedDelivery

/** A database, a storage in memory that can fail, and workers with a clock that the test moves. */
async function setUp(t: Test) {
  const url = await createDatabase(t)
  const open = () => {
    const db = connect({ url, poolMax: 2 })
    t.teardown(() => db.destroy())
    return db
  }
  const segments = new Map<string, string>()
  const storage = { before: async () => {} }
  const files: JournalFiles = {
    write: async (_id, name, text) => {
      await storage.before()
      segments.set(name, text)
    },
    remove: async (_id, name) => void segments.delete(name),
    list: async (_id, after, count) => {
      await storage.before()
      return [...segments.keys()]
        .filter((name) => name > after)
        .sort()
        .slice(0, count)
    },
    read: async (_id, name) => segments.get(name)!,
    installations: async () => (segments.size > 0 ? ['one'] : []),
  }
  const db = open()
  const time = { uptimeMs: 0 }
  const logged: string[] = []
  const say = (_facts: object, message: string) => void logged.push(message)
  const worker = (on: Db = db) =>
    openJournal({ db: on, files, log: { ...noLog, error: say, info: say }, uptimeMs: () => time.uptimeMs })
  /** The acts in the journal, in order, and the marks. */
  const written = () => {
    const groups = [...segments.keys()].sort().flatMap((name) => decodeSegment(segments.get(name)!))
    return {
      acts: groups.flatMap(({ entries }) => entries.map(({ act }) => act)),
      marks: groups.flatMap(({ marks }) => marks).sort((a, b) => a - b),
      isLate: groups.map(({ isLate }) => isLate),
    }
  }
  const markOf = async () => (await db.selectFrom('installation').select('mark').executeTakeFirstOrThrow()).mark
  return { db, open, files, segments, storage, time, logged, worker, written, markOf }
}

t.test('a worker refuses when its database goes back, without a restart', async (t) => {
  const { db, time, logged, worker, markOf } = await setUp(t)
  const journal = worker()
  t.equal(await journal.isReady(), true)
  t.equal(await journal.begin(), true)
  await journal.intended(delivery, 1, 1)
  await journal.close()
  await db
    .updateTable('installation')
    .set({ mark: (await markOf()) - 1 })
    .execute()
  time.uptimeMs += JOURNAL_STALE_MS
  t.equal(await journal.begin(), false)
  t.equal(await journal.isReady(), false)
  t.match(logged, [/the database is older than what was sent/])
  t.equal(await worker().isReady(), false, 'other workers refuse too')

  await db.updateTable('installation').set({ refusedSince: null, mark: 100 }).execute()
  t.equal(await journal.isReady(), true, 'it goes on when the refusal has ended')
  t.equal(await journal.begin(), true)
})

t.test('a call is in the journal before it is made, with all of the same moment in one write', async (t) => {
  const { segments, storage, worker, written } = await setUp(t)
  const journal = worker()
  await journal.isReady()
  await journal.begin()
  let writes = 0
  storage.before = async () => void writes++
  await Promise.all([1, 2, 3].map((act) => journal.intended(delivery, act, act)))
  t.strictSame(written().acts, [1, 2, 3])
  t.equal(writes, 1)
  await journal.close()
  t.strictSame(written().acts, [1, 2, 3], 'the next segment has them instead')
  t.equal(segments.size, 1)
})

t.test('a call that is written while the mark is advanced follows what was known before', async (t) => {
  const { db, open, files, worker } = await setUp(t)
  const locks = open()
  const journal = worker()
  await journal.isReady()
  await journal.begin()
  const { id, mark } = await db.selectFrom('installation').selectAll().executeTakeFirstOrThrow()
  await journal.intended(delivery, 1, 1)
  journal.settled(delivery, 1, 1, { state: 'publishing', sent: [], mayBeSent: false, outcome: null } as never)
  const locked = Promise.withResolvers<void>()
  const release = Promise.withResolvers<void>()
  const holding = locks.transaction().execute(async (transaction) => {
    await sql`select from installation for update`.execute(transaction)
    locked.resolve()
    await release.promise
  })
  await locked.promise
  const closed = journal.close()
  await untilBlocked(db)
  const written = journal.intended(delivery, 2, 2)
  // Long enough to be written, if it did not wait.
  await nextTurn()
  await nextTurn()
  release.resolve()
  await Promise.all([holding, closed, written])
  const { entries } = await readJournal(files, { id, mark }, new Date())
  const read = [...entries.values()].flat().map(({ act, state }) => `${act} ${state ?? 'call'}`)
  t.strictSame(
    [read.indexOf('1 call'), read.indexOf('1 publishing'), read.indexOf('2 call')],
    [0, 1, read.length - 1],
    read.join(),
  )
})

t.test('a worker that was idle recognises marks that only others have reached', async (t) => {
  const { db, time, worker } = await setUp(t)
  const [idle, busy] = [worker(), worker()]
  for (const journal of [idle, busy]) t.equal((await journal.isReady()) && (await journal.begin()), true)
  for (let act = 1; act <= 5; act++) {
    await busy.intended(delivery, act, 1)
    await busy.close()
  }
  await db.updateTable('installation').set({ mark: 4 }).execute()
  time.uptimeMs += JOURNAL_STALE_MS
  t.equal(await idle.begin(), false)
})

t.test('workers that write simultaneously, start and end never refuse', async (t) => {
  const { storage, time, logged, worker, written, markOf } = await setUp(t)
  storage.before = () => new Promise((resolve) => setTimeout(resolve, Math.random() * 3))
  const run = async (number: number) => {
    for (let life = 0; life < 3; life++) {
      const journal = worker()
      while (!(await journal.isReady())) await storage.before()
      for (let round = 0; round < 10; round++) {
        time.uptimeMs += JOURNAL_STALE_MS / 4
        if (!(await journal.begin())) throw new Error('refused')
        await journal.intended(delivery, number * 1_000 + life * 100 + round, 1)
        if (round % 3 === 0) await journal.close()
      }
      await journal.close()
    }
  }
  await Promise.all([1, 2, 3, 4].map(run))
  t.strictSame(logged, [])
  const { acts, marks } = written()
  t.equal(new Set(acts).size, 4 * 3 * 10)
  t.strictSame(
    marks,
    Array.from({ length: await markOf() }, (_, index) => index + 1),
    'no mark is missing',
  )
})

t.test('without the storage, calls are made, and what was sent is written when it is back', async (t) => {
  const { storage, time, logged, worker, written } = await setUp(t)
  const journal = worker()
  await journal.isReady()
  storage.before = async () => {
    throw new Error('S3 cannot be reached')
  }
  for (let act = 1; act <= 3; act++) {
    t.equal(await journal.begin(), true)
    await journal.intended(delivery, act, 1)
    await journal.close()
    time.uptimeMs += JOURNAL_STALE_MS
  }
  t.strictSame(written().acts, [])
  storage.before = async () => {}
  await journal.begin()
  await journal.intended(delivery, 4, 1)
  await journal.close()
  const { acts, marks } = written()
  t.strictSame(acts, [1, 2, 3, 4])
  t.strictSame(
    marks,
    [...marks.keys()].map((index) => index + 1),
    'no mark is missing',
  )
  t.strictSame(logged, [
    'the journal of what was sent cannot be written; it is kept in memory',
    'the journal of what was sent is written again',
  ])
})

t.test('a storage that does not respond does not stop calls', async (t) => {
  const { storage, time, worker } = await setUp(t)
  const journal = worker()
  await journal.isReady()
  storage.before = () => new Promise(() => {})
  t.equal(await journal.begin(), true)
  await journal.intended(delivery, 1, 1)
  time.uptimeMs += JOURNAL_STALE_MS
  t.equal(await journal.begin(), true)
})

t.test('all operations of a slow storage together stop calls no longer than one that does not respond', async (t) => {
  const { storage, time, worker } = await setUp(t)
  const journal = worker()
  await journal.isReady()
  await journal.begin()
  time.uptimeMs += JOURNAL_STALE_MS
  let [begun, ended] = [0, 0]
  storage.before = async () => {
    begun++
    await pause(0.8 * JOURNAL_WAIT_MS)
    ended++
  }
  t.equal(await journal.begin(), true)
  t.strictSame({ begun, ended }, { begun: 2, ended: 1 }, 'the second operation is not waited for')
})

t.test('a segment that could not be removed is removed with the next write', async (t) => {
  const { files, segments, worker } = await setUp(t)
  const journal = worker()
  await journal.isReady()
  await journal.begin()
  await journal.intended(delivery, 1, 1)
  const remove = files.remove
  files.remove = async () => {
    throw new Error('S3 cannot be reached')
  }
  await journal.close()
  t.ok([...segments.keys()].some(isAhead))
  files.remove = remove
  await journal.close()
  t.notOk([...segments.keys()].some(isAhead))
  t.equal(segments.size, 1)
})

t.test('a segment that is left behind explains no mark that is missing later', async (t) => {
  const { files, segments } = await setUp(t)
  const group = (mark: number, at: Date, entries: string[] = []) =>
    encodeGroup({ mark, marks: entries.length > 0 ? [] : [mark], at, isLate: entries.length > 0 }, entries)
  const start = Date.now() - 3_600_000
  const timeAt = (seconds: number) => new Date(start + 1_000 * seconds)
  const put = (mark: number, seconds: number, writer: string) =>
    segments.set(nameOf({ mark, time: timeAt(seconds), writer }), group(mark, timeAt(seconds)))
  for (const mark of [1, 2, 3]) put(mark, mark, `aaaaaaaa${mark}`)
  const { userId, postId, accountId } = delivery
  const call = encodeEntry({ userId, postId, accountId, act: 1, attempt: 1, at: start + 3_500 })
  const left = nameOf({ mark: 3, time: timeAt(3), writer: 'bbbbbbbb1', ahead: 1 })
  segments.set(left, group(3, timeAt(3), [call]))
  put(5, 5, 'aaaaaaaa5')
  const isComplete = async () => (await readJournal(files, { id: 'one', mark: 1 }, new Date())).isComplete
  t.equal(await isComplete(), true, 'mark 4 was reached by a worker that was killed')
  put(4, 4, 'aaaaaaaa4')
  put(6, 600, 'aaaaaaaa6')
  put(8, 602, 'aaaaaaaa8')
  t.equal(await isComplete(), false, 'mark 7 was reached ten minutes later')
  put(7, 601, 'aaaaaaaa7')
  t.equal(await isComplete(), true)
  segments.delete([...segments.keys()].find((name) => name.includes('aaaaaaaa4'))!)
  put(8, 603, 'bbbbbbbb1')
  t.equal(await isComplete(), false, 'its worker went on')
})

t.test('what was sent before the database was lost is written without it', async (t) => {
  const { open, worker, written } = await setUp(t)
  const db = open()
  const journal = worker(db)
  await journal.isReady()
  await journal.begin()
  await journal.intended(delivery, 1, 1)
  await db.destroy()
  await journal.close()
  const { acts, isLate } = written()
  t.strictSame(acts, [1])
  t.equal(isLate.at(-1), true, 'the entries are newer than the mark')
})

t.test('old segments are deleted, but never the last one', async (t) => {
  const { segments, time, worker } = await setUp(t)
  const old = nameOf({ mark: 0, time: new Date(Date.now() - JOURNAL_KEPT_MS - 1_000), writer: 'a1' })
  const young = nameOf({ mark: 0, time: new Date(Date.now() - JOURNAL_KEPT_MS + 60_000), writer: 'a2' })
  segments.set(old, '').set(young, '')
  const journal = worker()
  await journal.isReady()
  await journal.begin()
  t.notOk(segments.has(old))
  t.ok(segments.has(young))
  time.uptimeMs += SEGMENT_MAX_MS + 1
  await journal.begin()
  time.uptimeMs += SEGMENT_MAX_MS + 1
  await journal.begin()
  t.ok(segments.size > 2, 'a segment is closed after an hour')
})

t.test('a segment whose last line a crash has cut off is read up to that line', async (t) => {
  const { segments, worker } = await setUp(t)
  const journal = worker()
  await journal.isReady()
  await journal.begin()
  await journal.intended(delivery, 1, 1)
  await journal.intended(delivery, 2, 1)
  const ahead = segments.get([...segments.keys()].find(isAhead)!)!
  const acts = decodeSegment(ahead.slice(0, -20)).flatMap(({ entries }) => entries.map(({ act }) => act))
  t.strictSame(acts, [1])
  await journal.close()
})
