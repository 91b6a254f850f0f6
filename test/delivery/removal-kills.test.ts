import t, { type Test } from 'tap'
import { CHANGE_LEASE_MS } from '../../src/engine/delivery/timing.ts'
import { noJournal } from '../helpers/journal.ts'
import { createDeliveryWorld } from '../helpers/publisher.ts'
import { lostResponse, type Step, scriptedNetwork } from '../helpers/scripted-network.ts'
import { until } from '../helpers/until.ts'

const accepted: Step = { isAccepted: true }

/** The places at which a worker dies while it removes an act. */
const PLACES = ['after the intent', 'before the network has the call', 'before the response', 'before the settlement']

/** A network with two acts of a post, which is to be removed. */
async function createScene(t: Test) {
  const mastodon = scriptedNetwork()
  const world = await createDeliveryWorld(t, { mastodon })
  const account = await world.connectAccount('mastodon')
  const publishAndRemove = async () => {
    mastodon.removals.length = 0
    const id = await world.post({ accountIds: [account], caption: 'a', firstComment: 'b' })
    await world.work(60_000)
    t.equal(mastodon.present.size, 2)
    t.equal((await world.ada.call('POST', `/posts/${id}/remove`)).status, 202)
    return id
  }
  return { ...world, mastodon, publishAndRemove }
}

/** Lets a worker remove acts until it dies at this place of the act with this number, the comment first. */
async function killAt({ mastodon, createWorker }: Awaited<ReturnType<typeof createScene>>, place: string, nth: number) {
  const died = Promise.withResolvers<void>()
  const die = () => {
    died.resolve()
    return new Promise<never>(() => {})
  }
  const steps: Step[] = Array(nth - 1).fill(accepted)
  if (place === 'before the network has the call') steps.push({ isAccepted: false, beforeResponse: die })
  if (place === 'before the response') steps.push({ isAccepted: true, beforeResponse: die })
  mastodon.removalSteps.push(...steps)
  const [calls, outcomes] = [{ count: 0 }, { count: 0 }]
  const journal = {
    ...noJournal,
    removing: async () => {
      if (++calls.count === nth && place === 'after the intent') await die()
    },
    removed: () => {
      if (++outcomes.count < nth || place !== 'before the settlement') return
      died.resolve()
      throw new Error('killed')
    },
  }
  await createWorker({ journal }).changes.begin()
  await until(`the worker dies ${place}`, () => died.promise.then(() => true))
}

t.test('a removal whose worker dies at any step is carried out by the next one', async (t) => {
  const scene = await createScene(t)
  const { mastodon, publishAndRemove, change, readDelivery } = scene
  for (const place of PLACES) {
    for (const nth of [1, 2]) {
      const name = `${place} of act ${nth}`
      const id = await publishAndRemove()
      await killAt(scene, place, nth)
      t.equal((await readDelivery(id)).state, 'removing', name)
      await change(CHANGE_LEASE_MS + 1_000)
      t.hasStrict(await readDelivery(id), { state: 'removed', error: null }, name)
      t.equal(mastodon.present.size, 0, `${name}: it is gone`)
      t.ok(mastodon.removals.length <= 3, `${name}: one call at most is repeated`)
    }
  }
})

t.test('a lost response is repeated, whether the network has the call or not', async (t) => {
  const { mastodon, publishAndRemove, change, readDelivery } = await createScene(t)
  for (const isAccepted of [true, false]) {
    for (const nth of [1, 2]) {
      const id = await publishAndRemove()
      mastodon.removalSteps.push(...Array(nth - 1).fill(accepted), { isAccepted, error: lostResponse() })
      await change()
      t.hasStrict(await readDelivery(id), { state: 'removing', error: { code: 'timeout' } })
      await change(60_000)
      t.hasStrict(await readDelivery(id), { state: 'removed', error: null })
      t.equal(mastodon.present.size, 0)
      t.equal(mastodon.removals.length, 3)
    }
  }
})
