import t, { type Test } from 'tap'
import type { PlatformId } from '../../schemas/platform.ts'
import { CHANGE_LEASE_MS } from '../../src/engine/delivery/timing.ts'
import { noJournal } from '../helpers/journal.ts'
import { createDeliveryWorld } from '../helpers/publisher.ts'
import { lostResponse, scriptedNetwork } from '../helpers/scripted-network.ts'
import { until } from '../helpers/until.ts'

/** The places at which a worker dies while it edits a post. */
const PLACES = ['after the intent', 'before the network has the call', 'before the response', 'before the settlement']

/** A network with a post that is to be edited. */
async function createScene(t: Test, platform: PlatformId) {
  const network = scriptedNetwork()
  network.editsAreNew = platform === 'x'
  const world = await createDeliveryWorld(t, { [platform]: network })
  const account = await world.connectAccount(platform)
  const publishAndEdit = async () => {
    network.edits.length = 0
    network.present.clear()
    const id = await world.post({ accountIds: [account], caption: 'a' })
    await world.work(60_000)
    const body = { text: 'b', acceptNewId: true }
    t.equal((await world.ada.call('PATCH', `/posts/${id}/deliveries/${account}`, body)).status, 202)
    return id
  }
  /** The edit has succeeded once, and the network shows it. */
  const check = async (id: string, name: string) => {
    const { captionOverride, delivery } = (await world.ada.call('GET', `/posts/${id}`)).body.targets[0]
    t.equal(captionOverride, 'b', name)
    t.hasStrict(delivery, { state: 'published', error: null }, name)
    t.notOk('edit' in delivery, name)
    t.strictSame([...network.present], [[delivery.externalId, 'b']], `${name}: one post is there`)
    t.ok(network.edits.length <= 2, `${name}: one call at most is repeated`)
  }
  return { ...world, network, publishAndEdit, check }
}

type Scene = Awaited<ReturnType<typeof createScene>>

/** Lets a worker edit until it dies at this place. */
async function killAt({ network, createWorker }: Scene, place: string) {
  const died = Promise.withResolvers<void>()
  const die = () => {
    died.resolve()
    return new Promise<never>(() => {})
  }
  if (place === 'before the network has the call') network.editSteps.push({ isAccepted: false, beforeResponse: die })
  if (place === 'before the response') network.editSteps.push({ isAccepted: true, beforeResponse: die })
  const journal = {
    ...noJournal,
    editing: async () => {
      if (place === 'after the intent') await die()
    },
    edited: () => {
      if (place !== 'before the settlement') return
      died.resolve()
      throw new Error('killed')
    },
  }
  await createWorker({ journal }).changes.begin()
  await until(`the worker dies ${place}`, () => died.promise.then(() => true))
}

for (const platform of ['mastodon', 'x'] as const) {
  t.test(`an edit whose worker dies at any step is carried out by the next one: ${platform}`, async (t) => {
    const scene = await createScene(t, platform)
    for (const place of PLACES) {
      const id = await scene.publishAndEdit()
      await killAt(scene, place)
      t.hasStrict((await scene.readDelivery(id)).edit, { state: 'pending' }, place)
      await scene.change(CHANGE_LEASE_MS + 1_000)
      await scene.check(id, place)
    }
  })

  t.test(`a lost response is repeated, whether the network has the call or not: ${platform}`, async (t) => {
    const scene = await createScene(t, platform)
    for (const isAccepted of [true, false]) {
      const id = await scene.publishAndEdit()
      scene.network.editSteps.push({ isAccepted, error: lostResponse() })
      await scene.change()
      t.hasStrict((await scene.readDelivery(id)).edit, { state: 'pending', error: { code: 'timeout' } })
      await scene.change(60_000)
      await scene.check(id, `accepted: ${isAccepted}`)
    }
  })
}
