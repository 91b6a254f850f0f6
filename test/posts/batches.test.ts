import { sql } from 'kysely'
import t from 'tap'
import { withDatabaseBudget } from '../../db/budget.ts'
import type { Db } from '../../db/client.ts'
import { newId } from '../../db/id.ts'
import { insertPost, type NewPost, type NewTarget } from '../../db/queries/posts/insert.ts'
import { NO_TERMS } from '../../src/features/posts/nearby-terms.ts'
import { createWorld } from '../helpers/app.ts'
import { untilBlocked } from '../helpers/until.ts'

/** `write` expects that every account is ready. */
const READY = { credentials: { username: 'ada' } }

/** Whether the post was written. */
const write = async (db: Db, post: NewPost) => (await insertPost(db, post))?.outcome === 'written'

const toTarget = (accountId: string, target: Partial<NewTarget> = {}): NewTarget => ({
  accountId,
  account: { textLengthMax: null, factsDigest: null, defaultFields: null, captionSuffix: null },
  captionOverride: null,
  fields: null,
  threadParts: null,
  mediaIds: null,
  scheduledAt: null,
  isInSlot: false,
  ...target,
})

const newPost = (userId: string, accountId: string, post: Partial<NewPost> = {}): NewPost => ({
  id: newId(),
  userId,
  caption: '',
  firstComment: null,
  postType: 'post',
  status: 'draft',
  scheduledAt: null,
  deliveryState: 'waiting',
  targets: [toTarget(accountId)],
  nearby: (post.targets ?? [accountId]).map(() => NO_TERMS),
  mediaIds: [],
  unready: [],
  ...post,
})

