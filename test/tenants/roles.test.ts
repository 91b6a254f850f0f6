import { sql } from 'kysely'
import t from 'tap'
import { deleteMembership, upsertMembership } from '../../db/queries/people.ts'
import { createKey } from '../../src/features/auth/create-key.ts'
import { call, createWorld, type Person, type Reply } from '../helpers/app.ts'
import { repeating } from '../helpers/connect-oauth.ts'
import type { Teardown } from '../helpers/database.ts'
import { collectProblems } from '../helpers/problems.ts'
import { untilBlocked } from '../helpers/until.ts'
import { jpeg, upload } from '../helpers/upload.ts'

const codeOf = ({ status, headers }: Reply) => [status, headers['x-error-code']]
const idsOf = ({ body }: Reply) => body.data.map(({ id }: { id: string }) => id)
const NOT_FOUND = [404, 'post_not_found']
const LATER = '2999-01-01T00:00:00Z'

/** An organisation with the admin `ada` and the member `bob`, who posts to its account and to one of his own. */
async function createScene(t: Teardown) {
  const world = await createWorld(t)
  const user = async (name?: string) => repeating(await world.user(name))
  const [ada, bob] = [await user('ada'), await user('bob')]
  const organizationId = await world.organization(bob)
  await world.promote(organizationId, ada)
  const shared = await ada.account('sandbox', { username: 'shared', organizationId })
  const own = await bob.account('sandbox', { username: 'of-bob' })
  const post = async (person: Person, accountIds: string[], body: object = {}): Promise<string> => {
    const created = await person.call('POST', '/posts', { accountIds, caption: 'hi', ...body })
    if (created.status !== 201) throw new Error(created.body.error)
    return created.body.id
  }
  const setState = async (id: string, state: string, status = 'scheduled') => {
    await world.db.updateTable('postTargets').set({ state }).where('postId', '=', id).execute()
    await world.db.updateTable('posts').set({ status }).where('id', '=', id).execute()
  }
  const list = (person: Person, path = '/posts?') => person.call('GET', `${path}organizationId=${organizationId}`)
  return { ...world, user, ada, bob, organizationId, shared, own, post, setState, list }
}

t.test('an admin lists the posts that belong to the organisation, and nobody else does', async (t) => {
  const { ada, bob, user, post, shared, own, list, organization, promote, db, organizationId } = await createScene(t)
  const eve = await user('eve')
  const elsewhere = await organization(bob)
  await promote(elsewhere, eve)
  const foreign = await eve.account('sandbox', { organizationId: elsewhere })
  const former = await user('former')
  await upsertMembership(db, { userId: former.id, organizationId, role: 'admin' })
  await post(former, [shared])
  await deleteMembership(db, { userId: former.id, organizationId })
  const [first, second] = [await post(bob, [shared]), await post(ada, [shared], { scheduledAt: LATER })]
  for (const accountIds of [[own], [shared, own], [foreign], [shared, foreign]]) await post(bob, accountIds)
  await post(ada, [await ada.account('sandbox')])

  const { body } = await list(ada)
  t.strictSame(idsOf({ body } as Reply), [second, first])
  t.strictSame(
    body.data.map(({ userId }: { userId: string }) => userId),
    [ada.id, bob.id],
    'each tells whose it is',
  )
  t.strictSame(idsOf(await list(ada, '/posts?status=draft&')), [first])
  const { data } = (await list(ada, '/posts?include=targets&include=deliveries&')).body
  t.strictSame(
    data.map(({ targets, deliveries }: { targets: { accountId: string }[]; deliveries: object }) => [
      targets.map(({ accountId }) => accountId),
      deliveries,
    ]),
    [
      [[shared], { queued: 1 }],
      [[shared], { waiting: 1 }],
    ],
  )
  const deliveries = (await list(ada, '/deliveries?')).body.data
  t.strictSame(
    deliveries.map(({ postId }: { postId: string }) => postId),
    [second, first],
  )
  t.strictSame((await list(ada, '/posts/counts?by=status&')).body.data, [
    { value: 'draft', count: 1 },
    { value: 'scheduled', count: 1 },
  ])
  t.strictSame((await list(ada, '/posts/counts?by=account&')).body.data, [{ value: shared, count: 2 }])

  t.equal((await ada.call('GET', '/posts')).body.data.length, 2, 'without organizationId, only own posts')
  t.equal((await bob.call('GET', '/posts')).body.data.length, 5)
  for (const path of ['/posts?', '/deliveries?', '/posts/counts?by=state&']) {
    t.strictSame(codeOf(await list(bob, path)), [403, 'not_organization_admin'])
    for (const person of [eve, former]) t.strictSame(codeOf(await list(person, path)), [403, 'no_access'])
    const unknown = await ada.call('GET', `${path}organizationId=0196f0c4-9a3d-7b15-8e20-5d7f41a6c893`)
    t.strictSame(codeOf(unknown), [403, 'no_access'])
  }
})

