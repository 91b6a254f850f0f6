import t from 'tap'
import { createWorld } from '../helpers/app.ts'
import { repeating } from '../helpers/connect-oauth.ts'

const LATE = '2001-01-01T00:00:00Z'
const LONG = 'a'.repeat(400)

const world = await createWorld(t)

async function createScene() {
  const ada = repeating(await world.user())
  const [ready, other] = [await ada.account('sandbox', { credentials: { username: 'ada' } }), await ada.account('x')]
  const send = (path: string, posts: object[], mode: string, headers?: Record<string, string>) =>
    ada.call('POST', path, { posts, mode }, headers)
  const count = async () => (await ada.call('GET', '/posts')).body.data.length
  return { ada, ready, other, send, count }
}

t.test('with strict=true, a post with warnings is rejected as a create would reject it', async (t) => {
  const { ada, ready, other, send, count } = await createScene()
  const posts = [
    { accountIds: [ready], caption: 'good' },
    { accountIds: [ready, other], caption: 'late', scheduledAt: LATE },
    { accountIds: [other], caption: LONG },
    { accountIds: ['unknown'], scheduledAt: LATE },
  ]
  const strict = await send('/posts/batch?strict=true', posts, 'each')
  const indexes = (items: { index: number }[]) => items.map(({ index }) => index)
  t.strictSame([strict.status, indexes(strict.body.data), indexes(strict.body.rejected)], [200, [0], [1, 2, 3]])
  for (const { index, status, code, error, details } of strict.body.rejected) {
    const alone = await ada.call('POST', '/posts?strict=true', posts[index])
    t.strictSame([status, code], [alone.status, alone.headers['x-error-code']], String(index))
    t.strictSame({ error, ...(details && { details }) }, alone.body)
  }
  t.strictSame(
    strict.body.rejected.map(({ code, details }: { code: string; details?: { path: unknown }[] }) => [
      code,
      details?.map(({ path }) => path),
    ]),
    [
      ['warnings_not_allowed', [['scheduledAt'], ['accountIds', 1]]],
      ['platform_limit', undefined],
      ['no_access', undefined],
    ],
  )
  t.equal(await count(), 1)
})

t.test('with strict=true and the mode all, warnings of one post reject the batch', async (t) => {
  const { ready, other, send, count } = await createScene()
  const posts = [{ accountIds: [ready] }, { accountIds: [other] }]
  const strict = await send('/posts/batch?strict=true', posts, 'all')
  t.strictSame([strict.status, strict.headers['x-error-code']], [400, 'warnings_not_allowed'])
  t.match(strict.body, {
    error: /strict=true/,
    rejected: [{ index: 1, violations: [], details: [{ code: 'custom' }] }],
  })
  t.equal(await count(), 0)
  t.equal((await send('/posts/batch?strict=false', posts, 'all')).status, 201)
  t.equal((await send('/posts/batch?strict=true', posts.slice(0, 1), 'all')).status, 201)
  t.hasStrict(await send('/posts/batch?strict=1', posts, 'all'), {
    status: 400,
    body: { details: [{ code: 'invalid_type', path: ['strict'] }] },
  })
})

t.test('a strict batch is validated as it is created', async (t) => {
  const { ready, other, send } = await createScene()
  const posts = [{ accountIds: [ready] }, { accountIds: [other] }]
  for (const mode of ['all', 'each']) {
    for (const query of ['?strict=true', '?strict=false', '']) {
      const { body: validation } = await send(`/posts/batch/validate${query}`, posts, mode)
      const { status, body: created } = await send(`/posts/batch${query}`, posts, mode)
      t.strictSame(validation.create, { status, error: created.error ?? null }, `${mode} ${query}`)
      t.equal(validation.data[1].create.status, query === '?strict=true' ? 400 : 201)
    }
  }
})

t.test('under one Idempotency-Key, a strict batch is another request', async (t) => {
  const { ready, send } = await createScene()
  const key = { 'idempotency-key': 'a' }
  const posts = [{ accountIds: [ready] }]
  const first = await send('/posts/batch?strict=true', posts, 'all', key)
  const replay = await send('/posts/batch?strict=true', posts, 'all', key)
  t.strictSame([replay.status, replay.body], [201, first.body])
  t.equal((await send('/posts/batch', posts, 'all', key)).status, 409)
})
