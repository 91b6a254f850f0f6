import { sql } from 'kysely'
import t from 'tap'
import { markPostPublished } from '../../src/features/deliveries/settle-delivery.ts'
import { createWorld, type Person, type World } from '../helpers/app.ts'
import { untilBlocked } from '../helpers/until.ts'

const CHANGED = 'Precondition failed: the post has changed. The header ETag has its present version.'

async function createPost(person: Person, body: object = {}) {
  const account = await person.account('telegram', { credentials: {} })
  const media = [await person.media(), await person.media()]
  const created = await person.call('POST', '/posts', { accountIds: [account], mediaIds: media, caption: 'a', ...body })
  return { id: created.body.id as string, account }
}

const readEtag = async (person: Person, id: string) => String((await person.call('GET', `/posts/${id}`)).headers.etag)

const sendIf = (person: Person, ifMatch: string, method: 'DELETE' | 'POST', path: string) =>
  person.call(method, path, undefined, { 'if-match': ifMatch })

t.test('an ETag changes with every value that a post shows, and with nothing else', async (t) => {
  const { db, user } = await createWorld(t)
  const ada = await user()
  const { id } = await createPost(ada, { scheduledAt: '2030-01-01T00:00:00Z' })
  await sql`
    insert into delivery_attempts (user_id, post_id, account_id, number, act, started_at)
    select user_id, post_id, account_id, 1, 1, now() from post_targets`.execute(db)
  const seen = new Map([[await readEtag(ada, id), 'the created post']])
  t.equal(await readEtag(ada, id), [...seen.keys()][0], 'reading changes nothing')

  const error = `'{"code": "a", "message": "b", "retryable": true}'`
  const changes = [
    `posts set caption = 'b'`,
    `posts set first_comment = 'b'`,
    `posts set post_type = 'story'`,
    `posts set scheduled_at = '2031-01-01'`,
    `posts set updated_at = '2031-01-01'`,
    `posts set status = 'published'`,
    'post_media set position = -position',
    `post_targets set caption_override = 'b'`,
    `post_targets set fields = '{"a": 1}'`,
    `post_targets set thread_parts = '["b"]'`,
    'post_targets set attempts = 1',
    `post_targets set claimable_at = '2031-01-01'`,
    `post_targets set error = ${error}`,
    `post_targets set sent = '[{"id": "1", "url": "https://a.example"}]'`,
    `post_targets set published_at = '2031-01-01'`,
    `post_targets set state = 'publishing'`,
    `delivery_attempts set intended_at = '2031-01-01'`,
    `delivery_attempts set finished_at = '2031-01-01'`,
    `delivery_attempts set outcome = 'failed'`,
    `delivery_attempts set error = ${error}`,
    `accounts set username = 'b'`,
  ]
  for (const change of changes) {
    await sql`update ${sql.raw(change)}`.execute(db)
    const etag = await readEtag(ada, id)
    t.equal(seen.get(etag), undefined, change)
    seen.set(etag, change)
  }
  const last = await readEtag(ada, id)
  await createPost(ada)
  await db.updateTable('postTargets').set({ leaseToken: id, parked: true }).execute()
  t.equal(await readEtag(ada, id), last, 'another post, and columns that are not shown')
})

t.test('a poller with the ETag of the post gets 304 without a body until the post changes', async (t) => {
  const { user } = await createWorld(t)
  const ada = await user()
  const { id } = await createPost(ada)
  const poll = (ifNoneMatch: string) => ada.call('GET', `/posts/${id}`, undefined, { 'if-none-match': ifNoneMatch })
  const etag = await readEtag(ada, id)
  t.match(etag, /^"[\w-]{43}"$/)
  for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
    const { status, body, headers } = await poll(known)
    t.strictSame([status, body, headers.etag], [304, '', etag], known)
  }
  for (const other of ['"other"', '', 'other', etag.slice(1, -1)]) {
    t.hasStrict(await poll(other), { status: 200, body: { id }, headers: { etag } }, other)
  }
  const published = await ada.call('POST', `/posts/${id}/publish`)
  t.equal(published.headers.etag, await readEtag(ada, id), 'the response of a change has the new ETag')
  t.equal((await poll(etag)).status, 200)
})

