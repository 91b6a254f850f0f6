import fc from 'fast-check'
import t from 'tap'
import type { POST_FILTERS } from '../../schemas/find.ts'
import { createWorld, type Person } from '../helpers/app.ts'
import { repeating } from '../helpers/connect-oauth.ts'
import {
  BEGIN,
  ERROR_CODES,
  type KnownPost,
  type KnownTarget,
  placeOf,
  REFERENCES,
  storeManyPosts,
  timeOf,
  timesOf,
} from '../helpers/many-posts.ts'

/** More than a request looks at. */
const POSTS = 620
const SEED = 20_261_122

const { db, user } = await createWorld(t)
const ada = repeating(await user())
const bob = repeating(await user())
const posts = await storeManyPosts(db, ada, POSTS, SEED)
await storeManyPosts(db, bob, 30, SEED)

type Query = [name: string, value: string][]

const minute = fc.nat({ max: 90 }).map((minutes) => new Date(BEGIN + minutes * 60_000).toISOString())
const second = fc.nat({ max: POSTS }).map((seconds) => new Date(BEGIN + seconds * 1_000).toISOString())
const accountIds = [...new Set(posts.flatMap(({ targets }) => targets.map(({ accountId }) => accountId)))]

/** Each account has up to two tags. */
const tagsOf = (accountId: string) => {
  const number = accountIds.indexOf(accountId)
  return ['second', 'third'].filter((_, index) => number % (index + 2) === 0)
}
for (const id of accountIds) await ada.call('PATCH', `/accounts/${id}`, { tags: tagsOf(id) })

/** Values of each filter. The two that are left out have tests of their own. */
const VALUES = {
  status: fc.constantFrom('draft', 'scheduled', 'published'),
  state: fc.constantFrom('waiting', 'queued', 'published', 'failed', 'unconfirmed', 'missed'),
  errorCode: fc.constantFrom(...ERROR_CODES, 'unknown'),
  accountId: fc.constantFrom(...accountIds),
  accountTag: fc.constantFrom('second', 'third', 'fourth'),
  platform: fc.constantFrom('x', 'bluesky', 'telegram', 'youtube'),
  postType: fc.constantFrom('post', 'reel', 'thread'),
  externalReference: fc.constantFrom(...REFERENCES, ''),
  scheduledFrom: minute,
  scheduledBefore: minute,
  createdFrom: second,
  createdBefore: second,
  updatedFrom: minute,
  updatedBefore: minute,
} satisfies Record<Exclude<keyof typeof POST_FILTERS, 'organizationId' | 'q'>, fc.Arbitrary<unknown>>
type Filter = keyof typeof VALUES
const FILTERS = Object.keys(VALUES) as Filter[]

/** Filters that may be repeated. */
const isRepeatable = (name: string) => name === 'status' || name === 'state'

const valuesOf = (query: Query, name: string) => query.filter(([other]) => other === name).map(([, value]) => value)

/** The same as the service does, the simplest way. */
function selectNaively(query: Query): KnownPost[] {
  const has = (name: string, value: string | null) => {
    const values = valuesOf(query, name)
    return values.length === 0 || (value !== null && values.includes(value))
  }
  const isTime = (name: string, time: Date) => {
    const [[from], [before]] = [valuesOf(query, `${name}From`), valuesOf(query, `${name}Before`)]
    return (!from || time >= new Date(from)) && (!before || time < new Date(before))
  }
  const isListed = (time: Date) => isTime('scheduled', time)
  const hasTimes = query.some(([name]) => name.startsWith('scheduled'))
  const isByDelivery = query.some(([name]) =>
    ['state', 'errorCode', 'accountId', 'accountTag', 'platform'].includes(name),
  )
  const isWanted = (target: KnownTarget) =>
    has('state', target.state) &&
    has('errorCode', target.errorCode) &&
    has('accountId', target.accountId) &&
    valuesOf(query, 'accountTag').every((tag) => tagsOf(target.accountId).includes(tag)) &&
    has('platform', target.platform)
  const isScheduled = (post: KnownPost) => {
    if (!isByDelivery) return !hasTimes || timesOf(post).some(isListed)
    return post.targets.some((target) => {
      const time = timeOf(post, target)
      return isWanted(target) && (!hasTimes || (time !== null && isListed(time)))
    })
  }
  const sort = (valuesOf(query, 'sort')[0] ?? defaultSort(query)) as 'createdAt' | 'scheduledAt' | 'updatedAt'
  const sign = valuesOf(query, 'order')[0] === 'asc' ? 1 : -1
  const keyOf = (post: KnownPost) => {
    if (sort === 'scheduledAt' && hasTimes) return [placeOf(post, isListed, sign), post.id] as const
    return [sort === 'createdAt' ? 0 : Number(post[sort]), post.id] as const
  }
  return posts
    .filter(
      (post) =>
        has('status', post.status) &&
        has('postType', post.postType) &&
        has('externalReference', post.externalReference) &&
        isScheduled(post) &&
        isTime('created', post.createdAt) &&
        isTime('updated', post.updatedAt) &&
        (sort !== 'scheduledAt' || post.scheduledAt !== null),
    )
    .sort((a, b) => {
      const [[timeA, idA], [timeB, idB]] = [keyOf(a), keyOf(b)]
      return sign * (timeA - timeB || (idA < idB ? -1 : 1))
    })
}

