import { randomUUID } from 'node:crypto'
import tap, { type Test } from 'tap'
import type { PlatformId } from '../../schemas/platform.ts'
import { createNetworks } from '../../src/platforms/adapters.ts'
import type { Act, AnyAdapter, Sent } from '../../src/platforms/contract/adapter.ts'
import { canQuery } from '../../src/platforms/contract/can-query.ts'
import type { Io } from '../../src/platforms/contract/io.ts'
import type { SandboxStore } from '../../src/platforms/contract/sandbox-store.ts'
import { platforms } from '../../src/platforms/limits.ts'
import { findAccountKind } from '../../src/platforms/linkedin/limits.ts'
import { NETWORKS } from '../../src/platforms/networks.ts'
import { SCENES, sceneOf } from '../networks/fakes/all.ts'
import { FLAVOURS } from '../networks/fakes/mastodon-flavours.ts'
import { MEASURED, startMetrics } from '../networks/fakes/metrics.ts'
import type { Kind } from '../networks/fakes/scene.ts'
import { actOf, awaitProcessed, fileOf, ID_UNKNOWN, publishedOf, STILL_PROCESSING } from './adapter-calls.ts'
import type { Teardown } from './database.ts'
import { FLAVOUR_SUBJECTS, kindsOf, nameOf, type Subject } from './network-scene.ts'
import { EMPTY, type Operation, tryOddResponses } from './odd-bodies.ts'

// Each call of each adapter gets each body of odd-bodies.ts. No body may make a post absent or gone, report a number,
// rename an account, or count as an upload, a removal or an edit.

const networks = createNetworks({} as SandboxStore)

const IDS = Object.keys(SCENES) as (keyof typeof SCENES)[]
const SUBJECTS: Subject[] = IDS.map((id) => ({ id, accounts: undefined }))

const HOUR_MS = 3_600_000
const STEPS_MAX = 60

async function start(t: Teardown, { id, flavour }: Subject, isEveryKind: boolean) {
  const scene = sceneOf(id)!
  const fake = await scene.start(t)
  if (flavour) fake.flavour = flavour
  // Every run publishes, and files are not images.
  if (id === 'google_business') fake.checksPhotos = false
  if (id === 'tiktok') fake.switches.initsMax = Number.POSITIVE_INFINITY
  if (id === 'threads') fake.quota.deletes = Number.POSITIVE_INFINITY
  const { credentials } = scene.account(fake)
  const adapter: AnyAdapter = networks[id]
  const ioWith = (fetch: typeof globalThis.fetch): Io => ({ fetch, signal: new AbortController().signal, credentials })
  const { title } = platforms[id]
  const actOfKind = (kind: Kind) =>
    actOf({
      token: randomUUID(),
      text: `A lighthouse ${randomUUID()}`,
      postType: kind.postType,
      media: kind.files.map((file) =>
        fileOf(file === 'video' ? 'video/mp4' : 'image/jpeg', { content: randomUUID(), altText: 'A lighthouse' }),
      ),
      fields: { ...scene.fields, ...(title?.required && { [title.field]: 'Lighthouses' }) },
    })
  /** Publishes an act. Returns the result, and the states that a worker would store before it, as JSON. */
  async function publish(act: Act, fetch = fake.fetch) {
    const io = ioWith(fetch)
    let prepared = await adapter.prepare(act, io, null)
    for (let steps = 0; 'later' in prepared; steps++) {
      if (steps === STEPS_MAX) throw new Error('the act is never ready')
      prepared = await adapter.prepare(act, io, JSON.parse(JSON.stringify(prepared.later.state)))
    }
    const ready = JSON.stringify(prepared.ready)
    const result = await adapter.publish(act, io, JSON.parse(ready))
    if (!('processing' in result)) return { sent: result, states: [ready] }
    const { state } = result.processing
    return { sent: await awaitProcessed(adapter, act, io, state), states: [ready, JSON.stringify(state)] }
  }
  const kinds = kindsOf(id).filter(
    ({ act, files }) => act !== 'comment' && (flavour !== 'pixelfed' || files.length > 0),
  )
  const [first] = kinds
  const published = isEveryKind ? kinds : kinds.toSorted((a, b) => b.files.length - a.files.length).slice(0, 1)
  return { scene, fake, adapter, credentials, ioWith, actOfKind, publish, first: first!, kinds: published }
}

