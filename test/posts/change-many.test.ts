import { sql } from 'kysely'
import t from 'tap'
import { createKey } from '../../src/features/auth/create-key.ts'
import { call, createWorld, type Reply } from '../helpers/app.ts'
import { repeating } from '../helpers/connect-oauth.ts'

const NOON = '2031-03-29T12:00:00.000Z'
const LATER = '2031-03-29T14:00:00.000Z'
const UNKNOWN_ID = '0196f0c4-9a3d-7b15-8e20-5d7f41a6c893'

const world = await createWorld(t)
const { app, db } = world

/** A user with two accounts, and what sends batches. */
async function createScene() {
  const person = await world.user()
  const ada = repeating(person)
  const [bluesky, mastodon] = [await ada.account('bluesky'), await ada.account('mastodon')]
  const create = async (body: object = {}): Promise<string> =>
    (await ada.call('POST', '/posts', { accountIds: [bluesky], caption: 'a', scheduledAt: NOON, ...body })).body.id
  const change = (body: object, headers?: Record<string, string>) => ada.call('PATCH', '/posts/batch', body, headers)
  const read = async (id: string) => (await ada.call('GET', `/posts/${id}`)).body
  return { ada, bluesky, mastodon, create, change, read }
}

const codesOf = ({ body }: Reply) => body.rejected.map(({ id, code }: Record<string, string>) => [id, code])
const idsOf = ({ body }: Reply) => body.data.map(({ id }: { id: string }) => id)

t.test('a shift moves the times of posts and of their accounts, and keeps the rest', async (t) => {
  const { bluesky, mastodon, create, change, read } = await createScene()
  const own = { accountIds: [bluesky, mastodon], accountOverrides: [{ accountId: mastodon, scheduledAt: LATER }] }
  const ids = [await create({ caption: 'one' }), await create(own)]
  const { status, body } = await change({ ids: [...ids, ids[0]], shift: 'PT2H' })
  t.equal(status, 200)
  t.strictSame([body.ids, body.nextCursor, body.rejected], [ids, null, []])
  for (const [index, id] of ids.entries()) {
    const { status, scheduledAt, updatedAt } = await read(id)
    const { warnings: _, ...entry } = body.data[index]
    t.strictSame(entry, { id, status, scheduledAt, updatedAt })
    t.equal(scheduledAt, LATER)
  }
  const { targets } = await read(ids[1]!)
  t.equal(targets[1].scheduledAt, '2031-03-29T16:00:00.000Z')
  t.equal(targets[1].delivery.nextAttemptAt, '2031-03-29T16:00:00.000Z')
  t.equal((await read(ids[0]!)).caption, 'one')
})

t.test('days are counted on the clocks of the post, and hours are exact', async (t) => {
  const { create, change, read } = await createScene()
  const berlin = { scheduledAt: '2031-03-29T12:00:00', timeZone: 'Europe/Berlin' }
  for (const [shift, local, instant] of [
    // The clocks are put forward on 30 March 2031 at 01:00 UTC.
    ['P1D', '2031-03-30T12:00:00', '2031-03-30T10:00:00.000Z'],
    ['PT24H', '2031-03-30T13:00:00', '2031-03-30T11:00:00.000Z'],
    ['-P1W', '2031-03-22T12:00:00', '2031-03-22T11:00:00.000Z'],
    ['P1DT1H', '2031-03-30T13:00:00', '2031-03-30T11:00:00.000Z'],
    // They are put back on 26 October 2031: 02:30 occurs twice.
    ['P210DT15H30M', '2031-10-26T02:30:00', '2031-10-26T01:30:00.000Z'],
  ] as const) {
    const id = await create(berlin)
    await change({ ids: [id], shift })
    const { scheduledAt, scheduledAtLocal, timeZone } = await read(id)
    t.strictSame([scheduledAt, scheduledAtLocal, timeZone], [instant, local, 'Europe/Berlin'], shift)
  }
  const id = await create()
  await change({ ids: [id], shift: '+P1D' })
  t.equal((await read(id)).scheduledAt, '2031-03-30T12:00:00.000Z', 'without a zone, a day has 24 hours')
})

