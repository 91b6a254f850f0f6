import t from 'tap'
import { createWorld, type Person } from '../helpers/app.ts'

const write = async (person: Person, count: number) => {
  const accountIds = [await person.account()]
  const ids: string[] = []
  for (let index = 0; index < count; index++) {
    ids.push((await person.call('POST', '/posts', { accountIds, caption: `number ${index}` })).body.id)
  }
  return ids
}

const idsOf = (body: { data: { id: string }[] }) => body.data.map(({ id }) => id)

t.test('the list has only the user’s own posts, newest first', async (t) => {
  const { user, organization } = await createWorld(t)
  const [ada, bob] = [await user(), await user()]
  await organization(ada, bob)
  const ids = await write(ada, 3)
  await write(bob, 2)
  const { status, body } = await ada.call('GET', '/posts')
  t.equal(status, 200)
  t.strictSame(idsOf(body), ids.toReversed())
  t.ok(body.data.every((post: { userId: string }) => post.userId === ada.id))
})

t.test('a post has the documented fields, with times in UTC and milliseconds', async (t) => {
  const { user } = await createWorld(t)
  const ada = await user()
  const accountIds = [await ada.account()]
  const before = new Date().toISOString()
  const draft = await ada.call('POST', '/posts', { accountIds })
  const scheduled = await ada.call('POST', '/posts', {
    accountIds,
    caption: 'hi',
    firstComment: 'first',
    scheduledAt: '9999-12-31T23:59:59.999Z',
  })
  const { body } = await ada.call('GET', '/posts')
  const [second, first] = body.data
  t.match(first.createdAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  t.ok(first.createdAt >= before.slice(0, 19))
  t.strictSame(first, {
    id: draft.body.id,
    userId: ada.id,
    caption: '',
    firstComment: null,
    postType: 'post',
    status: 'draft',
    scheduledAt: null,
    createdAt: first.createdAt,
    updatedAt: first.createdAt,
    mediaIds: [],
  })
  t.hasStrict(second, {
    id: scheduled.body.id,
    caption: 'hi',
    firstComment: 'first',
    status: 'scheduled',
    scheduledAt: '9999-12-31T23:59:59.999Z',
  })
})

t.test('limit and offset select the page and are echoed', async (t) => {
  const { user } = await createWorld(t)
  const ada = await user()
  const ids = (await write(ada, 30)).toReversed()
  const cases: [string, number, number][] = [
    ['', 25, 0],
    ['?limit=1', 1, 0],
    ['?limit=100', 100, 0],
    ['?offset=25', 25, 25],
    ['?limit=10&offset=5', 10, 5],
    ['?limit=010&offset=0', 10, 0],
    ['?limit=5&offset=30', 5, 30],
    ['?offset=9007199254740991', 25, Number.MAX_SAFE_INTEGER],
    ['?unknown=1&limit=2', 2, 0],
  ]
  for (const [query, limit, offset] of cases) {
    const { status, body } = await ada.call('GET', `/posts${query}`)
    t.equal(status, 200, query)
    t.strictSame({ limit: body.limit, offset: body.offset }, { limit, offset }, query)
    t.strictSame(idsOf(body), ids.slice(offset, offset + limit), query)
  }
})

t.test('a limit or offset outside its range is a 400 with its path', async (t) => {
  const { user } = await createWorld(t)
  const ada = await user()
  const cases: [string, string, string][] = [
    ['limit=0', 'limit', 'Number must be greater than or equal to 1'],
    ['limit=101', 'limit', 'Number must be less than or equal to 100'],
    ['limit=-1', 'limit', 'Number must be greater than or equal to 1'],
    ['offset=-1', 'offset', 'Number must be greater than or equal to 0'],
    ['offset=9007199254740992', 'offset', 'Number must be less than or equal to 9007199254740991'],
    ['limit=abc', 'limit', 'Expected integer, received string'],
    ['limit=1.5', 'limit', 'Expected integer, received string'],
    ['limit=1&limit=2', 'limit', 'Expected integer, received array'],
    ['limit=', 'limit', 'Expected integer, received string'],
  ]
  for (const [query, name, message] of cases) {
    const { status, body } = await ada.call('GET', `/posts?${query}`)
    t.equal(status, 400, query)
    t.equal(body.error, 'Invalid request', query)
    t.strictSame(
      body.details.map((issue: { path: string[]; message: string }) => [issue.path, issue.message]),
      [[[name], message]],
      query,
    )
  }
})

t.test('cursors return every post once while others are created and deleted', async (t) => {
  const { user } = await createWorld(t)
  const [ada, bob] = [await user(), await user()]
  const ids = (await write(ada, 8)).toReversed()
  await write(bob, 3)
  const read = async (query: string) => (await ada.call('GET', `/posts?limit=3${query}`)).body

  const first = await read('')
  t.strictSame([idsOf(first), first.nextCursor, first.offset], [ids.slice(0, 3), ids[2], 0])
  const [newer] = await write(ada, 1)
  await ada.call('DELETE', `/posts/${ids[2]}`)
  await ada.call('DELETE', `/posts/${ids[3]}`)
  const second = await read(`&cursor=${first.nextCursor}`)
  t.strictSame([idsOf(second), second.nextCursor, second.offset], [ids.slice(4, 7), ids[6], 0])
  const third = await read(`&offset=0&cursor=${second.nextCursor}`)
  t.strictSame([idsOf(third), third.nextCursor], [ids.slice(7), null], 'the last page, which is not full')
  t.strictSame(idsOf(await read('')), [newer, ...ids.slice(0, 2)])

  const full = await ada.call('GET', `/posts?limit=1&cursor=${ids[6]}`)
  t.strictSame([idsOf(full.body), full.body.nextCursor], [ids.slice(7), ids[7]])
  const end = await ada.call('GET', `/posts?limit=1&cursor=${full.body.nextCursor}`)
  t.strictSame(
    end.body,
    { data: [], limit: 1, offset: 0, nextCursor: null },
    'a full last page is followed by an empty one',
  )
  const afterOffset = await read('&offset=2')
  t.strictSame(
    idsOf(await read(`&cursor=${afterOffset.nextCursor}`)),
    ids.slice(6, 8),
    'a page by offset has a cursor, too',
  )
  t.strictSame(
    idsOf((await bob.call('GET', `/posts?cursor=${newer}`)).body).length,
    3,
    'the cursor of another user selects own posts only',
  )
})

t.test('an invalid cursor, or a cursor with an offset, is a 400', async (t) => {
  const { user } = await createWorld(t)
  const ada = await user()
  const [id] = await write(ada, 1)
  const { status, body } = await ada.call('GET', '/posts?cursor=abc')
  t.equal(status, 400)
  t.hasStrict(body, {
    error: 'Invalid request',
    details: [{ code: 'invalid_string', validation: 'regex', path: ['cursor'] }],
  })
  const both = await ada.call('GET', `/posts?offset=1&cursor=${id}`)
  t.equal(both.status, 400)
  t.strictSame(both.body, {
    error: 'Invalid request',
    details: [{ code: 'custom', path: ['offset'], message: 'Must be 0 or absent together with a cursor' }],
  })
})
