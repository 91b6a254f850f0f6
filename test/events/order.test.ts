import { sql } from 'kysely'
import t from 'tap'
import { connect, type Db } from '../../db/client.ts'
import { listEvents, readBounds } from '../../db/queries/events/read.ts'
import { sequenceEvents } from '../../db/queries/events/sequence.ts'
import { createWorld } from '../helpers/app.ts'
import { numberEvents } from '../helpers/events.ts'
import { blockedBackends, until } from '../helpers/until.ts'

const COMMITS = 10_000
const WRITERS = 8

/** Writes one event in a transaction of its own. */
const write = (db: Db, userId: string, data: { writer: string; number: number }) =>
  sql`
    insert into event_outbox (user_id, type, data)
    values (${userId}, 'post.deleted', ${JSON.stringify(data)}::jsonb)`.execute(db)

/** Follows the events of a user, or of all, as a client does, until `isOver`. Returns them in the order that it saw. */
async function follow(db: Db, userId: string | null, isOver: () => boolean) {
  const seen: { userId: string; position: number; writer: string; number: number }[] = []
  const conditions = { userId, types: null, postId: null, accountId: null, listedAccountIds: null }
  for (let after = 0; ; ) {
    const wasOver = isOver()
    const { events, last } = await listEvents(db, { ...conditions, after, limit: 100 })
    for (const { userId, position, data } of events) {
      if (data.writer) seen.push({ userId, position, ...(data as { writer: string; number: number }) })
    }
    if (last === after && wasOver) return seen
    after = last
  }
}

t.test(
  'readers get every event once and in order, while one transaction stays open and 10,000 others commit',
  async (t) => {
    const { db, databaseUrl, user } = await createWorld(t, { poolMax: 6 })
    const people = [await user(), await user()]
    const pool = connect({ url: databaseUrl, poolMax: 12 })
    t.teardown(() => pool.destroy())
    let isOver = false
    const follower = (index: number) => follow(db, people[index % 2]!.id, () => isOver)
    const readers = [follower(0), follower(1), follower(0)]
    const readersOfAll = [0, 1].map(() => follow(db, null, () => isOver))
    // Two sequencers, as two workers have.
    const sequencers = [0, 1].map(async () => {
      while (!isOver) await sequenceEvents(pool)
    })

    const late = await pool.startTransaction().execute()
    await write(late as Db, people[0]!.id, { writer: 'late', number: 1 })
    const writers = Array.from({ length: WRITERS }, async (_, index) => {
      for (let number = 1; number <= COMMITS / WRITERS; number++) {
        await write(pool, people[index % 2]!.id, { writer: `${index}`, number })
      }
    })
    await Promise.all(writers)
    const visible = async () => (await readBounds(db, { userId: people[0]!.id, after: null })).last
    await until('all committed events are visible', async () => (await visible()) > COMMITS / 2)
    await late.commit().execute()
    await until('the late event is visible', async () => (await visible()) > COMMITS / 2 + 1)
    await numberEvents(db)
    isOver = true
    await Promise.all(sequencers)

    const [first, second, third] = await Promise.all(readers)
    t.strictSame(third, first, 'two readers of one user see the same')
    t.equal(first!.length, COMMITS / 2 + 1)
    t.equal(second!.length, COMMITS / 2)
    t.equal(first!.at(-1)!.writer, 'late')
    const [all, again] = await Promise.all(readersOfAll)
    t.strictSame(again, all, 'two readers of all users see the same')
    for (const [index, seen] of [first!, second!].entries()) {
      t.strictSame(
        all!.filter(({ userId }) => userId === people[index]!.id),
        seen,
        'a reader of all users sees what the readers of each see',
      )
    }
    for (const seen of [first!, second!]) {
      t.ok(
        seen.every(({ position }, index) => index === 0 || position > seen[index - 1]!.position),
        'positions increase',
      )
      for (const writer of new Set(seen.map(({ writer }) => writer))) {
        const numbers = seen.filter((event) => event.writer === writer).map(({ number }) => number)
        t.strictSame(
          numbers,
          [...numbers.keys()].map((index) => index + 1),
          `the order of writer ${writer} is kept`,
        )
      }
    }
  },
)

t.test('a sequencer leaves the streams that another one holds, and numbers the others', async (t) => {
  const { db, databaseUrl, user } = await createWorld(t)
  const [ada, bob] = [await user(), await user()]
  await numberEvents(db)
  const other = connect({ url: databaseUrl, poolMax: 2 })
  t.teardown(() => other.destroy())
  const holder = await other.startTransaction().execute()
  await sql`select from event_streams where user_id = ${ada.id} for no key update`.execute(holder)
  for (const { id } of [ada, bob]) await write(db, id, { writer: 'a', number: 1 })
  const last = async (userId: string) => (await readBounds(db, { userId, after: null })).last
  const before = [await last(ada.id), await last(bob.id)]
  await sequenceEvents(db)
  t.strictSame([await last(ada.id), await last(bob.id)], [before[0], before[1]! + 1])
  await holder.commit().execute()
  await sequenceEvents(db)
  t.equal(await last(ada.id), before[0]! + 1)
})

t.test('while a sequencer gives positions to one user, another one gives none to others', async (t) => {
  const { db, databaseUrl, user } = await createWorld(t)
  const [ada, bob] = [await user(), await user()]
  await numberEvents(db)
  const other = connect({ url: databaseUrl, poolMax: 2 })
  t.teardown(() => other.destroy())
  const { last } = await readBounds(db, { userId: null, after: null })
  const holder = await other.startTransaction().execute()
  // Reads go on.
  await sql`lock table events in share row exclusive mode`.execute(holder)
  await write(db, ada.id, { writer: 'a', number: 1 })
  const first = sequenceEvents(other)
  await until('the sequencer waits to insert', async () => (await blockedBackends(db)).length > 0)
  await write(db, bob.id, { writer: 'b', number: 1 })
  let count: number | undefined
  const second = sequenceEvents(db).then((numbered) => {
    count = numbered.count
  })
  t.equal(await until('the other sequencer ends', () => count, { isMet: (ended) => ended !== undefined }), 0)
  await second
  await holder.commit().execute()
  t.equal((await first).count, 1)
  t.equal((await sequenceEvents(db)).count, 1)
  const conditions = { userId: null, types: null, postId: null, accountId: null, listedAccountIds: null }
  const { events } = await listEvents(db, { ...conditions, after: last, limit: 100 })
  t.strictSame(
    events.map(({ userId }) => userId),
    [ada.id, bob.id],
  )
})