type Scene = Awaited<ReturnType<typeof start>>

/** Values that only people read. */
const SHOWN = new Set([
  'url',
  'label',
  'displayName',
  'avatarUrl',
  'details',
  'facts',
  'textLengthMax',
  'altTextLengthMax',
])

const withoutShown = (value: unknown) => JSON.stringify(value, (key, inner) => (SHOWN.has(key) ? undefined : inner))

const differsOnlyInShown = (learned: unknown, wanted: unknown) =>
  !(learned instanceof Error) && withoutShown(learned) === withoutShown(wanted)

/** The network has said before that the act is out. Its id stays unknown. */
const isUnidentified = (learned: unknown) => JSON.stringify(learned) === '{"id":null,"url":null}'

/** The network has accepted the act. Its state or its id is not known. */
const isOut = (learned: unknown) => learned instanceof Error && [ID_UNKNOWN, STILL_PROCESSING].includes(learned.message)

/** Odd bodies that are the network's own response to a call. */
const OWN_RESPONSES: Partial<Record<PlatformId, { call: RegExp; bodies: string[] }[]>> = {
  // The account has no statuses. A second one is replaced by the first, because it has the same `Idempotency-Key`.
  mastodon: [{ call: /^GET .*\/statuses$/, bodies: ['[]'] }],
  // The responses that they document have a body, but may lack it.
  x: [{ call: /\/(?:append|metadata)$/, bodies: [EMPTY] }],
  // An empty list, and the confirmation of a removal: https://developers.google.com/my-business/reference/rest
  google_business: [{ call: /^(?:GET|DELETE) .*\/localPosts/, bodies: ['{}', '{"data":{"id":{}},"id":{}}'] }],
}

const check = (id: PlatformId, fetch: typeof globalThis.fetch, operation: Operation) =>
  tryOddResponses(fetch, operation, (call, body) =>
    (OWN_RESPONSES[id] ?? []).some((own) => own.call.test(call) && own.bodies.includes(body)),
  )

function findings({ adapter, credentials, ioWith, actOfKind }: Scene) {
  async function find(act: Act, fetch: typeof globalThis.fetch, state: string) {
    let found = await adapter.reconcile!(act, ioWith(fetch), JSON.parse(state))
    for (let looks = 0; typeof found === 'object' && 'processing' in found; looks++) {
      if (looks === STEPS_MAX) return 'never found'
      found = await adapter.reconcile!(act, ioWith(fetch), JSON.parse(JSON.stringify(found.processing.state)))
    }
    return found
  }
  return async (kind: Kind, publish: Scene['publish']): Promise<Operation[]> => {
    const act = actOfKind(kind)
    if (!canQuery(adapter, act, credentials)) return []
    const { states } = await publish(act)
    return states.map((state) => ({
      name: `find a ${kind.name}`,
      run: (fetch) => find(act, fetch, state),
      mayLearn: (learned, wanted) => differsOnlyInShown(learned, wanted) || isUnidentified(learned),
    }))
  }
}

async function tryReading({ id }: Subject, scene: Scene): Promise<string[]> {
  const { fake, adapter, ioWith, publish, kinds } = scene
  const { options = {} } = networks[id]
  const operations: Operation[] = [
    { name: 'identify', run: (fetch) => adapter.identify(ioWith(fetch)), mayLearn: differsOnlyInShown },
  ]
  const find = findings(scene)
  for (const kind of kinds) operations.push(...(await find(kind, publish)))
  for (const [key, { needs = [], read }] of Object.entries(options)) {
    const values: Record<string, string> = { subreddit: 'lighthouses' }
    for (const need of needs) {
      values[need] ??= (await options[need]!.read(ioWith(fake.fetch), {})).options[0]!.value
    }
    operations.push({ name: key, run: (fetch) => read(ioWith(fetch), values), mayLearn: differsOnlyInShown })
  }
  const problems: string[] = []
  for (const operation of operations) problems.push(...(await check(id, fake.fetch, operation)))
  return problems
}

