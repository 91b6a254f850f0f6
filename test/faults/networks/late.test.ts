import { writeFileSync } from 'node:fs'
import t, { type Test } from 'tap'
import type { Delivery } from '../../../schemas/delivery.ts'
import { CALL_IN_FLIGHT_MAX_MS } from '../../../src/engine/delivery/timing.ts'
import type { Act, AnyAdapter } from '../../../src/platforms/contract/adapter.ts'
import { canQuery } from '../../../src/platforms/contract/can-query.ts'
import { platforms } from '../../../src/platforms/limits.ts'
import { NETWORKS } from '../../../src/platforms/networks.ts'
import { watchPublishing } from '../../helpers/network-row.ts'
import { createNetworkScene, kindsOf, nameOf, SUBJECTS, type Subject } from '../../helpers/network-scene.ts'
import { findWrongOutcome } from '../../helpers/promises.ts'
import { sceneOf } from '../../networks/fakes/all.ts'
import type { Kind } from '../../networks/fakes/scene.ts'

// A call loses its response, and arrives at its network as late as a call can. Meanwhile, the owner of the post acts as
// early as the service lets them, each second. Afterwards, the network shows what the service says: a removed post is
// not there, a published one is there once, with the text of the last edit.

/** Set by soak.ts: every kind of post, and a file for the results. */
const { SOAK_REPORT } = process.env

const SECOND_MS = 1_000
/** A lost call arrives just before it can no longer arrive. */
const LATE_MS = CALL_IN_FLIGHT_MAX_MS - SECOND_MS
const MINUTE_MS = 60 * SECOND_MS
/** Looks at the delivery in seconds, and then in minutes, after the call has arrived. */
const SECONDS_MAX = 60
const ROUNDS_MAX = 150
/** All networks find posts of this age, and X still edits them. */
const SETTLED_MS = 15 * MINUTE_MS

interface Result extends Record<string, string | number> {
  network: string
  late: number
  published: number
  removed: number
  unconfirmed: number
  /** `removed`, and readers see it. */
  'false removed': number
  /** More is shown than the delivery has. */
  doubled: number
  /** An edit that has succeeded, and readers see another text. */
  'lost edits': number
}

const results: Result[] = []

type Id = Exclude<Subject['id'], 'sandbox'>

interface Trial extends Awaited<ReturnType<typeof createLateScene>> {
  t: Test
  result: Result
  kind: Kind
  name: string
  postId: string
}

/** A scene whose next call of a method is late, once `loseNext` has named the method. */
async function createLateScene(t: Test, subject: Subject & { id: Id }) {
  const { id } = subject
  const scene = await createNetworkScene(t, subject)
  const { world } = scene
  world.x.user.subscription_type = 'Premium'
  const adapter = world.networks[id]!
  let method: 'publish' | 'edit' | undefined
  let concerns = (_act: Act) => true
  let lostAt: number | undefined
  const losing = (fetch: typeof globalThis.fetch) =>
    watchPublishing(fetch, (on) => {
      if (method === undefined) return
      method = undefined
      lostAt = world.time.now.getTime()
      world[id].faults.push({ on, instead: 'late' })
    })
  const late: Partial<AnyAdapter> = {
    publish: (act, io, ready) =>
      adapter.publish(act, method === 'publish' && concerns(act) ? { ...io, fetch: losing(io.fetch) } : io, ready),
    ...(adapter.edit && {
      edit: (act, published, io) =>
        adapter.edit!(act, published, method === 'edit' ? { ...io, fetch: losing(io.fetch) } : io),
    }),
  }
  world.networks[id] = { ...adapter, ...late }
  return {
    id,
    scene,
    loseNext(name: typeof method, isConcerned = (_act: Act) => true) {
      method = name
      concerns = isConcerned
      lostAt = undefined
    },
    /** When the call was lost. */
    lostAt: () => lostAt,
  }
}

/** An act of the owner; true once the service has accepted it. */
type OwnerAct = (trial: Trial) => Promise<boolean>

const post =
  (path: string, body?: object): OwnerAct =>
  async ({ scene: { world, account }, postId }) =>
    (await world.ada.call('POST', `/posts/${postId}/deliveries/${account}/${path}`, body)).status < 300