t.test('an admin does with a post of the organisation what its owner does', async (t) => {
  const { ada, bob, post, shared, setState, list } = await createScene(t)
  const id = await post(bob, [shared])
  const shown = await ada.call('GET', `/posts/${id}`)
  t.strictSame(shown.body, (await bob.call('GET', `/posts/${id}`)).body, 'sees the same')
  const headers = { 'if-match': String(shown.headers.etag) }
  const patched = await ada.call('PATCH', `/posts/${id}`, { caption: 'ho', scheduledAt: LATER }, headers)
  t.hasStrict(patched, { status: 200, body: { caption: 'ho', status: 'scheduled', userId: bob.id } })
  t.equal((await ada.call('PATCH', `/posts/${id}`, { caption: 'ha' }, headers)).status, 412)
  const delivery = `/posts/${id}/deliveries/${shared}`
  t.equal((await ada.call('POST', `${delivery}/cancel`)).body.targets[0].delivery.error.code, 'cancelled')
  t.equal((await ada.call('POST', `${delivery}/retry`, { captionOverride: 'he' })).status, 202)
  await setState(id, 'failed')
  t.equal((await ada.call('POST', `/posts/${id}/publish`)).status, 202)
  await setState(id, 'failed')
  t.equal((await ada.call('POST', `${delivery}/mark-published`, {})).body.status, 'published')
  await setState(id, 'unconfirmed', 'published')
  t.equal((await ada.call('POST', `${delivery}/resolve`, { outcome: 'not_published' })).status, 200)
  await setState(id, 'failed')
  t.equal((await ada.call('DELETE', `/posts/${id}`)).status, 200)
  t.strictSame(codeOf(await bob.call('GET', `/posts/${id}`)), NOT_FOUND)
  t.strictSame((await list(ada)).body.data, [])
})

/** Everything that can be done with one post. */
const actions = (accountId: string) =>
  [
    ['GET', ''],
    ['PATCH', '', { caption: 'changed' }],
    ['DELETE', ''],
    ['POST', '/publish'],
    ['POST', `/deliveries/${accountId}/retry`],
    ['POST', `/deliveries/${accountId}/cancel`],
    ['POST', `/deliveries/${accountId}/mark-published`, {}],
    ['POST', `/deliveries/${accountId}/resolve`, { outcome: 'published' }],
  ] as const

t.test('posts outside of the organisation do not exist for its admin', async (t) => {
  const { ada, bob, post, shared, own, db, user } = await createScene(t)
  const carol = await user('carol')
  const gone = await post(bob, [shared])
  // The accounts of a post disappear with their owner.
  await db.deleteFrom('postTargets').where('postId', '=', gone).execute()
  const { problems, check } = collectProblems()
  for (const id of [await post(bob, [own]), await post(bob, [shared, own]), gone]) {
    const before = (await bob.call('GET', `/posts/${id}`)).body
    for (const [method, path, body] of actions(shared)) {
      for (const person of [ada, carol]) {
        check(codeOf(await person.call(method, `/posts/${id}${path}`, body)), NOT_FOUND, `${method} ${path}`)
      }
    }
    check((await bob.call('GET', `/posts/${id}`)).body, before, 'the post afterwards')
  }
  t.strictSame(problems, [])
})

