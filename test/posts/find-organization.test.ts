import { sql } from 'kysely'
import t from 'tap'
import { createWorld, type Person } from '../helpers/app.ts'
import { repeating } from '../helpers/connect-oauth.ts'
import { BEGIN, type KnownPost, placeOf, storeManyPosts } from '../helpers/many-posts.ts'
import { sweepNow } from '../helpers/sweeps.ts'

/** Posts of each member: together more than a request looks at. */
const POSTS = 160

const { db, mediaDir, user, organization, promote } = await createWorld(t)
const people = [repeating(await user()), repeating(await user()), repeating(await user())]
const [ada] = people as [Person]
const organizationId = await organization(...people)
await promote(organizationId, ada)
const posts = new Map<string, KnownPost & { userId: string }>()
for (const [index, person] of people.entries()) {
  for (const post of await storeManyPosts(db, person, POSTS, 20 + index)) {
    posts.set(post.id, { ...post, userId: person.id })
  }
}
// One account of each member is private.
await db.updateTable('accounts').set({ organizationId }).where('platform', '!=', 'telegram').execute()
const isShared = (post: KnownPost) => post.targets.every(({ platform }) => platform !== 'telegram')

const at = (minutes: number) => new Date(BEGIN + minutes * 60_000).toISOString()
const isScheduled = (time: Date) => time >= new Date(at(10)) && time < new Date(at(60))
const SCHEDULED = `scheduledFrom=${at(10)}&scheduledBefore=${at(60)}`

interface Item {
  id?: string
  postId?: string
  accountId?: string
  changedAt?: string
  scheduledAt?: string
}

/** All items of a list. */
async function readAll(person: Person, path: string): Promise<Item[]> {
  const items: Item[] = []
  let cursor: string | null = null
  for (let page = 0; page < people.length * POSTS; page++) {
    const url: string = cursor === null ? path : `${path}&cursor=${cursor}`
    const { status, body } = await person.call('GET', url)
    if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)} for ${url}`)
    items.push(...body.data)
    cursor = body.nextCursor
    if (cursor === null) return items
  }
  throw new Error(`the pages of ${path} do not end`)
}

/** Merges the lists of all members, and leaves out items that do not belong to the organisation. */
async function merge(path: string, keyOf: (item: Item, post: KnownPost) => string, isAscending: boolean) {
  const items = (await Promise.all(people.map((person) => readAll(person, path)))).flat()
  const keyed = items.flatMap((item) => {
    const post = posts.get(item.postId ?? item.id!)!
    return isShared(post) ? [keyOf(item, post)] : []
  })
  keyed.sort()
  return isAscending ? keyed : keyed.reverse()
}

const time = (value: Date | string | null | undefined) => (value ? new Date(value).toISOString() : '')

for (const how of [' before its posts are marked', ' when its posts are marked']) {
  t.test(`the posts of an organisation are those of its members, in the order of the list${how}`, async (t) => {
    const byId = (_: Item, { id }: KnownPost) => id
    const byUpdate = (_: Item, post: KnownPost) => `${time(post.updatedAt)} ${post.id}`
    const byTime = (_: Item, post: KnownPost, sign: number) =>
      `${time(new Date(placeOf(post, isScheduled, sign)))} ${post.id}`
    const cases: [query: string, keyOf: (item: Item, post: KnownPost, sign: number) => string][] = [
      ['order=desc', byId],
      ['status=draft', byId],
      ['status=draft&status=scheduled&postType=post', byId],
      ['state=failed', byId],
      ['errorCode=timeout', byId],
      ['externalReference=order-1', byId],
      [`accountId=${[...posts.values()].find(isShared)!.targets[0]!.accountId}`, byId],
      ['platform=x', byId],
      [SCHEDULED, byTime],
      [`${SCHEDULED}&state=published`, byTime],
      [`${SCHEDULED}&sort=createdAt`, byId],
      [`updatedFrom=${at(30)}`, byUpdate],
      ['sort=updatedAt', byUpdate],
    ]
    for (const [query, keyOf] of cases) {
      for (const order of ['asc', 'desc'] as const) {
        const path = `/posts?${query.replace(/^order=desc$/, 'sort=createdAt')}&order=${order}&limit=30`
        const found = await readAll(ada, `${path}&organizationId=${organizationId}`)
        const sign = order === 'asc' ? 1 : -1
        const keys = found.map((item) => keyOf(item, posts.get(item.id!)!, sign))
        const merged = await merge(path, (item, post) => keyOf(item, post, sign), order === 'asc')
        t.strictSame(keys, merged, `${query} ${order}`)
      }
    }
    t.ok((await merge('/posts?sort=createdAt', byId, true)).length > 100)
  })

  t.test(`the deliveries of an organisation are those of its members, in the order of the list${how}`, async (t) => {
    const byPost = ({ postId, accountId }: Item) => `${postId} ${accountId}`
    const byTime = (item: Item) => `${time(item.scheduledAt)} ${byPost(item)}`
    const byChange = (item: Item) => `${time(item.changedAt)} ${byPost(item)}`
    const cases: [query: string, keyOf: (item: Item, post: KnownPost) => string, isAscending?: boolean][] = [
      ['limit=30', byPost],
      ['limit=30&state=failed&state=missed', byPost],
      ['limit=30&platform=bluesky', byPost],
      [`limit=30&${SCHEDULED}`, byTime],
      [`limit=30&changedAfter=${at(20)}`, byChange, true],
    ]
    for (const [query, keyOf, isAscending = false] of cases) {
      const found = await readAll(ada, `/deliveries?${query}&organizationId=${organizationId}`)
      const keys = found.map((item) => keyOf(item, posts.get(item.postId!)!))
      t.strictSame(keys, await merge(`/deliveries?${query}`, keyOf, isAscending), query)
    }
  })

  t.test(`the counts of an organisation are those of its posts${how}`, async (t) => {
    const shared = [...posts.values()].filter(isShared)
    for (const [query, isWanted] of [
      ['', () => true],
      ['&state=failed', ({ targets }: KnownPost) => targets.some(({ state }) => state === 'failed')],
    ] as const) {
      const counts = new Map<string, number>()
      for (const { status } of shared.filter(isWanted)) counts.set(status, (counts.get(status) ?? 0) + 1)
      const { body } = await ada.call('GET', `/posts/counts?by=status&organizationId=${organizationId}${query}`)
      const expected = [...counts].sort().map(([value, count]) => ({ value, count }))
      t.strictSame(body, { data: expected, capped: false })
    }
  })

  t.test('a sweep marks the posts', async (t) => {
    await sql`update organizations set posts_unmarked_since = '-infinity'`.execute(db)
    await sweepNow({ db, mediaDir })
    const { rows } = await sql`select posts_unmarked_since from organizations`.execute(db)
    t.strictSame(rows, [{ postsUnmarkedSince: null }])
  })
}

t.test('a cursor of the own list is none of the organisation', async (t) => {
  const path = '/posts?sort=updatedAt&limit=5'
  const { nextCursor } = (await ada.call('GET', path)).body
  const mixed = await ada.call('GET', `${path}&organizationId=${organizationId}&cursor=${nextCursor}`)
  t.strictSame([mixed.status, mixed.body.details[0].path], [400, ['cursor']])
})
