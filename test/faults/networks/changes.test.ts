import { writeFileSync } from 'node:fs'
import t, { type Test } from 'tap'
import type { Delivery } from '../../../schemas/delivery.ts'
import { CHANGE_LEASE_MS } from '../../../src/engine/delivery/timing.ts'
import { platforms } from '../../../src/platforms/limits.ts'
import { NETWORKS } from '../../../src/platforms/networks.ts'
import { createNetworkScene, kindsOf, nameOf, SUBJECTS, type Subject } from '../../helpers/network-scene.ts'
import { WRONG_RESPONSES } from '../../helpers/wrong-responses.ts'
import { sceneOf } from '../../networks/fakes/all.ts'
import type { Kind } from '../../networks/fakes/scene.ts'
import { createFaultyProcess, type Fault, nameOfFault } from './faulty-process.ts'

// Real adapters edit and remove what they have published to strict fakes of their networks. A worker dies at each step,
// stands still there until another one has finished, or gets a wrong response. What the service says of the post
// afterwards has to be what the fake has.

/** Set by soak.ts: every kind of post and every fault, and a file for the results. */
const { SOAK_REPORT } = process.env

const HOWS: readonly Fault['how'][] = SOAK_REPORT ? ['killed', 'suspended', ...WRONG_RESPONSES] : ['killed']

const MINUTE_MS = 60_000
/** All networks find posts of this age, and X still edits them. */
const SETTLED_MS = 15 * MINUTE_MS

interface Result extends Record<string, string | number> {
  network: string
  kills: number
  suspended: number
  'wrong responses': number
  edited: number
  removed: number
  /** `removed`, and readers see it. */
  'false removed': number
  /** An edit that has succeeded, and readers see another text. */
  'lost edits': number
  /** An edit that has failed, and readers see its text. */
  'false failed': number
  /** Acts that readers see beside those of the delivery. */
  doubled: number
  /** Changes that ended as failed. */
  failed: number
}

const results: Result[] = []

const newResult = (network: string): Result => ({
  network,
  kills: 0,
  suspended: 0,
  'wrong responses': 0,
  edited: 0,
  removed: 0,
  'false removed': 0,
  'lost edits': 0,
  'false failed': 0,
  doubled: 0,
  failed: 0,
})

type Scene = Awaited<ReturnType<typeof createNetworkScene>>

interface Trial {
  t: Test
  id: Exclude<Subject['id'], 'sandbox'>
  scene: Scene
  result: Result
  fault: Fault
  name: string
  postId: string
}

/** Lets a worker with the fault change the post, and then another one, until the change has ended. */
async function change({
  scene: { world },
  fault,
  result,
  postId,
}: Trial): Promise<{ delivery: Delivery; isHit: boolean }> {
  const process = createFaultyProcess(fault, { fetch: world.fetch, now: () => world.time.now })
  const { fetch, journal, clock } = process
  const { changes } = world.createWorker({ fetch, journal, clock })
  const work = async () => {
    do await changes.idle()
    while (await changes.begin())
  }
  const working = work().catch((error: unknown) => {
    if (!process.isDead()) throw error
  })
  await Promise.race([working, process.stopped])
  let delivery = await world.readDelivery(postId)
  for (let attempts = 0; isPending(delivery) && attempts < 12; attempts++) {
    world.advance(attempts === 0 ? CHANGE_LEASE_MS + 1_000 : MINUTE_MS * 2 ** attempts)
    await world.change()
    delivery = await world.readDelivery(postId)
  }
  process.resume()
  await working
  const isHit = process.place() !== undefined
  if (isHit)
    result[typeof fault.how !== 'string' ? 'wrong responses' : fault.how === 'killed' ? 'kills' : 'suspended']++
  return { delivery: await world.readDelivery(postId), isHit }
}

const isPending = ({ state, edit }: Delivery) => state === 'removing' || edit?.state === 'pending'

