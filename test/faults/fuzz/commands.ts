import { deepStrictEqual } from 'node:assert'
import fc, { type AsyncCommand } from 'fast-check'
import { sql } from 'kysely'
import { deleteMembership, upsertMembership } from '../../../db/queries/people.ts'
import { sandboxStore } from '../../../db/queries/sandbox.ts'
import { SANDBOX_FAULTS } from '../../../schemas/sandbox.ts'
import { publishToSandbox } from '../../../src/platforms/sandbox/adapter.ts'
import type { Person } from '../../helpers/app.ts'
import type { Teardown } from '../../helpers/database.ts'
import { json } from '../../helpers/document.ts'
import { createDesk, type Desk } from '../../helpers/publisher.ts'
import { upload } from '../../helpers/upload.ts'
import { problemWith } from './answers.ts'
import { type Account, type Delivery, FUTURE, Model, type NewPost, type Post, statusOf } from './model.ts'
import { IMAGES, NOBODYS, operations } from './requests.ts'

/** The service, two users and an organisation. */
interface Real {
  users: Person[]
  media: string[]
  organization: string
  desk: Desk
}

/** The clock of workers is ahead of the database's by more than a run takes: what callers do is before it. */
const AHEAD_MS = 7_200_000

/** Where runs take place. */
export interface Stage {
  begin(): Promise<{ model: Played; real: Real }>
}

/** A service for many runs. */
export async function createStage(t: Teardown): Promise<Stage> {
  const desk = await createDesk(t, (db) => ({
    sandbox: publishToSandbox(sandboxStore(db), async () => undefined as never),
  }))

  /** Two users, both in the organisation, with two accounts each, of which it reaches one. */
  const begin = async (): Promise<{ model: Played; real: Real }> => {
    // What the run before has left is left alone.
    await sql`update post_targets set claimable_at = null`.execute(desk.db)
    desk.time.now = new Date(Date.now() + AHEAD_MS)
    const users = [await desk.user(), await desk.user()]
    const media = []
    for (const user of users) media.push((await upload(desk.app, user, [['file', IMAGES[0]!]])).body.id)
    const model = new Played()
    for (const index of users.keys()) model.members.add(index)
    const real = { users, media, desk, organization: await desk.organization(...users) }
    for (const index of users.keys()) {
      for (const shared of [true, false]) {
        const username = `handle-${shared ? 0 : 1}`
        const account = model.connect(index, username, undefined, shared)
        const { body } = await ask(real, index, 'connectAccount', '/accounts', {
          ...{ platform: 'sandbox', credentials: { username } },
          ...(shared && { organizationId: real.organization }),
        })
        account.id = body.id
      }
    }
    return { model, real }
  }
  return { begin }
}

/** The model, and what was sent under keys. */
class Played extends Model {
  kept: Kept[] = []
}

type Step = AsyncCommand<Played, Real>

/** What was met, and how often: answers to the requests that were sent, and what became of deliveries. */
export const met = { answers: new Map<string, number>(), outcomes: new Map<string, number>() }

const tally = (map: Map<string, number>, what: string) => map.set(what, (map.get(what) ?? 0) + 1)

/** A step whose text is what a failure shows. */
function step(
  name: string,
  facts: object,
  run: (model: Played, real: Real) => Promise<void>,
  check = (_: Played) => true,
): Step {
  return { check: (model) => check(model as Played), run, toString: () => `${name}${JSON.stringify(facts)}` }
}

