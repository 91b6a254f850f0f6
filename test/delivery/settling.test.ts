import type { CompiledQuery } from 'kysely'
import t from 'tap'
import { markPostPublished } from '../../src/features/deliveries/settle-delivery.ts'
import { createDeliveryWorld } from '../helpers/publisher.ts'
import { beforePrepare, scriptedNetwork } from '../helpers/scripted-network.ts'
import { until } from '../helpers/until.ts'

const MINUTE = 60_000

t.test('an outcome that cannot be committed is committed when the database is back', async (t) => {
  const telegram = scriptedNetwork('at-most-once')
  const { db, connectAccount, post, createWorker, readDelivery } = await createDeliveryWorld(t, { telegram })
  const id = await post({ accountIds: [await connectAccount('telegram')], caption: 'once' })
  let tries = 0
  telegram.steps.push({
    isAccepted: true,
    beforeResponse: () => db.schema.alterTable('delivery_attempts').renameTo('delivery_attempts_away').execute(),
  })
  const worker = createWorker({
    pause: async () => {
      if (++tries === 3) await db.schema.alterTable('delivery_attempts_away').renameTo('delivery_attempts').execute()
    },
  })
  await worker.claim()
  await worker.idle()
  t.equal(tries, 3)
  t.hasStrict(await readDelivery(id), { state: 'published', externalId: 'n1' })
})

t.test('an outcome counts once when the response to its commit is lost', async (t) => {
  const bluesky = scriptedNetwork('exactly-once')
  const { db, connectAccount, post, createWorker, work, readDelivery } = await createDeliveryWorld(t, { bluesky })
  const account = await connectAccount('bluesky')
  const threadParts = { [account]: ['one', 'two', 'three'] }
  const id = await post({ accountIds: [account], postType: 'thread', threadParts })
  let lostResponses = 0
  const unresponsive = new Proxy(db, {
    get: (target, name) => {
      const value = Reflect.get(target, name)
      if (name !== 'executeQuery') return typeof value === 'function' ? value.bind(target) : value
      return async (query: CompiledQuery) => {
        const result = await target.executeQuery(query)
        if (query.sql.includes('jsonb_array_length(delivery.sent)') && lostResponses++ === 0)
          throw new Error('Connection terminated unexpectedly')
        return result
      }
    },
  })
  const worker = createWorker({ db: unresponsive })
  await worker.claim()
  await worker.idle()
  t.ok(lostResponses > 1, 'the settlement was repeated')
  await work(MINUTE)
  t.same(bluesky.posts, ['one', 'two', 'three'])
  t.hasStrict(await readDelivery(id), { state: 'published', attempts: 3, acts: [{}, {}, {}] })
})

t.test('a claimed delivery is not sent after its post was marked as published', async (t) => {
  const mastodon = scriptedNetwork()
  const { db, connectAccount, post, createWorker, work, readDelivery } = await createDeliveryWorld(t, { mastodon })
  const gate = Promise.withResolvers<void>()
  const slow = createWorker({ networks: { mastodon: beforePrepare(mastodon, () => gate.promise) } })
  const id = await post({ accountIds: [await connectAccount('mastodon')], caption: 'by hand' })
  await slow.claim()
  t.equal(await markPostPublished(db, id), 'published')
  gate.resolve()
  await slow.idle()
  await work(MINUTE)
  t.same(mastodon.posts, [])
  t.hasStrict(await readDelivery(id), { state: 'published', attempts: 0 })

  const calling = Promise.withResolvers<void>()
  mastodon.steps.push({ isAccepted: true, beforeResponse: () => calling.promise })
  const busy = await post({ accountIds: [await connectAccount('mastodon')], caption: 'busy' })
  const worker = createWorker()
  await worker.claim()
  await until('the network has the post', () => mastodon.posts.length === 1)
  t.equal(await markPostPublished(db, busy), 'busy')
  calling.resolve()
  await worker.idle()
  t.hasStrict(await readDelivery(busy), { state: 'published', externalId: 'n1' })
})