t.test('set makes the same change to each post, and each has its own outcome', async (t) => {
  const { ada, create, change, read } = await createScene()
  const bob = repeating(await world.user())
  const foreign = (await bob.call('POST', '/posts', { accountIds: [await bob.account()] })).body.id
  const [first, draft] = [await create({ metadata: { a: '1' } }), await create({ scheduledAt: undefined })]
  const changed = await change({
    ids: [first, foreign, UNKNOWN_ID, draft, 'x'],
    set: { firstComment: 'more', metadata: { b: '2' } },
  })
  t.strictSame(idsOf(changed), [first, draft])
  t.strictSame(codesOf(changed), [
    [foreign, 'post_not_found'],
    [UNKNOWN_ID, 'post_not_found'],
    ['x', 'post_not_found'],
  ])
  const { firstComment, metadata, scheduledAt } = await read(first)
  t.strictSame([firstComment, metadata, scheduledAt], ['more', { a: '1', b: '2' }, NOON])
  const shifted = await change({ ids: [draft, first], shift: 'PT1H', set: { firstComment: null } })
  t.strictSame(codesOf(shifted), [[draft, 'post_is_draft']])
  t.equal((await read(draft)).firstComment, 'more', 'a rejected post stays whole')
  const back = await change({ ids: [first], set: { scheduledAt: null } })
  t.equal(back.body.data[0].status, 'draft')
  t.equal((await ada.call('GET', '/posts?status=draft')).body.data.length, 2)
})

t.test('a post that would be published immediately is rejected, unless allowPast', async (t) => {
  const { bluesky, create, change, read } = await createScene()
  const soon = await create({ scheduledAt: new Date(Date.now() + 3_600_000).toISOString() })
  const missed = await create()
  await db.updateTable('postTargets').set({ state: 'missed' }).where('postId', '=', missed).execute()
  await db
    .updateTable('posts')
    .set({ scheduledAt: new Date(0) })
    .where('id', '=', missed)
    .execute()
  const body = { ids: [soon, missed], shift: '-PT2H' }
  const rejected = [
    [soon, 'time_in_past'],
    [missed, 'time_in_past'],
  ]
  t.strictSame(codesOf(await change({ ...body, shift: '-PT2H' })), [rejected[0], [missed, 'invalid_request']])
  t.strictSame(codesOf(await change({ ...body, set: { firstComment: 'b' }, shift: 'PT0S' })), [rejected[1]])
  t.strictSame(codesOf(await change({ ids: body.ids, set: { scheduledAt: '2020-01-01T00:00:00Z' } })), rejected)
  t.equal((await read(missed)).targets[0].delivery.state, 'missed')
  t.strictSame(codesOf(await change({ ids: [missed], set: { metadata: { a: '1' } } })), [], 'it does not begin again')
  const allowed = await change({ ids: body.ids, shift: 'P1D', allowPast: true })
  t.strictSame(codesOf(allowed), [])
  t.equal((await read(missed)).targets[0].delivery.state, 'queued')
  const overdue = await create({ scheduledAt: '2020-01-01T00:00:00Z' })
  t.strictSame(
    codesOf(await change({ ids: [overdue], set: { overrides: { [bluesky]: { captionOverride: 'c' } } } })),
    [],
    'it was due before',
  )
})

t.test('filters select posts, and a dry run returns their ids alone', async (t) => {
  const { ada, bluesky, mastodon, create, change, read } = await createScene()
  const ids = [await create(), await create(), await create({ accountIds: [mastodon] })]
  const filters = { accountId: bluesky, scheduledFrom: NOON }
  const dry = await change({ filters, shift: 'PT2H', dryRun: true })
  t.strictSame(dry.body, { ids: ids.slice(0, 2), nextCursor: null, data: [], rejected: [] })
  t.strictSame((await change({ ids: [...ids, UNKNOWN_ID], shift: 'PT2H', dryRun: true })).body.ids, ids)
  t.equal((await read(ids[0]!)).scheduledAt, NOON)
  t.strictSame(idsOf(await change({ filters, shift: 'PT2H' })), ids.slice(0, 2))
  t.equal((await read(ids[1]!)).scheduledAt, LATER)
  t.equal((await read(ids[2]!)).scheduledAt, NOON)
  const remove = (body: object) => ada.call('POST', '/posts/delete', body)
  t.strictSame((await remove({ filters, dryRun: true })).body.ids, ids.slice(0, 2))
  const removed = await remove({ filters })
  t.strictSame([idsOf(removed), codesOf(removed)], [ids.slice(0, 2), []])
  t.strictSame(codesOf(await remove({ ids: [ids[0], ids[2]] })), [[ids[0], 'post_not_found']])
  t.strictSame((await ada.call('GET', '/posts')).body.data, [])
})