const edit =
  (text: string): OwnerAct =>
  async ({ scene: { world, account }, postId }) => {
    const body = { text, acceptNewId: true }
    return (await world.ada.call('PATCH', `/posts/${postId}/deliveries/${account}`, body)).status < 300
  }

/** Refused while the call may arrive. By the database's clock, this takes minutes in tests. */
const resolve: OwnerAct = async (trial) => {
  const { t, name, scene, lostAt } = trial
  const resolveNow = post('resolve', { outcome: 'not_published' })
  if (scene.world.time.now.getTime() < lostAt()! + CALL_IN_FLIGHT_MAX_MS) {
    t.equal(await resolveNow(trial), false, `${name}: it is not resolved too early`)
    return false
  }
  await scene.world.endFlights()
  return resolveNow(trial)
}

/** Acts that would change or end what is sent: the outcome of a call is open. */
const tryToChange: OwnerAct = async ({ t, scene: { world }, postId, name }) => {
  const refused = [
    await world.ada.call('PATCH', `/posts/${postId}`, { caption: 'Another text' }),
    await world.ada.call('POST', `/posts/${postId}/publish`),
    await world.ada.call('DELETE', `/posts/${postId}`),
  ].map(({ status }) => status)
  t.ok(
    refused.every((status) => status === 400 || status === 409),
    `${name}: the post stays as it is: ${refused.join()}`,
  )
  return true
}

/** The acts of the owner of a post whose last call is late. */
const COURSES: Record<string, OwnerAct[]> = {
  retry: [tryToChange, post('retry')],
  'cancel and retry': [post('cancel'), tryToChange, post('retry')],
}
const REMOVING_COURSES = Object.fromEntries(
  Object.entries({ 'no act': [], ...COURSES }).map(([name, acts]) => [`${name}, remove`, [...acts, post('remove')]]),
)

const isOver = ({ state, edit }: Delivery) =>
  state !== 'queued' && state !== 'publishing' && state !== 'removing' && edit?.state !== 'pending'

/** Lets workers publish and change each second, and the owner act as soon as possible, until all is over. */
async function run(trial: Trial, acts: OwnerAct[]): Promise<Delivery> {
  const { id, scene, postId, result, lostAt } = trial
  const { world } = scene
  const left = [...acts]
  let arrivedRounds: number | undefined
  for (let rounds = 0; rounds < 2 * ROUNDS_MAX; rounds++) {
    while (lostAt() !== undefined && left[0] && (await left[0](trial))) left.shift()
    await world.work()
    await world.change()
    const isDue = lostAt() !== undefined && world.time.now.getTime() >= lostAt()! + LATE_MS
    if (arrivedRounds === undefined && isDue) {
      arrivedRounds = rounds
      result.late += await world[id].arrive()
    }
    const delivery = await world.readDelivery(postId)
    const since = arrivedRounds === undefined ? 0 : rounds - arrivedRounds
    const isEnd = isOver(delivery) && (left.length === 0 || (since > SECONDS_MAX && delivery.state === 'unconfirmed'))
    if (since > 0 && isEnd) return delivery
    if (since > ROUNDS_MAX) break
    world.advance(since > SECONDS_MAX ? MINUTE_MS : SECOND_MS)
  }
  throw new Error(`${trial.name}: it is not over`)
}

/** Compares what the network shows with the delivery. */
async function check(
  { t, id, scene, kind, result, name }: Trial,
  before: number,
  { state, error, acts }: Delivery,
  { isEdited = false } = {},
) {
  const visible = (await scene.countVisible()) - before
  const isCertain = state === 'published' || state === 'remove_failed'
  result[state === 'removed' ? 'removed' : isCertain ? 'published' : 'unconfirmed']++
  t.match(state, /^(published|remove_failed|removed|unconfirmed)$/, `${name}: ${error?.message ?? ''}`)
  const outcome = {
    name,
    state,
    acts: kind.acts,
    // The owner may have said that a comment is not out, and it is.
    sent: isCertain ? kind.acts : acts.length,
    rules: platforms[id].guarantees,
    mayBeHidden: isEdited,
  }
  const breaches = findWrongOutcome(outcome, visible)
  t.strictSame(breaches, [])
  if (state === 'removed' && breaches.length > 0) result['false removed']++
  else if (breaches.some(({ kind }) => kind === 'sent twice')) result.doubled++
}

