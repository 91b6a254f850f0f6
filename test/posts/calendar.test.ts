import t from 'tap'
import type { ListedPost } from '../../schemas/find.ts'
import type { ListedMedia } from '../../schemas/media.ts'
import type { Scope } from '../../schemas/scopes.ts'
import { createKey } from '../../src/features/auth/create-key.ts'
import { call, createWorld, type Person, type World } from '../helpers/app.ts'
import { repeating } from '../helpers/connect-oauth.ts'
import { jpeg, upload } from '../helpers/upload.ts'

const POSTS = 300
const PICTURES = 12
const BATCH = 50
const SCOPES: Scope[] = ['posts:read', 'media:read']
const MONTH = 'scheduledFrom=2100-03-01T00:00:00Z&scheduledBefore=2100-04-01T00:00:00Z'

/** Requests with a key of a person that allows less. */
async function limit({ db, app }: World, { id }: Person, rights: { scopes?: Scope[]; accountIds?: string[] }) {
  const { key } = await createKey(db, { userId: id, name: null, expiresAt: null, scopes: SCOPES, ...rights })
  return (path: string) => call(app, key, 'GET', path)
}

t.test('a calendar draws a month of 300 posts with pictures in 10 calls', async (t) => {
  const { app, user } = await createWorld(t)
  const ada = repeating(await user())
  const accountIds = [await ada.account('sandbox', { credentials: { username: 'ada' } })]
  const pictures: string[] = []
  for (let shade = 0; shade < PICTURES; shade++) {
    pictures.push((await upload(app, ada, [['file', await jpeg(40, 30, shade)]])).body.id)
  }
  const planned = Array.from({ length: POSTS }, (_, index) => ({
    accountIds,
    caption: `Post ${index}`,
    mediaIds: [pictures[index % PICTURES]!, pictures[(index + 1) % PICTURES]!],
    scheduledAt: new Date(Date.UTC(2100, 2, 1) + index * 8_000_000).toISOString(),
  }))
  for (let begin = 0; begin < POSTS; begin += BATCH) {
    const { status } = await ada.call('POST', '/posts/batch', { posts: planned.slice(begin, begin + BATCH) })
    t.equal(status, 201)
  }

  let calls = 0
  const get = async (path: string) => {
    calls++
    const { status, body } = await ada.call('GET', path)
    if (status !== 200) throw new Error(`${path}: ${status} ${JSON.stringify(body)}`)
    return body
  }
  const accounts = new Map((await get('/accounts')).data.map((account: { id: string }) => [account.id, account]))
  const drawn: ListedPost[] = []
  for (let cursor = ''; ; ) {
    const page = await get(`/posts?${MONTH}&order=asc&include=targets&include=media&limit=50${cursor}`)
    drawn.push(...page.data)
    if (page.nextCursor === null) break
    cursor = `&cursor=${page.nextCursor}`
  }
  t.ok(calls <= 10, `${calls} calls`)
  t.strictSame(
    drawn.map(({ caption, scheduledAt, mediaIds }) => ({ caption, scheduledAt, mediaIds })),
    planned.map(({ caption, scheduledAt, mediaIds }) => ({ caption, scheduledAt, mediaIds })),
  )
  t.ok(drawn.every(({ targets }) => targets!.every(({ accountId }) => accounts.has(accountId))))
  t.strictSame(
    drawn.map(({ media }) => media!.map(({ id }) => id)),
    planned.map(({ mediaIds }) => mediaIds),
  )
  const [{ url, previewUrl, ...facts }] = drawn[0]!.media as [NonNullable<ListedPost['media']>[0]]
  t.hasStrict(facts, { kind: 'image', mimeType: 'image/jpeg', width: 40, height: 30, altText: null })
  const address = new URL(url!)
  const picture = await app.inject({ method: 'GET', url: `${address.pathname}${address.search}` })
  t.strictSame([picture.statusCode, picture.headers['content-type']], [200, 'image/jpeg'], 'the address takes no key')
  const previews = new Set(drawn.flatMap(({ media }) => media!.map(({ previewUrl }) => previewUrl!)))
  t.equal(previews.size, new Set(pictures).size, 'a browser loads each picture once')
  const small = new URL(previewUrl!)
  const preview = await app.inject({ method: 'GET', url: `${small.pathname}${small.search}` })
  t.strictSame([preview.statusCode, preview.headers['content-type']], [200, 'image/webp'])
})