t.test('a request that may select too many posts changes none, and a dry run has pages', async (t) => {
  const { ada, bluesky, change } = await createScene()
  const posts = Array.from({ length: 100 }, () => ({ accountIds: [bluesky], caption: 'a', scheduledAt: NOON }))
  for (let batch = 0; batch < 5; batch++) await ada.call('POST', '/posts/batch', { posts })
  const filters = { scheduledFrom: NOON }
  t.equal((await change({ filters, shift: 'PT1H' })).body.ids.length, 500)
  const one = await ada.call('POST', '/posts', posts[0])
  const refused = await change({ filters, shift: 'PT1H' })
  t.strictSame([refused.status, refused.headers['x-error-code']], [400, 'too_many_posts'])
  t.equal((await ada.call('GET', `/posts/${one.body.id}`)).body.scheduledAt, NOON)
  const { body } = await change({ filters, shift: 'PT1H', dryRun: true })
  t.strictSame([new Set(body.ids).size, body.nextCursor], [501, null])
})

t.test('a repeated request with an Idempotency-Key shifts no post again', async (t) => {
  const { create, change, read } = await createScene()
  const [first, draft] = [await create(), await create({ scheduledAt: undefined })]
  const body = { filters: { scheduledBefore: '2031-03-29T13:00:00Z' }, shift: 'PT2H' }
  const key = { 'idempotency-key': 'move-1' }
  const done = await change(body, key)
  t.strictSame(idsOf(done), [first], 'its filters do not select it any more')
  await create()
  const again = await change(body, key)
  t.strictSame([again.body, again.headers['idempotent-replayed']], [done.body, 'true'])
  t.equal((await read(first)).scheduledAt, LATER)
  t.equal((await change({ ...body, shift: 'PT3H' }, key)).status, 409)

  const many = { ids: [first, draft], shift: 'PT2H' }
  const other = { 'idempotency-key': 'move-2' }
  const both = await Promise.all([change(many, other), change(many, other)])
  for (const each of both) t.strictSame([idsOf(each), codesOf(each)], [[first], [[draft, 'post_is_draft']]])
  t.equal((await read(first)).scheduledAt, '2031-03-29T16:00:00.000Z')
  await change({ ids: [draft], set: { scheduledAt: NOON } })
  t.strictSame(idsOf(await change(many, other)), [first, draft], 'a rejected post is tried again')
  t.equal((await read(first)).scheduledAt, '2031-03-29T16:00:00.000Z')
})

t.test('a request that failed in the middle goes on under its key', async (t) => {
  const { create, change, read } = await createScene()
  const ids = [await create(), await create(), await create()]
  await sql`create table test_failures (id uuid)`.execute(db)
  await sql`
    create function test_fail() returns trigger language plpgsql as $$ begin
      if exists (select from test_failures where id = new.id) then raise 'broken'; end if;
      return new;
    end $$`.execute(db)
  await sql`create trigger test_fail before update on posts for each row execute function test_fail()`.execute(db)
  await sql`insert into test_failures values (${ids[1]})`.execute(db)
  const body = { ids, shift: 'PT2H' }
  const key = { 'idempotency-key': 'cut-off' }
  const cut = await change(body, key)
  t.strictSame(
    [idsOf(cut), codesOf(cut)],
    [
      [ids[0]],
      [
        [ids[1], 'internal_error'],
        [ids[2], 'post_not_reached'],
      ],
    ],
  )
  await sql`delete from test_failures`.execute(db)
  t.strictSame(idsOf(await change(body, key)), ids)
  for (const id of ids) t.equal((await read(id)).scheduledAt, LATER)
})

t.test('a post that has changed since its version is left', async (t) => {
  const { ada, create, change, read } = await createScene()
  const ids = [await create(), await create()]
  const versions = Object.fromEntries(await Promise.all(ids.map(async (id) => [id, (await read(id)).updatedAt])))
  await ada.call('PATCH', `/posts/${ids[0]}`, { caption: 'b' })
  const changed = await change({ ids, versions, shift: 'PT2H' })
  t.strictSame([idsOf(changed), codesOf(changed)], [[ids[1]], [[ids[0], 'precondition_failed']]])
  const removed = await ada.call('POST', '/posts/delete', { ids, versions })
  t.strictSame(
    codesOf(removed),
    ids.map((id) => [id, 'precondition_failed']),
  )
})