t.test('a lower role, and the end of a membership, take effect with the next request', async (t) => {
  const { ada, bob, post, shared, organizationId, list, db, app, user } = await createScene(t)
  const id = await post(bob, [shared])
  const operator = await user()
  const { key } = await createKey(db, { userId: operator.id, name: null, expiresAt: null, scopes: ['admin'] })
  const member = `/organizations/${organizationId}/members/${ada.id}`
  const setRole = (role: string) => call(app, key, 'PUT', member, { role })
  const canDisconnect = async () => (await bob.call('GET', '/accounts')).body.data[0].canDisconnect
  const seesPost = async () => (await ada.call('GET', `/posts/${id}`)).status === 200
  t.ok(await seesPost())
  t.equal((await setRole('member')).status, 200)
  t.notOk(await seesPost())
  t.strictSame(codeOf(await list(ada)), [403, 'not_organization_admin'])
  const { problems, check } = collectProblems()
  for (const [method, path, body] of actions(shared)) {
    check(codeOf(await ada.call(method, `/posts/${id}${path}`, body)), NOT_FOUND, `${method} ${path}`)
  }
  t.strictSame(problems, [])
  await setRole('admin')
  t.ok(await seesPost())
  t.equal((await call(app, key, 'DELETE', member)).status, 200)
  t.notOk(await seesPost())
  t.strictSame(codeOf(await list(ada)), [403, 'no_access'])
  await setRole('admin')
  t.notOk(await canDisconnect())
  await deleteMembership(db, { userId: bob.id, organizationId })
  t.notOk(await seesPost(), 'nor are posts of former members seen')
})

t.test('the accounts of a post stay within the organisation, and only its owner adds files', async (t) => {
  const { ada, bob, post, shared, own, organizationId, user } = await createScene(t)
  const [first, second] = [await bob.media(), await bob.media()]
  const id = await post(bob, [shared], { mediaIds: [first, second] })
  const patch = (body: object) => ada.call('PATCH', `/posts/${id}`, body)
  const foreign = await (await user()).account('sandbox')
  for (const accountId of [own, await ada.account('sandbox'), foreign]) {
    const long = { caption: 'a'.repeat(1_000) }
    for (const body of [{}, long]) {
      const reply = await patch({ accountIds: [accountId], ...body })
      t.strictSame([reply.status, reply.body.error], [403, `You have no access to these accountIds: ${accountId}`])
    }
  }
  const other = await bob.account('sandbox', { username: 'other', organizationId })
  t.equal((await patch({ accountIds: [shared, other] })).status, 200)
  for (const mediaId of [await bob.media(), await ada.media()]) {
    const reply = await patch({ mediaIds: [first, mediaId] })
    t.strictSame([reply.status, reply.body.error], [403, `You have no access to these mediaIds: ${mediaId}`])
  }
  t.strictSame((await patch({ mediaIds: [second, first] })).body.mediaIds, [second, first])
  t.strictSame((await patch({ mediaIds: [second] })).body.mediaIds, [second])
})

t.test('a post that moves to another account while a request waits for it is not changed', async (t) => {
  const { db, app, ada, bob, post, shared, own } = await createScene(t)
  const { key } = await createKey(db, {
    userId: bob.id,
    name: null,
    expiresAt: null,
    scopes: null,
    accountIds: [shared],
  })
  const limited = repeating({ ...bob, call: (...request) => call(app, key, ...request) })
  const { problems, check } = collectProblems()
  for (const person of [ada, limited]) {
    for (const [method, path, body] of actions(shared).slice(1)) {
      const id = await post(bob, [shared])
      const name = `${method} ${path}`
      check((await person.call('GET', `/posts/${id}`)).status, 200, `${name}: before`)
      const moved = await db.transaction().execute(async (transaction) => {
        await sql`select from post_targets where post_id = ${id} for update`.execute(transaction)
        const reply = person.call(method, `/posts/${id}${path}`, body)
        await untilBlocked(db)
        await transaction
          .insertInto('postTargets')
          .values({ userId: bob.id, postId: id, accountId: own, platform: 'sandbox', state: 'waiting' })
          .execute()
        await sql`update posts set updated_at = now() where id = ${id}`.execute(transaction)
        return { reply }
      })
      check(codeOf(await moved.reply), NOT_FOUND, name)
      const { caption, status } = (await bob.call('GET', `/posts/${id}`)).body
      check([caption, status], ['hi', 'draft'], `${name}: afterwards`)
      await bob.call('DELETE', `/posts/${id}`)
    }
  }
  t.strictSame(problems, [])
})