/** The requests that take `If-Match`, each with a post for which it succeeds. */
const REQUESTS: {
  name: string
  method: 'POST' | 'DELETE'
  success: number
  prepare: (world: World, ada: Person) => Promise<{ id: string; path: string }>
}[] = [
  {
    name: 'delete',
    method: 'DELETE',
    success: 200,
    prepare: async (_world, ada) => {
      const { id } = await createPost(ada)
      return { id, path: `/posts/${id}` }
    },
  },
  {
    name: 'publish',
    method: 'POST',
    success: 202,
    prepare: async (_world, ada) => {
      const { id } = await createPost(ada)
      return { id, path: `/posts/${id}/publish` }
    },
  },
  {
    name: 'retry',
    method: 'POST',
    success: 202,
    prepare: async ({ db }, ada) => {
      const { id, account } = await createPost(ada)
      await db.updateTable('postTargets').set({ state: 'failed' }).where('postId', '=', id).execute()
      return { id, path: `/posts/${id}/deliveries/${account}/retry` }
    },
  },
]

for (const { name, method, success, prepare } of REQUESTS) {
  t.test(`${name} does nothing where If-Match does not match the post`, async (t) => {
    const world = await createWorld(t)
    const ada = await world.user()
    const { id, path } = await prepare(world, ada)
    const before = await ada.call('GET', `/posts/${id}`)
    const etag = String(before.headers.etag)
    for (const stale of ['"other"', `W/${etag}`, '"a", "b"', '""']) {
      const { status, body, headers } = await sendIf(ada, stale, method, path)
      t.strictSame([status, body, headers.etag], [412, { error: CHANGED }, etag], stale)
      t.equal(headers['x-error-code'], 'precondition_failed')
    }
    for (const malformed of ['', 'other', '"', '"a" "b"', '*, "a"', '"a",', `'a'`]) {
      const { status, body } = await sendIf(ada, malformed, method, path)
      t.equal(status, 400, malformed)
      t.strictSame(body.details[0].path, ['If-Match'], malformed)
    }
    t.strictSame((await ada.call('GET', `/posts/${id}`)).body, before.body)
    t.equal((await sendIf(ada, `"other",${etag}`, method, path)).status, success)
  })

  t.test(`${name} with If-Match * succeeds for every post`, async (t) => {
    const world = await createWorld(t)
    const ada = await world.user()
    const { path } = await prepare(world, ada)
    t.equal((await sendIf(ada, '*', method, path)).status, success)
  })

  t.test(`${name} with If-Match waits for a change of the post, and is then rejected`, async (t) => {
    const world = await createWorld(t)
    const { db } = world
    const ada = await world.user()
    const { id, path } = await prepare(world, ada)
    const etag = await readEtag(ada, id)
    const { reply } = await db.transaction().execute(async (change) => {
      await change.updateTable('posts').set({ caption: 'b', updatedAt: sql<Date>`clock_timestamp()` }).execute()
      const reply = sendIf(ada, etag, method, path)
      await untilBlocked(db)
      // Inside an object, so that the transaction does not wait for it.
      return { reply }
    })
    t.hasStrict(await reply, { status: 412, headers: { etag: await readEtag(ada, id) } })
    t.equal((await ada.call('GET', `/posts/${id}`)).body.caption, 'b')
  })
}

t.test('what forbids a change is reported before a condition that does not hold', async (t) => {
  const { db, user } = await createWorld(t)
  const [ada, bob] = [await user(), await user()]
  const { id, account } = await createPost(ada)
  const send = async (person: Person, method: 'DELETE' | 'POST', path = '') =>
    (await sendIf(person, '"other"', method, `/posts/${id}${path}`)).status
  t.same([await send(bob, 'DELETE'), await send(bob, 'POST', '/publish')], [404, 404])
  t.equal(await send(ada, 'POST', `/deliveries/${account}/retry`), 409)
  await db.updateTable('postTargets').set({ state: 'publishing' }).execute()
  t.equal(await send(ada, 'DELETE'), 409)
  await markPostPublished(db, id)
  t.same([await send(ada, 'DELETE'), await send(ada, 'POST', '/publish')], [400, 409])
})

t.test('a delete that waits for a post to get another account sees the delivery to it', async (t) => {
  const { db, user } = await createWorld(t)
  const ada = await user()
  const { id } = await createPost(ada)
  const added = await ada.account('bluesky')
  const { reply } = await db.transaction().execute(async (change) => {
    await change.updateTable('posts').set({ updatedAt: sql<Date>`clock_timestamp()` }).execute()
    const delivery = { userId: ada.id, postId: id, accountId: added, platform: 'bluesky', state: 'publishing' }
    await change.insertInto('postTargets').values(delivery).execute()
    const reply = ada.call('DELETE', `/posts/${id}`)
    await untilBlocked(db)
    return { reply }
  })
  t.hasStrict(await reply, { status: 409 }, 'a worker is sending it')
})