function defaultSort(query: Query) {
  const hasTime = (name: string) => query.some(([other]) => other === `${name}From` || other === `${name}Before`)
  return hasTime('scheduled') ? 'scheduledAt' : hasTime('updated') ? 'updatedAt' : 'createdAt'
}

const PAGES_MAX = POSTS

/** The ids of all pages. Fails if a page is too long, or the list does not end. */
async function readAll(person: Person, path: string, query: Query): Promise<string[]> {
  const ids: string[] = []
  let cursor: string | null = null
  for (let page = 0; page < PAGES_MAX; page++) {
    const parameters = new URLSearchParams([
      ...query,
      ...(cursor === null ? [] : [['cursor', cursor] as [string, string]]),
    ])
    const { status, body } = await person.call('GET', `${path}?${parameters}`)
    if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)} for ${parameters}`)
    if (body.data.length > body.limit) throw new Error(`${body.data.length} posts for ${parameters}`)
    ids.push(...body.data.map(({ id }: { id: string }) => id))
    cursor = body.nextCursor
    if (cursor === null) return ids
  }
  throw new Error(`the pages of ${new URLSearchParams(query)} do not end`)
}

const draw = (name: Filter, seed: number): Query =>
  fc
    .sample(VALUES[name] as fc.Arbitrary<string>, { numRuns: isRepeatable(name) ? 1 + (seed % 2) : 1, seed })
    .map((value) => [name, value])

t.test('each filter alone, and each pair of filters, selects exactly the posts that meet it', async (t) => {
  for (const [index, first] of FILTERS.entries()) {
    for (const [offset, second] of FILTERS.slice(index).entries()) {
      const seed = SEED + index * 100 + offset
      const query = [...draw(first, seed), ...(second === first ? [] : draw(second, seed + 1))]
      const expected = selectNaively(query).map(({ id }) => id)
      t.strictSame(
        await readAll(ada, '/posts', [...query, ['limit', '100']]),
        expected,
        `${new URLSearchParams(query)}`,
      )
    }
  }
})

t.test('any filters, with any order and any length of the page, give the same posts in that order', async () => {
  const anyQuery = fc
    .record(
      {
        ...Object.fromEntries(FILTERS.map((name) => [name, VALUES[name] as fc.Arbitrary<string>])),
        sort: fc.constantFrom('createdAt', 'scheduledAt', 'updatedAt'),
        order: fc.constantFrom('asc', 'desc'),
        limit: fc.integer({ min: 10, max: 100 }).map(String),
      },
      { requiredKeys: ['limit'], noNullPrototype: true },
    )
    // More than three filters leave nothing.
    .chain((query) => {
      const names = Object.keys(query).filter((name) => name in VALUES)
      return fc
        .subarray(names, { maxLength: Math.min(names.length, 3) })
        .map((kept) =>
          Object.entries(query as Record<string, string>).filter(([name]) => !(name in VALUES) || kept.includes(name)),
        )
    })
  const property = fc.asyncProperty(anyQuery, async (query) => {
    const expected = selectNaively(query).map(({ id }) => id)
    const found = await readAll(ada, '/posts', query)
    if (JSON.stringify(found) !== JSON.stringify(expected)) {
      throw new Error(`${found.length} instead of ${expected.length} posts, or another order`)
    }
  })
  await fc.assert(property, { numRuns: 80, seed: SEED })
})

t.test('the posts of another user never show', async (t) => {
  const own = new Set(posts.map(({ id }) => id))
  for (const query of [[], [['state', 'published']], [['sort', 'updatedAt']], [['status', 'draft']]] as Query[]) {
    const found = await readAll(bob, '/posts', query)
    t.ok(found.length > 0)
    t.notOk(
      found.some((id) => own.has(id)),
      String(query),
    )
  }
  const foreign = await readAll(bob, '/posts', [['accountId', accountIds[0]!]])
  t.strictSame(foreign, [], 'the account of another user selects nothing')
})

t.test('posts that are created while a list is read neither repeat nor hide others', async (t) => {
  const carol = repeating(await user())
  const before = (await storeManyPosts(db, carol, 40, SEED)).filter(({ status }) => status === 'draft')
  const accounts = [await carol.account()]
  const read: string[] = []
  let cursor = ''
  do {
    const { body } = await carol.call('GET', `/posts?status=draft&limit=3${cursor && `&cursor=${cursor}`}`)
    read.push(...body.data.map(({ id }: { id: string }) => id))
    cursor = body.nextCursor ?? ''
    await carol.call('POST', '/posts', { accountIds: accounts })
  } while (cursor)
  t.strictSame(read, before.map(({ id }) => id).toReversed())
})