async function tryPublishing({ id }: Subject, { scene, fake, actOfKind, publish, kinds }: Scene): Promise<string[]> {
  const problems: string[] = []
  for (const kind of kinds) {
    const run = async (fetch: typeof globalThis.fetch) => {
      const before = scene.countVisible(fake)
      await publish(actOfKind(kind), fetch)
      return scene.countVisible(fake) - before
    }
    problems.push(...(await check(id, fake.fetch, { name: `publish a ${kind.name}`, run, mayLearn: isOut })))
  }
  return problems
}

async function tryMetrics(
  { id }: Subject,
  { fake, ioWith, actOfKind, publish, credentials, first }: Scene,
  t: Test,
): Promise<string[]> {
  const readMetrics = networks[id].readMetrics!
  const numbers = await startMetrics(t)
  const fetch: typeof globalThis.fetch = (input, init) =>
    numbers.takes(input as string, init) ? numbers.fetch(input, init) : fake.fetch(input, init)
  const act = actOfKind(first)
  const { sent } = await publish(act)
  const accounts = credentials.author && findAccountKind(credentials.author)
  const offered = NETWORKS[id].metrics.offered.filter((rule) => !rule.accounts || rule.accounts === accounts)
  const reported = Object.fromEntries(offered.map(({ native }, index) => [native, 11 + index]))
  if (MEASURED.includes(id)) numbers.storeOf(id).posts.set(sent.id, reported)
  if (id === 'bluesky') for (const key of fake.posts.keys()) fake.counts.set(key, reported)
  if (id === 'mastodon') Object.assign(fake.statuses[0], reported)
  const { postType } = act
  const post = { id: sent.id, ref: sent.ref ?? null, url: sent.url, postType, ageMs: HOUR_MS }
  const run = async (fetch: typeof globalThis.fetch) => {
    const [reading] = await readMetrics([post], new Set(Object.keys(reported)), ioWith(fetch))
    return reading
  }
  /** A number of another type is not known. */
  const mayLearn = (learned: unknown) => {
    const { counts, error } = learned as { counts?: Record<string, number>; error?: { retryable: boolean } }
    if (error) return error.retryable
    return (
      counts !== undefined &&
      Object.entries(counts).every(([name, count]) => count === reported[name]) &&
      Object.keys(counts).length > 0
    )
  }
  return check(id, fetch, { name: 'read', run, mayLearn })
}

async function tryChanges(
  { id, flavour }: Subject,
  { scene, fake, ioWith, actOfKind, publish, first }: Scene,
): Promise<string[]> {
  const remove = networks[id].remove!
  const { edit } = networks[id]
  const published = scene.published!(fake)
  const next = async () => {
    const act = actOfKind(first)
    const { sent } = await publish(act)
    // Some networks do not find newer posts.
    return { act, post: publishedOf(act, sent as Sent, { publishedAt: new Date(Date.now() - HOUR_MS) }) }
  }
  const removal: Operation = {
    name: 'remove',
    async run(fetch) {
      const { post } = await next()
      await remove(post, ioWith(fetch))
      return published.textOf(post.id)
    },
  }
  const problems = await check(id, fake.fetch, removal)
  const change: Operation = {
    name: 'edit',
    async run(fetch) {
      const { act, post } = await next()
      const text = `${act.text} at dawn`
      const { id } = await edit!({ ...act, text }, post, ioWith(fetch))
      return published.textOf(id) === text
    },
  }
  if (edit && (!flavour || FLAVOURS[flavour].edits)) problems.push(...(await check(id, fake.fetch, change)))
  return problems
}

/** Publishes every kind of post, also to other servers with Mastodon's API; or one kind, with the most files. */
export function testOddBodies(kinds: 'one kind' | 'every kind'): void {
  const isEveryKind = kinds === 'every kind'
  for (const subject of [...SUBJECTS, ...(isEveryKind ? FLAVOUR_SUBJECTS : [])]) {
    const { remove, readMetrics } = networks[subject.id]
    const test = (promise: string, findProblems: typeof tryMetrics) =>
      tap.test(`${nameOf(subject)}: ${promise}`, async (t) => {
        t.strictSame(await findProblems(subject, await start(t, subject, isEveryKind), t), [])
      })
    test('accounts, options and posts are known by answers of the network alone', tryReading)
    test('nothing is uploaded or published by a body that is no answer', tryPublishing)
    if (readMetrics && !subject.flavour) test('numbers and presence are answers of the network alone', tryMetrics)
    if (remove) test('nothing is removed or edited by a body that is no answer', tryChanges)
  }
}
