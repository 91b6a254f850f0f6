import t from 'tap'
import { createScene } from '../helpers/queue.ts'

const DAY_MS = 86_400_000

/** A slot that does not pass while a test runs. */
const inTwelveHours = () => new Date(Date.now() + DAY_MS / 2).toISOString().slice(11, 16)

interface Shown {
  code: string
  postId?: string
  message: string
}

/** The warnings about other posts, with the times in their messages. */
const listNearby = ({ warnings = [] }: { warnings?: Shown[] }) =>
  warnings.flatMap(({ code, postId, message }) => (postId ? [[code, postId, message.slice(-24)]] : []))

t.test('warnings of a post at the front name the times to which other posts move', async (t) => {
  const { ada, account, slots, create } = await createScene(t, { postGapMs: DAY_MS })
  const scene = async () => {
    const id = await account(inTwelveHours())
    const times = (await slots(id)).map(({ scheduledAt }) => scheduledAt)
    const [one, two] = [(await create([id], { caption: 'one', ...NEXT })).body.id, (await create([id])).body.id]
    const wanted = [
      ['repeated_text', two, times[2]],
      ['close_posts', one, times[1]],
    ]
    return { id, body: { accountIds: [id], caption: 'hi', ...FRONT }, wanted }
  }
  const { body, wanted } = await scene()
  const validated = await ada.call('POST', '/posts/validate', body)
  t.strictSame(listNearby(validated.body), wanted)
  const validatedBatch = await ada.call('POST', '/posts/batch/validate', { posts: [body] })
  t.strictSame(listNearby(validatedBatch.body.data[0]), wanted)
  const created = await ada.call('POST', '/posts', body, { 'idempotency-key': 'front' })
  t.strictSame(listNearby(created.body), wanted)
  const repeated = await ada.call('POST', '/posts', body, { 'idempotency-key': 'front' })
  t.strictSame(repeated.body, created.body)

  const other = await scene()
  const batch = await ada.call('POST', '/posts/batch', { posts: [other.body] })
  t.strictSame(listNearby(batch.body.data[0]), other.wanted)

  const third = await scene()
  const draft = await create([third.id], {})
  const moved = await ada.call('PATCH', `/posts/${draft.body.id}`, FRONT)
  t.strictSame(listNearby(moved.body), third.wanted)
})

const NEXT = { schedule: { queue: 'next' } }
const FRONT = { schedule: { queue: 'front' } }

t.test('an account that rests delays a queued post if its slot is before', async (t) => {
  const { db, ada, account, slots } = await createScene(t)
  const id = await account(inTwelveHours())
  const first = Date.parse((await slots(id))[0]!.scheduledAt)
  const delayOf = async (availableAt: Date) => {
    await db.updateTable('accounts').set({ availableAt }).where('id', '=', id).execute()
    const { body } = await ada.call('POST', '/posts/validate', { accountIds: [id], caption: 'hi', ...NEXT })
    return body.targets[0].delayedUntil
  }
  t.equal(await delayOf(new Date(first - 1)), undefined)
  const later = new Date(first + 1)
  t.equal(await delayOf(later), later.toISOString())
})

t.test('a post that moves out of the gap of one at the front leads to no warning', async (t) => {
  const { ada, account, create } = await createScene(t, { postGapMs: DAY_MS / 2 })
  const id = await account(inTwelveHours())
  await create([id], { caption: 'one', ...NEXT })
  const body = { accountIds: [id], caption: 'hi', ...FRONT }
  const batch = { posts: [body, { ...body, caption: 'ho' }] }
  const validated = await ada.call('POST', '/posts/batch/validate', batch)
  t.strictSame(validated.body.data.map(listNearby), [[], []])
  const stored = await ada.call('POST', '/posts/batch', batch)
  t.strictSame(stored.body.data.map(listNearby), [[], []])
  t.strictSame(listNearby((await create([id], { caption: 'he', ...FRONT })).body), [])
})