async function ask(real: Real, user: number, operationId: string, path: string, body?: unknown, key?: string) {
  const { method, responses } = operations.find((operation) => operation.operationId === operationId)!
  const answer = await real.desk.app.inject({
    method: method as 'GET',
    url: `/api/v1${path}`,
    headers: {
      authorization: `Bearer ${real.users[user]!.key}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(key !== undefined && { 'idempotency-key': key }),
    },
    ...(body !== undefined && { payload: JSON.stringify(body) }),
  })
  const { statusCode: status, headers } = answer
  tally(met.answers, `${operationId} ${status}`)
  // A machine with much else to do is late, and what has been done is not known: that run says nothing.
  fc.pre(status !== 503)
  const declared = responses[status]
  if (!declared) throw new Error(`${operationId} answers ${status} ${answer.payload}`)
  const problem = problemWith(json(declared).schema, answer.json())
  if (problem) throw new Error(`${operationId}: ${problem}`)
  return { status, body: answer.json(), isReplayed: headers['idempotent-replayed'] === 'true' }
}
type Reply = Awaited<ReturnType<typeof ask>>

/** A request that creates something, under a key. */
export interface Kept {
  user: number
  operationId: string
  path: string
  body: object
  key: string
  status: number
  answer: unknown
}

/** How a request that creates something is sent. */
const way = fc.constantFrom('plainly', 'plainly', 'plainly', 'with a key', 'with a key', 'twice at once')

/** Sends what creates something. Under a key, what succeeds is kept, and two at once are done once. */
async function createBy(
  way: string,
  kept: Kept[],
  real: Real,
  user: number,
  operationId: string,
  path: string,
  body: object,
): Promise<Reply> {
  if (way === 'plainly') return ask(real, user, operationId, path, body)
  // The key of what was refused may name something else.
  const key = `key-${kept.length}`
  const send = () => ask(real, user, operationId, path, body, key)
  const [reply, other] = await Promise.all([send(), ...(way === 'twice at once' ? [send()] : [])])
  const { status, body: answer } = reply!
  const isKept = status < 300
  if (isKept) kept.push({ user, operationId, path, body, key, status, answer })
  if (other) {
    deepStrictEqual([other.status, other.body], [status, answer])
    deepStrictEqual([reply!.isReplayed, other.isReplayed].filter(Boolean).length, isKept ? 1 : 0)
  } else deepStrictEqual(reply!.isReplayed, false)
  return reply!
}

const again = fc
  .record({ place: fc.nat({ max: 30 }), what: fc.constantFrom('same', 'same', 'another body', 'another operation') })
  .map((facts) =>
    step(
      'again',
      facts,
      async ({ kept }, real) => {
        const { user, operationId, path, body, key, status, answer } = pick(kept, facts.place)!
        if (facts.what === 'same') {
          const reordered = Object.fromEntries(Object.entries(body).toReversed())
          const reply = await ask(real, user, operationId, path, reordered, key)
          deepStrictEqual(reply, { status, body: answer, isReplayed: true })
          return
        }
        const reply =
          facts.what === 'another operation'
            ? await ask(real, user, 'importMedia', '/media/import', { url: 'https://files.example/1.jpg' }, key)
            : await ask(real, user, operationId, path, differently(body), key)
        const error = 'This Idempotency-Key was already used for another request'
        deepStrictEqual(reply, { status: 409, body: { error }, isReplayed: false })
      },
      ({ kept }) => kept.length > 0,
    ),
  )

const differently = (body: object) =>
  'credentials' in body
    ? { ...body, credentials: { ...(body.credentials as object), displayName: 'Another' } }
    : { ...body, caption: 'Another' }

const often = <T>(times: number, arbitrary: T): T[] => Array(times).fill(arbitrary)

const pick = <T>(items: readonly T[], index: number): T | undefined => items[index % items.length]

const isTime = (value: unknown) => (value === null ? null : typeof value)

function listed(post: Post, real: Real) {
  const { id, owner, caption, firstComment, postType, scheduledAt } = post
  const status = statusOf(post)
  return { id, userId: real.users[owner]!.id, caption, firstComment, postType, status, scheduledAt }
}

/** A post of an answer without what only the service can know. Its times are checked to be there, by the document. */
function told(
  { createdAt: _, updatedAt: __, ...post }: Record<string, unknown>,
  model: { scheduledAt: string | null } | undefined,
) {
  return model?.scheduledAt === 'now' && post.scheduledAt !== null ? { ...post, scheduledAt: 'now' } : post
}

function detail(post: Post, real: Real) {
  const targets = post.deliveries
    .map((delivery) => ({
      accountId: delivery.account.id,
      platform: 'sandbox',
      username: delivery.account.username,
      captionOverride: delivery.captionOverride,
      fields: delivery.fields,
      threadParts: delivery.threadParts,
      delivery: shownDelivery(delivery),
    }))
    .sort((a, b) => (a.accountId < b.accountId ? -1 : 1))
  return { ...listed(post, real), mediaIds: post.mediaIds, targets }
}

const shownDelivery = ({ state, attempts, sent, error, history }: Delivery) => {
  const time = sent.length > 0 ? 'string' : null
  return {
    ...{ state, attempts, error, history, publishedAt: time },
    nextAttemptAt: state === 'queued' ? 'string' : null,
    latenessMs: sent.length > 0 ? 'number' : null,
    externalId: sent[0]?.isKnown ? 'string' : null,
    acts: sent.map(({ isKnown }) => (isKnown ? 'string' : null)),
  }
}

// biome-ignore lint/suspicious/noExplicitAny: the body of an answer
function toldDetail({ targets, ...post }: any, model: Post | undefined) {
  return {
    ...told(post, model),
    // biome-ignore lint/suspicious/noExplicitAny: the body of an answer
    targets: targets.map(({ delivery, ...target }: any) => ({
      ...target,
      delivery: {
        state: delivery.state,
        attempts: delivery.attempts,
        error: delivery.error?.code ?? null,
        // biome-ignore lint/suspicious/noExplicitAny: the body of an answer
        history: delivery.history.map(({ number, act, outcome, error }: any) => {
          return { number, act, outcome, error: error?.code ?? null }
        }),
        publishedAt: isTime(delivery.publishedAt),
        nextAttemptAt: isTime(delivery.nextAttemptAt),
        latenessMs: isTime(delivery.latenessMs),
        externalId: isTime(delivery.externalId),
        acts: delivery.acts.map(({ externalId }: { externalId: string | null }) => isTime(externalId)),
      },
    })),
  }
}

const shownAccount = ({ id, username, displayName, attention }: Account) => ({
  ...{ id, platform: 'sandbox', username },
  ...(displayName !== undefined && { displayName }),
  ...(attention && { attention }),
})

/** The error of a refusal, where the model does not say it word by word. */
const refused = (status: number, { status: actual, body }: Reply) =>
  deepStrictEqual([actual, Object.keys(body), typeof body.error], [status, ['error'], 'string'])

const user = fc.nat({ max: 1 })
/** Mostly what is sensible: the rest has to be refused. */
const usually = fc.nat({ max: 9 }).map((one) => one > 0)
/** Who asks for a post: mostly its owner. */
const askerOf = (post: Post | undefined, isOwner: boolean) => (isOwner ? (post?.owner ?? 0) : 1 - (post?.owner ?? 0))
const place = fc.nat({ max: 30 })

const create = fc
  .record({
    user,
    accounts: fc.array(fc.nat({ max: 8 }), { minLength: 1, maxLength: 3 }),
    isReached: usually,
    way,
    when: fc.constantFrom('draft', 'past', 'past', 'past', 'future'),
    postType: fc.constantFrom('post', 'post', 'thread'),
    caption: fc.constantFrom(...often(6, 'a caption'), 'Ünï💫', ''),
    firstComment: fc.constantFrom(null, null, 'a comment'),
    media: fc.constantFrom(...often(6, 'none'), 'own', 'own', 'own', 'foreign'),
    overrides: fc.array(
      fc.record(
        {
          captionOverride: fc.constantFrom(null, 'another caption', ''),
          fault: fc.constantFrom(...SANDBOX_FAULTS),
          faultTimes: fc.constantFrom(1, 2, 9),
          faultAct: fc.constantFrom(1, 1, 2, 3),
        },
        { requiredKeys: [] },
      ),
      { maxLength: 3 },
    ),
    parts: fc.array(fc.constantFrom('one', 'two', 'three', 'four', 'five', ''), { maxLength: 3 }),
  })
  .map((facts) =>
    step(
      'create',
      facts,
      async (model, real) => {
        const { postType, caption, firstComment, parts } = facts
        const reached = model.accountsOf(facts.user)
        const choice = facts.isReached && reached.length > 0 ? reached : model.accounts
        const sent = facts.accounts.map((index) => pick(choice, index)!)
        const accounts = [...new Set(sent)]
        const media = facts.media === 'none' ? [] : [pick(real.media, facts.user + (facts.media === 'own' ? 0 : 1))!]
        const scheduledAt = { draft: null, past: '2026-01-01T00:00:00.000Z', future: FUTURE }[facts.when]!
        const overrides = facts.overrides.slice(0, accounts.length).map(({ captionOverride, ...fields }, index) => ({
          account: accounts[index]!,
          captionOverride: captionOverride ?? null,
          fields: Object.keys(fields).length > 0 ? fields : null,
        }))
        const post: NewPost = {
          ...{ accounts, caption, firstComment, overrides },
          scheduledAt: facts.when === 'draft' ? null : scheduledAt,
          postType: postType as Post['postType'],
          media: media.map((id) => ({ id, isOwn: facts.media === 'own' })),
          threadParts: new Map(postType === 'thread' ? [[accounts[0]!, parts]] : []),
        }
        const reply = await createBy(facts.way, model.kept, real, facts.user, 'createPost', '/posts', {
          accountIds: sent.map(({ id }) => id),
          ...{ caption, postType, mediaIds: media },
          ...(firstComment !== null && { firstComment }),
          ...(post.scheduledAt !== null && { scheduledAt: post.scheduledAt }),
          accountOverrides: overrides.map(({ account, captionOverride, fields }) => ({
            accountId: account.id,
            captionOverride,
            ...(fields && { fields }),
          })),
          threadParts: Object.fromEntries([...post.threadParts].map(([account, texts]) => [account.id, texts])),
        })
        const judged = model.judge(facts.user, post)
        if (judged.status === 400) refused(400, reply)
        else if (judged.status === 403) {
          deepStrictEqual([reply.status, reply.body], [403, { error: judged.error }])
        } else {
          const status = post.scheduledAt === null ? 'draft' : 'scheduled'
          deepStrictEqual([reply.status, reply.body], [201, { id: reply.body.id, status }])
          model.create(facts.user, reply.body.id, post)
        }
      },
      ({ accounts }) => accounts.length > 0,
    ),
  )

const connect = fc
  .record({
    user,
    name: fc.nat({ max: 2 }),
    displayName: fc.option(fc.constant('Ada'), { nil: undefined }),
    organization: fc.constantFrom('none', 'none', 'none', 'own', 'own', 'unknown'),
    token: fc.constantFrom(...often(7, 'valid'), 'expired'),
    way,
  })
  .map((facts) =>
    step('connect', facts, async (model, real) => {
      const username = `handle-${facts.name}`
      const organizationId = { none: undefined, own: real.organization, unknown: NOBODYS }[facts.organization]
      const { displayName, token } = facts
      const credentials = { username, token, ...(displayName !== undefined && { displayName }) }
      const reply = await createBy(facts.way, model.kept, real, facts.user, 'connectAccount', '/accounts', {
        ...{ platform: 'sandbox', credentials },
        ...(organizationId !== undefined && { organizationId }),
      })
      const isRefused =
        facts.organization === 'unknown' || (facts.organization === 'own' && !model.members.has(facts.user))
      if (isRefused) {
        const error = `You have no access to this organizationId: ${organizationId}`
        deepStrictEqual([reply.status, reply.body], [403, { error }])
      } else if (token === 'expired') refused(400, reply)
      else {
        const account = model.connect(facts.user, username, displayName, facts.organization === 'own')
        deepStrictEqual(reply.status, account.id === '' ? 201 : 200)
        if (account.id === '') account.id = reply.body.id
        deepStrictEqual(reply.body, shownAccount(account))
      }
    }),
  )

const disconnect = fc.record({ user, account: place }).map((facts) =>
  step('disconnect', facts, async (model, real) => {
    const account = pick(model.accounts, facts.account)
    const reply = await ask(real, facts.user, 'disconnectAccount', `/accounts/${account?.id ?? NOBODYS}`)
    const status = account ? model.disconnect(facts.user, account) : 404
    const error = { 403: 'Only the owner of an account can disconnect it', 404: 'Account not found', 200: '' }[status]
    deepStrictEqual([reply.status, reply.body], [status, status === 200 ? { success: true } : { error }])
  }),
)

const membership = fc.record({ user, joins: fc.boolean() }).map((facts) =>
  step(facts.joins ? 'join' : 'leave', { user: facts.user }, async (model, { users, organization, desk }) => {
    const membership = { userId: users[facts.user]!.id, organizationId: organization }
    if (facts.joins) {
      model.members.add(facts.user)
      await upsertMembership(desk.db, { ...membership, role: 'member' })
    } else {
      model.members.delete(facts.user)
      await deleteMembership(desk.db, membership)
    }
  }),
)

/** What is done to a post by its id: 404 for whoever does not own it, what `own` does for its owner. */
const onPost = (
  name: string,
  operationId: string,
  path: (id: string) => string,
  own: (model: Model, real: Real, post: Post, reply: Reply) => void,
) =>
  fc.record({ isOwner: usually, post: place }).map((facts) =>
    step(name, facts, async (model, real) => {
      const post = pick(model.posts, facts.post)
      const reply = await ask(real, askerOf(post, facts.isOwner), operationId, path(post?.id ?? NOBODYS))
      if (!post || !facts.isOwner) {
        deepStrictEqual([reply.status, reply.body], [404, { error: 'Post not found' }])
      } else own(model, real, post, reply)
    }),
  )

const get = onPost(
  'get',
  'getPost',
  (id) => `/posts/${id}`,
  (_model, real, post, reply) => {
    deepStrictEqual([reply.status, toldDetail(reply.body, post)], [200, detail(post, real)])
  },
)
const remove = onPost(
  'delete',
  'deletePost',
  (id) => `/posts/${id}`,
  (model, _real, post, reply) => {
    const status = model.delete(post)
    const error = 'Cannot delete published post'
    deepStrictEqual([reply.status, reply.body], [status, status === 200 ? { success: true } : { error }])
  },
)
const publish = onPost(
  'publish',
  'publishPost',
  (id) => `/posts/${id}/publish`,
  (model, real, post, reply) => {
    const status = model.publish(post)
    if (status !== 202) refused(status, reply)
    else deepStrictEqual([reply.status, toldDetail(reply.body, post)], [202, detail(post, real)])
  },
)

/** What is done to a delivery; an account that the post does not go to is tried, too. */
const onDelivery = (
  name: 'retry' | 'resolve',
  success: 202 | 200,
  own: (model: Model, post: Post, delivery: Delivery, outcome: 'published' | 'not_published') => number,
) =>
  fc
    .record({
      isOwner: usually,
      post: place,
      delivery: place,
      isThere: usually,
      outcome: fc.constantFrom('published' as const, 'not_published' as const),
    })
    .map((facts) =>
      step(name, facts, async (model, real) => {
        // Those that there is something to do about, first.
        const isOpen = ({ error, state }: Delivery) => (name === 'retry' ? error !== null : state === 'unconfirmed')
        const open = model.posts.filter(({ deliveries }) => deliveries.some(isOpen))
        const post = pick(open.length > 0 ? open : model.posts, facts.post)
        const delivery = post && pick([...post.deliveries.filter(isOpen), ...post.deliveries], facts.delivery)!
        const account = (facts.isThere && delivery?.account.id) || NOBODYS
        const path = `/posts/${post?.id ?? NOBODYS}/deliveries/${account}/${name}`
        const body = name === 'resolve' ? { outcome: facts.outcome } : undefined
        const reply = await ask(real, askerOf(post, facts.isOwner), `${name}Delivery`, path, body)
        if (!post || !facts.isOwner) {
          deepStrictEqual([reply.status, reply.body], [404, { error: 'Post not found' }])
        } else if (!facts.isThere) {
          deepStrictEqual([reply.status, reply.body], [404, { error: 'Delivery not found' }])
        } else {
          const status = own(model, post, delivery!, facts.outcome)
          if (status !== success) refused(status, reply)
          else deepStrictEqual([reply.status, toldDetail(reply.body, post)], [success, detail(post, real)])
        }
      }),
    )

const retry = onDelivery('retry', 202, (model, _post, delivery) => model.retry(delivery))
const resolve = onDelivery('resolve', 200, (model, post, delivery, outcome) => model.resolve(post, delivery, outcome))

/** Nothing that waits for its time is due by the first, everything by the second. */
const TICKS = [0, 3_700_000]

const tick = fc.constantFrom(...TICKS).map((ms) =>
  step('tick', { ms }, async (model, { desk }) => {
    const { time } = desk
    time.now = new Date(time.now.getTime() + ms)
    const worker = desk.publisher({ latenessMaxMs: Number.POSITIVE_INFINITY })
    do await worker.idle()
    while ((await worker.claim()) > 0)
    model.tick(ms)
  }),
)

const list = fc.record({ user, limit: fc.constantFrom(1, 2, 5, 100), offset: fc.nat({ max: 5 }) }).map((facts) =>
  step('list', facts, async (model, real) => {
    const { limit, offset } = facts
    const { status, body } = await ask(real, facts.user, 'listPosts', `/posts?limit=${limit}&offset=${offset}`)
    const page = model.postsOf(facts.user).slice(offset, offset + limit)
    const data = body.data.map((post: Record<string, unknown>, index: number) => told(post, page[index]))
    const nextCursor = page.length < limit ? null : page.at(-1)!.id
    const expected = { data: page.map((post) => listed(post, real)), limit, offset, nextCursor }
    deepStrictEqual([status, { ...body, data }], [200, expected])
  }),
)

/** From page to page, each post is met once. */
const leaf = fc.record({ user, limit: fc.constantFrom(2, 5) }).map(({ user, limit }) =>
  step('leaf', { user, limit }, async (model, real) => {
    const ids: string[] = []
    let path = `/posts?limit=${limit}`
    for (let isLast = false; !isLast; ) {
      const { body } = await ask(real, user, 'listPosts', path)
      ids.push(...body.data.map(({ id }: { id: string }) => id))
      isLast = body.nextCursor === null
      path = `/posts?limit=${limit}&cursor=${body.nextCursor}`
    }
    deepStrictEqual(
      ids,
      model.postsOf(user).map(({ id }) => id),
    )
  }),
)

async function compareAccounts(model: Model, real: Real, user: number) {
  const { status, body } = await ask(real, user, 'listAccounts', '/accounts')
  const data = body.data.map(({ attention, ...account }: Record<string, { code: string }>) => {
    return { ...account, ...(attention && { attention: attention.code }) }
  })
  deepStrictEqual([status, data], [200, model.accountsOf(user).map(shownAccount)])
}

const accounts = user.map((user) => step('accounts', { user }, (model, real) => compareAccounts(model, real, user)))

/** Everything that each user can see, compared with the model. */
async function compareAll(model: Model, real: Real): Promise<void> {
  for (const user of real.users.keys()) {
    await compareAccounts(model, real, user)
    const posts = model.postsOf(user)
    const { body } = await ask(real, user, 'listPosts', '/posts?limit=100')
    const data = body.data.map((post: Record<string, unknown>, index: number) => told(post, posts[index]))
    deepStrictEqual(
      data,
      posts.map((post) => listed(post, real)),
    )
    for (const post of posts) {
      const { body } = await ask(real, user, 'getPost', `/posts/${post.id}`)
      deepStrictEqual(toldDetail(body, post), detail(post, real))
      for (const { state, history } of post.deliveries) {
        tally(met.outcomes, `delivery ${state}`)
        for (const { outcome, error } of history) tally(met.outcomes, `attempt ${outcome} ${error ?? ''}`)
      }
    }
    const { body: received } = await ask(real, user, 'listSandboxCalls', '/sandbox/calls?limit=100')
    const calls = received.data.map(({ accountId, accepted, fault, kind, text }: Record<string, unknown>) => {
      return { accountId, accepted, fault, kind, text }
    })
    const key = (call: object) => JSON.stringify(call)
    const expected = model.callsOf(user).slice(0, 100)
    // Accounts are sent to at the same time: among them, there is no order.
    const shown = expected.map(({ account, ...call }) => ({ accountId: account.id, ...call }))
    if (model.callsOf(user).length <= 100) deepStrictEqual(calls.map(key).sort(), shown.map(key).sort())
  }
}

const { STEPS } = process.env

/** Steps in any order, connecting and creating more often than the rest. */
const steps = fc.commands<Played, Real, false>(
  [
    ...often(3, connect),
    ...often(6, create),
    ...often(5, tick),
    ...often(2, retry),
    ...often(2, resolve),
    ...often(2, publish),
    ...often(2, get),
    ...often(2, again),
    ...[list, leaf, accounts, remove, disconnect, membership],
  ],
  // A failure is shown with the text that leads to it again, beside SEED and AT.
  { maxCommands: 50, size: 'max', ...(STEPS !== undefined && { replayPath: STEPS }) },
)

/** After any steps, in any order, the service is where the model is, and has answered so on the way. */
export const playThrough = ({ begin }: Stage) =>
  fc.asyncProperty(steps, async (steps) => {
    const { model, real } = await begin()
    await fc.asyncModelRun(() => ({ model, real }), steps)
    await compareAll(model, real)
  })
