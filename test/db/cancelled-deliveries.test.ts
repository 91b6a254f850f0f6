import t from 'tap'
import type { Step } from '../../db/migration.ts'
import { steps } from '../../db/migrations/0029_cancelled_deliveries.ts'
import { createWorld } from '../helpers/app.ts'
import { storeManyPosts } from '../helpers/many-posts.ts'

t.test('what a development version has cancelled becomes cancelled, and leads to no event', async (t) => {
  const { db, user } = await createWorld(t)
  const [post] = await storeManyPosts(db, await user(), 1, 1)
  const [target] = post!.targets
  const error = JSON.stringify({ code: 'cancelled', message: 'The owner cancelled the delivery', retryable: true })
  const { accountId } = target!
  await db.updateTable('postTargets').set({ state: 'failed', error }).where('accountId', '=', accountId).execute()
  await db.deleteFrom('eventOutbox').execute()
  const convert = steps.at(-1) as Extract<Step, CallableFunction>
  await db.transaction().execute((db) => convert(db as never))
  const read = db.selectFrom('postTargets').select('state').where('accountId', '=', accountId)
  t.strictSame(await read.execute(), [{ state: 'cancelled' }])
  t.strictSame(await db.selectFrom('eventOutbox').select('type').execute(), [])
})