const isLast =
  ({ acts }: Kind) =>
  ({ kind, parent }: Act) =>
    acts === 1 || kind === 'comment' || parent !== null

/** A post whose last call is late. */
async function runPublishing(trial: Omit<Trial, 'postId'>, files: string[], acts: OwnerAct[]) {
  const { scene, kind, name, loseNext } = trial
  const before = await scene.countVisible()
  loseNext('publish', isLast(kind))
  const all = { ...trial, postId: await scene.post(kind, files, name) }
  await check(all, before, await run(all, acts))
}

/** A published post of which the call of an edit is late. */
async function runEditing(trial: Omit<Trial, 'postId'>, files: string[], acts: OwnerAct[], text?: string) {
  const { t, id, scene, kind, name, loseNext, result } = trial
  const before = await scene.countVisible()
  const postId = await scene.post(kind, files, name)
  t.equal((await scene.settle(postId)).state, 'published', name)
  // Adapters have a clock of their own, and some networks do not find new posts.
  const publishedAt = new Date(Date.now() - SETTLED_MS)
  await scene.world.db.updateTable('postTargets').set({ publishedAt }).where('postId', '=', postId).execute()
  const all = { ...trial, postId }
  if (!(await edit(`${name} at dawn`)(all))) return
  loseNext('edit')
  const delivery = await run(all, acts)
  await check(all, before, delivery, { isEdited: true })
  if (delivery.edit !== undefined || delivery.state !== 'published' || text === undefined) return
  const shown = sceneOf(id)!.published!(scene.world[id]).textOf(delivery.acts[0]!.externalId!)
  if (shown !== text) result['lost edits']++
  t.equal(shown, text, `${name}: the text of the last edit`)
}

/** The default is the last kind: it has two acts, a post and a comment. Some networks keep the title of a post. */
function listKinds(id: Id): Kind[] {
  const kinds = SOAK_REPORT ? kindsOf(id) : kindsOf(id).slice(-1)
  const { title } = platforms[id]
  return kinds.map((kind) => ({
    ...kind,
    ...(title?.required && { fields: { [title.field]: 'Lighthouses' } }),
  }))
}

for (const subject of SUBJECTS) {
  const { id } = subject
  if (id === 'sandbox') continue
  t.test(nameOf(subject), async (t) => {
    const create = () => createLateScene(t, { ...subject, id })
    let late = await create()
    const result: Result = {
      network: nameOf(subject),
      late: 0,
      published: 0,
      removed: 0,
      unconfirmed: 0,
      'false removed': 0,
      doubled: 0,
      'lost edits': 0,
    }
    results.push(result)
    const { changes } = NETWORKS[id]
    const adapter = late.scene.world.networks[id]!
    const courses = {
      'no act': [],
      ...(canQuery(adapter) ? COURSES : { resolve: [resolve] }),
      ...(changes.remove.possible && canQuery(adapter) && REMOVING_COURSES),
    }
    const trialOf = async (kind: Kind, name: string) => {
      if (late.scene.isOld()) late = await create()
      const trial = { ...late, t, result, kind, name: `${kind.name}, ${name}` }
      return { trial, files: await late.scene.uploadFiles(kind) }
    }
    for (const kind of listKinds(id)) {
      for (const [name, acts] of Object.entries(courses)) {
        const { trial, files } = await trialOf(kind, name)
        await runPublishing(trial, files, acts)
      }
      if (!changes.edit.possible) continue
      const again = await trialOf(kind, 'edited again')
      await runEditing(again.trial, again.files, [edit('The last text')], 'The last text')
      if (!changes.remove.possible) continue
      const removed = await trialOf(kind, 'edited and removed')
      await runEditing(removed.trial, removed.files, [post('remove')])
    }
    t.ok(result.late > 0)
  })
}

t.teardown(() => {
  if (SOAK_REPORT) writeFileSync(SOAK_REPORT, JSON.stringify(results))
})