/** How many transactions wrote the stored posts. */
async function countCommits(db: Db): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(distinct xmin::text)::int as count from posts`.execute(db)
  return rows[0]!.count
}

t.test('posts that are created concurrently share commits, and each is stored complete and unmixed', async (t) => {
  const world = await createWorld(t)
  const users = await Promise.all(['ada', 'bob'].map(() => world.user()))
  const accounts = await Promise.all(
    users.map(async (user) => [await user.account(), await user.account('mastodon'), await user.account('x')] as const),
  )
  // From here on, the accounts are in the cache of the service.
  for (const [index, user] of users.entries()) {
    const { status } = await user.call('POST', '/posts', { accountIds: accounts[index] })
    t.equal(status, 201)
  }
  await world.db.deleteFrom('posts').execute()

  const requests = Array.from({ length: 24 }, (_, number) => {
    const owner = number % 2
    const accountIds = accounts[owner]!.slice(0, 1 + (number % 3))
    const [first] = accountIds as [string]
    const body = {
      accountIds,
      caption: `caption ${number}`,
      accountOverrides: [{ accountId: first, captionOverride: `other ${number}`, fields: { n: number } }],
      ...(number % 4 > 1 && { postType: 'thread', threadParts: { [first]: [`part ${number}`, 'end'] } }),
      ...(number % 5 > 2 && { scheduledAt: `2030-01-01T00:00:${10 + number}Z` }),
      ...(number % 6 > 4 && { firstComment: `comment ${number}` }),
    }
    return { user: users[owner]!, body, isOwn: true }
  })
  // Requests between them name accounts that the service has in its cache, but that belong to another user.
  const strays = Array.from({ length: 4 }, (_, number) => {
    const accountIds = [accounts[0]![0], accounts[1]![0]]
    return { user: users[number % 2]!, body: { accountIds, caption: `stray ${number}` }, isOwn: false }
  })
  const all = [...requests.slice(0, 12), ...strays, ...requests.slice(12)]
  const replies = await Promise.all(all.map(({ user, body }) => user.call('POST', '/posts', body)))

  const posts = await world.db.selectFrom('posts').selectAll().execute()
  const targets = await world.db.selectFrom('postTargets').selectAll().execute()
  for (const [index, { user, body, isOwn }] of all.entries()) {
    const { status, body: created } = replies[index]!
    t.equal(status, isOwn ? 201 : 403)
    if (!isOwn) continue
    const { caption, accountIds, accountOverrides, threadParts, scheduledAt, firstComment, postType } =
      body as (typeof requests)[number]['body']
    const at = scheduledAt ? new Date(scheduledAt) : null
    const post = posts.find(({ id }) => id === created.id)
    t.hasStrict(post, {
      userId: user.id,
      caption,
      scheduledAt: at,
      firstComment: firstComment ?? null,
      postType: postType ?? 'post',
      status: at ? 'scheduled' : 'draft',
    })
    const own = targets.filter(({ postId }) => postId === created.id)
    t.strictSame(own.map(({ accountId }) => accountId).sort(), [...accountIds].sort())
    for (const target of own) {
      const override = accountOverrides.find(({ accountId }) => accountId === target.accountId)
      t.hasStrict(target, {
        userId: user.id,
        state: at ? 'queued' : 'waiting',
        dueAt: at,
        claimableAt: at,
        captionOverride: override?.captionOverride ?? null,
        fields: override?.fields ?? null,
        threadParts: threadParts?.[target.accountId] ?? null,
      })
    }
  }
  t.equal(posts.length, requests.length)
  t.ok((await countCommits(world.db)) < requests.length / 2)
})

t.test('each post keeps its own files, in order', async (t) => {
  const { db, ...world } = await createWorld(t)
  const ada = await world.user()
  const account = await ada.account('sandbox', READY)
  const files = [await ada.media(), await ada.media(), await ada.media()]
  const orders = [[0, 1, 2], [], [2, 0], [1, 1], []].map((order) => order.map((index) => files[index]!))
  const posts = orders.map((mediaIds) => newPost(ada.id, account, { mediaIds }))
  t.strictSame(await Promise.all(posts.map((post) => write(db, post))), Array(5).fill(true))
  for (const { id, mediaIds } of posts) {
    const stored = await db.selectFrom('postMedia').selectAll().where('postId', '=', id).orderBy('position').execute()
    t.strictSame(
      stored.map(({ mediaId, position }) => [mediaId, position]),
      mediaIds.map((mediaId, index) => [mediaId, index + 1]),
    )
  }
  t.equal(await countCommits(db), 1)
})

t.test('a post that the database rejects does not affect the others of its batch', async (t) => {
  const { db, ...world } = await createWorld(t)
  const ada = await world.user()
  const account = await ada.account('sandbox', READY)
  const posts = [{}, { mediaIds: [newId()] }, { targets: [toTarget(newId())] }, {}].map((post) =>
    newPost(ada.id, account, post),
  )
  t.hasStrict(await Promise.allSettled(posts.map((post) => write(db, post))), [
    { value: true },
    { reason: { constraint: 'post_media_media' } },
    { value: false },
    { value: true },
  ])
  t.equal((await db.selectFrom('posts').selectAll().execute()).length, 2)
})

t.test('a post with many bytes or accounts is written in a statement of its own', async (t) => {
  const { db, ...world } = await createWorld(t)
  const ada = await world.user()
  const account = await ada.account('sandbox', READY)
  const accountIds = await Promise.all(Array.from({ length: 33 }, () => ada.account('sandbox', READY)))
  const long = { targets: [toTarget(account, { fields: { text: 'x'.repeat(40_000) } })] }
  const wide = { targets: accountIds.map((accountId) => toTarget(accountId)) }
  const posts = [{}, long, {}, wide, {}].map((post) => newPost(ada.id, account, post))
  t.strictSame(await Promise.all(posts.map((post) => write(db, post))), Array(5).fill(true))
  t.equal(await countCommits(db), 3)
})

t.test('a post whose database budget is spent before is never written', async (t) => {
  const { db, ...world } = await createWorld(t)
  const ada = await world.user()
  const account = await ada.account('sandbox', READY)
  const late = withDatabaseBudget({ remainingMs: -200 }, () => write(db, newPost(ada.id, account)))
  await t.rejects(late, { code: 'ETIMEDOUT' })
  t.equal(await write(db, newPost(ada.id, account)), true)
  t.equal((await db.selectFrom('posts').selectAll().execute()).length, 1)
})

t.test('a post whose database budget ends in the queue is never written', async (t) => {
  const { db, ...world } = await createWorld(t)
  const ada = await world.user()
  const account = await ada.account('sandbox', READY)
  const early: Promise<boolean>[] = []
  await db.transaction().execute(async (transaction) => {
    await sql`lock table posts`.execute(transaction)
    while (early.length < 2) {
      early.push(write(db, newPost(ada.id, account)))
      await untilBlocked(db, { count: early.length })
    }
    const budget = { remainingMs: 20 }
    const late = withDatabaseBudget(budget, () => write(db, newPost(ada.id, account)))
    await t.rejects(late, { code: 'ETIMEDOUT' })
    // A timer may fire a fraction of a millisecond early.
    t.ok(budget.remainingMs < 1)
  })
  t.strictSame(await Promise.all(early), [true, true])
  // Posts are written in order: had the late one stayed in the queue, it would be stored by now.
  t.equal(await write(db, newPost(ada.id, account)), true)
  t.equal((await db.selectFrom('posts').selectAll().execute()).length, 3)
})