t.test('a list names the files of each post, also of one that an earlier version has stored', async (t) => {
  const world = await createWorld(t)
  const { db } = world
  const ada = repeating(await world.user())
  const accountIds = [await ada.account()]
  const [first, second] = [await ada.media(), await ada.media()]
  const create = async (mediaIds?: string[]) => (await ada.call('POST', '/posts', { accountIds, mediaIds })).body.id
  const [withFiles, without, later] = [await create([second, first, second]), await create(), await create([])]
  await ada.call('PATCH', `/posts/${later}`, { mediaIds: [first] })
  const expected = [
    [later, [first]],
    [without, []],
    [withFiles, [second, first, second]],
  ]
  const listed = async (query = '') =>
    (await ada.call('GET', `/posts${query}`)).body.data.map(({ id, mediaIds }: ListedPost) => [id, mediaIds])
  const limited = await (await limit(world, ada, { accountIds }))('/posts')
  const check = async () => {
    for (const query of [
      '',
      '?limit=3&offset=0',
      '?status=draft',
      '?sort=updatedAt&order=desc&createdFrom=2000-01-01T00:00:00Z',
    ]) {
      t.strictSame(new Map(await listed(query)), new Map(expected as [string, string[]][]), query)
    }
  }
  await check()
  t.strictSame(
    limited.body.data.map(({ id, mediaIds }: ListedPost) => [id, mediaIds]),
    expected,
  )
  await db.updateTable('posts').set({ withoutMedia: null }).execute()
  await check()
})

t.test('include=media needs the scope of files', async (t) => {
  const world = await createWorld(t)
  const ada = repeating(await world.user())
  const read = await limit(world, ada, { scopes: ['posts:read'] })
  t.equal((await read('/posts?include=targets')).status, 200)
  t.hasStrict(await read('/posts?include=media'), { status: 403, headers: { 'x-error-code': 'insufficient_scope' } })
})

t.test('the list of files names up to 10 posts of each, and to a limited key those of its accounts', async (t) => {
  const world = await createWorld(t)
  const ada = repeating(await world.user())
  const [own, other] = [await ada.account(), await ada.account('x')]
  const [used, unused] = [await ada.media(), await ada.media()]
  const create = async (account: string) =>
    (await ada.call('POST', '/posts', { accountIds: [account], mediaIds: [used] })).body.id
  const posts = [await create(own), await create(other)]
  const named = ({ body }: { body: { data: ListedMedia[] } }) =>
    body.data.map(({ id, postIds }) => [id, postIds.toSorted()] as const)
  const listed = async () => named(await ada.call('GET', '/media'))
  t.strictSame(await listed(), [
    [unused, []],
    [used, posts],
  ])
  const read = await limit(world, ada, { accountIds: [own] })
  t.strictSame(named(await read('/media')), [[used, [posts[0]]]])
  for (let count = 0; count < 10; count++) await create(own)
  t.equal((await listed())[1]![1].length, 10)
})

t.test('a listed file has the alternative text that the post publishes', async (t) => {
  const { app, user } = await createWorld(t)
  const ada = await user()
  const accountIds = [await ada.account()]
  const form: [string, string | Buffer][] = [
    ['altText', 'A lighthouse.'],
    ['file', await jpeg()],
  ]
  const { id } = (await upload(app, ada, form)).body
  await ada.call('POST', '/posts', { accountIds, mediaIds: [id] })
  await ada.call('POST', '/posts', { accountIds, mediaIds: [id], altTexts: { [id]: 'The lighthouse at dusk.' } })
  const { body } = await ada.call('GET', '/posts?include=media')
  t.strictSame(
    body.data.map(({ media }: ListedPost) => media![0]!.altText),
    ['The lighthouse at dusk.', 'A lighthouse.'],
  )
})