t.test('an admin disconnects the accounts of the organisation', async (t) => {
  const { ada, bob, organizationId, own, user, organization } = await createScene(t)
  const account = await bob.account('x', { organizationId })
  const elsewhere = await organization(ada)
  const other = await bob.account('x', { organizationId: elsewhere })
  const carol = await user()
  const canDisconnect = async (person: Person) =>
    Object.fromEntries(
      (await person.call('GET', '/accounts')).body.data.map((each: { id: string; canDisconnect: boolean }) => [
        each.id,
        each.canDisconnect,
      ]),
    )
  t.hasStrict(await canDisconnect(ada), { [account]: true, [other]: false })
  t.strictSame(codeOf(await ada.call('DELETE', `/accounts/${other}`)), [403, 'not_account_owner'])
  for (const [person, id] of [
    [ada, own],
    [carol, account],
  ] as const) {
    t.strictSame(codeOf(await person.call('DELETE', `/accounts/${id}`)), [404, 'account_not_found'])
  }
  t.equal((await ada.call('DELETE', `/accounts/${account}`)).status, 200)
  t.notOk(account in (await canDisconnect(bob)))
})

t.test('an admin sees and changes the files of the posts of the organisation', async (t) => {
  const { ada, bob, app, db, post, shared, own, setState, user } = await createScene(t)
  const { body: file } = await upload(app, bob, [['file', await jpeg(40)]])
  const path = `/media/${file.id}`
  const read = (person: Person) => person.call('GET', path)
  const noFile = [404, 'media_not_found']
  t.strictSame(codeOf(await read(ada)), noFile, 'a file of no post')
  const published = await post(bob, [shared], { mediaIds: [file.id] })
  await setState(published, 'published', 'published')
  t.strictSame((await read(ada)).body, (await read(bob)).body)
  const headers = { authorization: `Bearer ${ada.key}` }
  const content = await app.inject({ url: `/api/v1${path}/content`, headers })
  t.same([content.statusCode, content.rawPayload.length > 0], [200, true])
  t.equal((await ada.call('PATCH', path, { altText: 'a lighthouse' })).status, 200)
  t.equal((await read(bob)).body.altText, 'a lighthouse')
  t.strictSame(codeOf(await read(await user())), noFile)
  t.notOk(idsOf(await ada.call('GET', '/media')).includes(file.id))

  const elsewhere = await post(bob, [own], { mediaIds: [file.id] })
  t.strictSame((await read(ada)).body.postIds, [published], 'his other posts stay hidden')
  for (const reply of [await ada.call('PATCH', path, { altText: 'a' }), await ada.call('DELETE', path)]) {
    t.strictSame(codeOf(reply), [403, 'media_used_elsewhere'])
  }
  t.equal((await read(bob)).body.altText, 'a lighthouse')

  const other = await ada.account('sandbox')
  for (const [accountIds, status] of [
    [[shared], 200],
    [[other], 404],
  ] as const) {
    const { key } = await createKey(db, { userId: ada.id, name: null, expiresAt: null, scopes: null, accountIds })
    t.equal((await call(app, key, 'GET', path)).status, status, 'a key with a list of accounts')
    t.equal((await call(app, key, 'GET', `/posts/${published}`)).status, status)
  }
  await bob.call('DELETE', `/posts/${elsewhere}`)
  t.equal((await ada.call('DELETE', path)).status, 200)
  t.strictSame(codeOf(await read(bob)), noFile)
})