t.test('keys change the posts that they may change alone', async (t) => {
  const { ada, bluesky, mastodon, create } = await createScene()
  const keyOf = async (rights: object) =>
    (await createKey(db, { userId: ada.id, name: null, expiresAt: null, ...rights })).key
  const ids = [await create({ scheduledAt: undefined }), await create(), await create({ accountIds: [mastodon] })]
  const send = (key: string, body: object, path = '/posts/batch') =>
    call(app, key, path === '/posts/batch' ? 'PATCH' : 'POST', path, body)
  const set = { firstComment: 'b' }
  const writer = await keyOf({ scopes: ['posts:write'] })
  t.strictSame(codesOf(await send(writer, { ids: ids.slice(0, 2), set })), [[ids[1], 'insufficient_scope']])
  t.strictSame(codesOf(await send(writer, { ids: [ids[1]] }, '/posts/delete')), [[ids[1], 'insufficient_scope']])
  t.equal((await send(writer, { ids, set: { scheduledAt: NOON } })).status, 403)
  t.equal((await send(writer, { filters: { status: ['draft'] }, set })).status, 403, 'filters tell of posts')
  t.equal((await send(writer, { ids, dryRun: true }, '/posts/delete')).status, 403, 'so does a dry run')
  const limited = await keyOf({ accountIds: [bluesky] })
  t.strictSame(codesOf(await send(limited, { ids, set })), [[ids[2], 'post_not_found']])
  const filters = { scheduledFrom: NOON }
  t.strictSame((await send(limited, { filters, set, dryRun: true })).body.ids, [ids[1]])
})

t.test('an admin changes the posts of an organisation', async (t) => {
  const [admin, member] = [repeating(await world.user()), repeating(await world.user())]
  const organizationId = await world.organization(member)
  await world.promote(organizationId, admin)
  const account = await member.account('bluesky', { organizationId })
  const body = { accountIds: [account], caption: 'a', scheduledAt: NOON }
  const { id } = (await member.call('POST', '/posts', body)).body
  const changed = await admin.call('PATCH', '/posts/batch', { filters: { organizationId }, shift: 'PT2H' })
  t.strictSame(idsOf(changed), [id])
  t.equal((await member.call('PATCH', '/posts/batch', { filters: { organizationId }, shift: 'PT2H' })).status, 403)
})

t.test('mistakes are rejected with their place', async (t) => {
  const { create, ...scene } = await createScene()
  const id = await create()
  const send = (body: object) => scene.change(body)
  const set = { firstComment: 'b' }
  const cases: [body: object, path: (string | number)[]][] = [
    [{ shift: 'PT2H' }, ['ids']],
    [{ ids: [id], filters: { status: ['draft'] }, shift: 'PT2H' }, ['ids']],
    [{ filters: {}, shift: 'PT2H' }, ['filters']],
    [{ filters: { acountId: id }, shift: 'PT2H' }, ['filters']],
    [{ ids: [], shift: 'PT2H' }, ['ids']],
    [{ ids: Array(501).fill(id), shift: 'PT2H' }, ['ids']],
    [{ ids: [id] }, ['set']],
    [{ ids: [id], set: {} }, ['set']],
    [{ ids: [id], set: { caption: 'b' } }, ['set']],
    [{ ids: [id], shift: 'PT2H', set: { scheduledAt: NOON } }, ['set', 'scheduledAt']],
    [{ ids: [id], set, cursor: UNKNOWN_ID }, ['cursor']],
    [{ ids: [id], set, versions: { [UNKNOWN_ID]: NOON } }, ['versions']],
    [{ filters: { status: ['draft'] }, set, versions: { [id]: NOON } }, ['versions']],
    ...['2h', 'PT', 'P', 'P1Y', 'P1M', 'PT1.5H', '--PT1H', 'P1WT1H', ''].map((shift): [object, string[]] => [
      { ids: [id], shift },
      ['shift'],
    ]),
  ]
  for (const [body, path] of cases) {
    const { status, body: answer } = await send(body)
    t.equal(status, 400, JSON.stringify(body))
    t.strictSame(answer.details?.[0]?.path, path, JSON.stringify(body))
  }
  const badKey = await scene.change({ ids: [id], set, dryRun: true }, { 'idempotency-key': 'a b' })
  t.equal(badKey.status, 400)
  t.equal((await scene.read(id)).firstComment, null)
})