/** Edits the post. Returns whether the fault happened. */
async function edit(trial: Trial, text: string, visible: number): Promise<boolean> {
  const { t, id, scene, result, name, postId } = trial
  const { world, account, countVisible } = scene
  const wanted = { text, acceptNewId: true }
  const { status, headers } = await world.ada.call('PATCH', `/posts/${postId}/deliveries/${account}`, wanted)
  if (status === 409) {
    t.equal(headers['x-error-code'], 'not_editable', name)
    return false
  }
  t.equal(status, 202, name)
  const { delivery, isHit } = await change(trial)
  const published = sceneOf(id)!.published!(world[id])
  const { externalId } = delivery.acts[0]!
  const shown = published.textOf(externalId!)
  if (delivery.edit === undefined) {
    result.edited++
    if (shown !== text) result['lost edits']++
    t.equal(shown, text, `${name}: the text of an edit that has succeeded`)
  } else {
    result.failed++
    t.equal(delivery.edit.state, 'failed', `${name}: the edit has ended`)
    if (shown === text) result['false failed']++
    t.not(shown, text, `${name}: the text of an edit that has failed: ${delivery.edit.error?.message}`)
  }
  // Google checks an edited post again before it shows it.
  const isDoubled = (await countVisible()) > visible
  if (isDoubled) result.doubled++
  t.notOk(isDoubled, `${name}: an edit adds no act`)
  return isHit
}

/** Removes the post. Returns whether the fault happened. */
async function remove(trial: Trial, before: number): Promise<boolean> {
  const { t, id, scene, result, name, postId } = trial
  const { world, account, countVisible } = scene
  t.equal((await world.ada.call('POST', `/posts/${postId}/deliveries/${account}/remove`)).status, 202, name)
  const { delivery, isHit } = await change(trial)
  const published = sceneOf(id)!.published!(world[id])
  const shown = delivery.acts.filter(({ externalId }) => externalId && published.textOf(externalId) !== undefined)
  if (delivery.state === 'removed') {
    result.removed++
    const isShown = shown.length > 0 || (await countVisible()) !== before
    if (isShown) result['false removed']++
    t.notOk(isShown, `${name}: nothing is left of a removed post`)
  } else {
    result.failed++
    t.equal(delivery.state, 'remove_failed', `${name}: the removal has ended: ${delivery.error?.message}`)
    t.ok(shown.length > 0, `${name}: what could not be removed is there: ${delivery.error?.message}`)
  }
  return isHit
}

/** Publishes a post, edits and removes it, with the same fault in each. Returns whether one of them had it. */
async function runTrial(trial: Omit<Trial, 'postId' | 'name'>, kind: Kind, files: string[]): Promise<boolean> {
  const { t, id, scene, fault } = trial
  const name = `${kind.name}, ${nameOfFault(fault)}`
  const before = await scene.countVisible()
  const postId = await scene.post(kind, files, name)
  t.equal((await scene.settle(postId)).state, 'published', name)
  // Adapters have a clock of their own, and some networks do not find new posts.
  const publishedAt = new Date(Date.now() - SETTLED_MS)
  await scene.world.db.updateTable('postTargets').set({ publishedAt }).where('postId', '=', postId).execute()
  const visible = await scene.countVisible()
  const { edit: editing, remove: removing } = NETWORKS[id].changes
  const all = { ...trial, postId, name }
  const isEditHit = editing.possible && (await edit(all, `${name} at dawn`, visible))
  const isRemovalHit = removing.possible && (await remove(all, before))
  return isEditHit || isRemovalHit
}

/** The default is the last kind: it has two acts, a post and a comment. Some networks keep the title of a post. */
function listKinds(id: Subject['id']): Kind[] {
  const kinds = SOAK_REPORT ? kindsOf(id) : kindsOf(id).slice(-1)
  const { title } = platforms[id]
  return kinds.map((kind) => ({ ...kind, ...(title?.required && { fields: { [title.field]: 'Lighthouses' } }) }))
}

const isChangeable = ({ id }: Subject) =>
  id !== 'sandbox' && (NETWORKS[id].changes.remove.possible || NETWORKS[id].changes.edit.possible)

for (const subject of SUBJECTS.filter(isChangeable)) {
  t.test(nameOf(subject), async (t) => {
    const id = subject.id as Trial['id']
    let scene = await createNetworkScene(t, subject)
    scene.world.x.user.subscription_type = 'Premium'
    const result = newResult(nameOf(subject))
    results.push(result)
    for (const kind of listKinds(id)) {
      let files = await scene.uploadFiles(kind)
      for (const how of HOWS) {
        for (let step = 1, isHit = true; isHit; step++) {
          if (scene.isOld()) {
            scene = await createNetworkScene(t, subject)
            scene.world.x.user.subscription_type = 'Premium'
            files = await scene.uploadFiles(kind)
          }
          isHit = await runTrial({ t, id, scene, result, fault: { step, how } }, kind, files)
        }
      }
    }
    t.ok(result.kills > 0)
  })
}

t.teardown(() => {
  if (SOAK_REPORT) writeFileSync(SOAK_REPORT, JSON.stringify(results))
})
