import t from 'tap'
import { newId } from '../../db/id.ts'
import { sandboxStore } from '../../db/queries/sandbox.ts'
import type { Scope } from '../../schemas/scopes.ts'
import { createKey } from '../../src/features/auth/create-key.ts'
import { call, createWorld, type Person, type Reply } from '../helpers/app.ts'
import { operationsOf, readDocument } from '../helpers/document.ts'
import { withKey } from '../helpers/mcp.ts'
import { collectProblems } from '../helpers/problems.ts'
import { until } from '../helpers/until.ts'
import { jpeg, storeFile, upload } from '../helpers/upload.ts'
import { createScene as createRequests, requestsOf } from '../openapi/scene.ts'

const SCOPES: Scope[] = [
  'posts:read',
  'posts:publish',
  'accounts:read',
  'accounts:connect',
  'media:read',
  'media:write',
]

const codeOf = ({ status, headers }: Reply) => [status, headers['x-error-code']]

const world = await createWorld(t)

/** A user with two accounts, and a key that is limited to the first one. */
async function createScene() {
  const ada = await world.user()
  const [listed, unlisted] = [await ada.account('sandbox'), await ada.account('sandbox', { username: 'hidden' })]
  const { key, id } = await createKey(world.db, {
    userId: ada.id,
    name: null,
    expiresAt: null,
    scopes: SCOPES,
    accountIds: [listed],
  })
  // On a busy machine, a request may exceed its time limit.
  const limited: Person['call'] = (...[method, path, body]) =>
    until('the request is carried out', () => call(world.app, key, method, path, body), {
      isMet: ({ status }) => status !== 503,
    })
  const post = async (accountIds: string[], body: object = {}) =>
    (await ada.call('POST', '/posts', { accountIds, caption: 'hi', ...body })).body.id as string
  return { ...world, ada, listed, unlisted, limited, key, keyId: id, post }
}

t.test('a key with a list of accounts sees and uses these alone', async (t) => {
  const { limited, listed, unlisted, ada } = await createScene()
  const { body } = await limited('GET', '/accounts')
  t.strictSame(
    body.data.map(({ id }: { id: string }) => id),
    [listed],
  )
  t.strictSame((await limited('GET', '/key')).body.accountIds, [listed])
  t.strictSame(codeOf(await limited('DELETE', `/accounts/${unlisted}`)), [404, 'account_not_found'])
  t.equal((await ada.call('GET', '/accounts')).body.data.length, 2)
  t.equal((await limited('DELETE', `/accounts/${listed}`)).status, 200)
})

t.test('a post for an account that is not listed is rejected as for an account of another user', async (t) => {
  const { limited, listed, unlisted, ada, user } = await createScene()
  const foreign = await (await user()).account('sandbox')
  const create = (accountIds: string[], body: object = {}) =>
    limited('POST', '/posts', { accountIds, caption: 'hi', ...body })
  const validated = await limited('POST', '/posts/validate', { accountIds: [listed, unlisted], caption: 'hi' })
  t.hasStrict(validated.body, { create: { status: 403 }, notYours: { accountIds: [unlisted] } })
  t.strictSame(
    validated.body.targets.map(({ accountId }: { accountId: string }) => accountId),
    [listed],
  )
  for (const others of [[unlisted], [listed, unlisted]]) {
    const reply = await create(others)
    t.equal(reply.status, 403)
    const same = await create(others.map((id) => (id === unlisted ? foreign : id)))
    t.equal(reply.body.error, same.body.error.replaceAll(foreign, unlisted))
  }
  const long = { caption: 'a'.repeat(1_000) }
  t.equal((await create([unlisted], long)).status, 403, 'the limits of its network are not told')
  t.equal((await create([listed, unlisted], long)).status, 400)
  t.strictSame((await ada.call('GET', '/posts')).body.data, [])
  t.equal((await create([listed])).status, 201)
  t.equal((await create([listed])).status, 201, 'the account is known by now')
  t.equal((await create([listed, unlisted])).status, 403, 'and so is the other one, to keys without a list')
})

t.test('the response that another key got under an Idempotency-Key is not replayed', async (t) => {
  const { app, db, ada, unlisted, listed } = await createScene()
  const { key } = await createKey(db, {
    userId: ada.id,
    name: null,
    expiresAt: null,
    scopes: SCOPES,
    accountIds: [listed],
  })
  const send = (key: string) =>
    until(
      'the request is carried out',
      () =>
        app.inject({
          method: 'POST',
          url: '/api/v1/posts',
          headers: { authorization: `Bearer ${key}`, 'idempotency-key': 'a' },
          payload: { accountIds: [unlisted], caption: 'hi' },
        }),
      { isMet: ({ statusCode }) => statusCode !== 503 },
    )
  t.equal((await send(ada.key)).statusCode, 201)
  t.equal((await send(key)).statusCode, 403)
})

t.test('posts with any other account do not exist for the key', async (t) => {
  const { limited, listed, unlisted, post, ada } = await createScene()
  const [own, mixed, other] = [await post([listed]), await post([listed, unlisted]), await post([unlisted])]
  const { body } = await limited('GET', '/posts')
  const all = (await ada.call('GET', '/posts')).body.data
  t.strictSame(
    body.data,
    all.filter(({ id }: { id: string }) => id === own),
    'as the user sees them',
  )
  t.strictSame((await limited('GET', '/posts?limit=1')).body.nextCursor, own)
  t.strictSame((await limited('GET', `/posts?cursor=${own}`)).body.data, [])
  t.strictSame((await limited('GET', '/posts?offset=1')).body.data, [])
  const { data } = (await limited('GET', '/posts?include=targets')).body
  t.strictSame(
    data.map((each: { targets: { accountId: string }[] }) => each.targets[0]!.accountId),
    [listed],
  )
  for (const id of [mixed, other]) {
    for (const [method, path, body] of [
      ['GET', ''],
      ['DELETE', ''],
      ['POST', '/publish'],
      ['POST', `/deliveries/${listed}/retry`],
      ['POST', `/deliveries/${listed}/resolve`, { outcome: 'published' }],
    ] as const) {
      t.strictSame(
        codeOf(await limited(method, `/posts/${id}${path}`, body)),
        [404, 'post_not_found'],
        `${method} ${path}`,
      )
    }
    t.equal((await ada.call('GET', `/posts/${id}`)).body.status, 'draft')
  }
  t.equal((await limited('GET', `/posts/${own}`)).status, 200)
  t.equal((await limited('POST', `/posts/${own}/publish`)).status, 202)
})

t.test('filters, deliveries and counts are those of posts that the key can see', async (t) => {
  const { limited, listed, unlisted, post, ada, organization, promote, db } = await createScene()
  const own = await post([listed], { externalReference: 'a' })
  await post([listed, unlisted], { externalReference: 'a' })
  await post([unlisted], { externalReference: 'a' })
  const organizationId = await organization(ada)
  await promote(organizationId, ada)
  await db.updateTable('accounts').set({ organizationId }).where('userId', '=', ada.id).execute()
  for (const filter of [
    'status=draft',
    'sort=updatedAt',
    'externalReference=a',
    `accountId=${listed}`,
    'state=waiting',
    'platform=sandbox',
    `organizationId=${organizationId}`,
  ]) {
    const idsOf = ({ body }: Reply) => body.data.map(({ id }: { id: string }) => id)
    t.strictSame(idsOf(await limited('GET', `/posts?${filter}`)), [own], filter)
    t.ok(idsOf(await ada.call('GET', `/posts?${filter}`)).length > 1, filter)
    const { body } = await limited('GET', `/posts/counts?by=status&${filter}`.replace('sort=updatedAt', ''))
    t.strictSame(body.data, [{ value: 'draft', count: 1 }], filter)
  }
  t.strictSame((await limited('GET', `/posts?accountId=${unlisted}`)).body.data, [])
  for (const filter of ['', `accountId=${listed}`, `organizationId=${organizationId}`]) {
    const { body } = await limited('GET', `/deliveries?${filter}`)
    t.strictSame(
      body.data.map(({ postId }: { postId: string }) => postId),
      [own],
      filter,
    )
  }
})

t.test('a file does not tell of posts that the key cannot see', async (t) => {
  const { limited, listed, unlisted, post, ada } = await createScene()
  const id = await ada.media()
  const [own, other] = [await post([listed], { mediaIds: [id] }), await post([unlisted], { mediaIds: [id] })]
  t.strictSame(new Set((await ada.call('GET', `/media/${id}`)).body.postIds), new Set([own, other]))
  t.strictSame((await limited('GET', `/media/${id}`)).body.postIds, [own])
})

t.test('a key sees the files of its posts, and those that a key for the same accounts has added', async (t) => {
  const { app, db, limited, listed, unlisted, post, ada } = await createScene()
  const [used, mixed, foreign, loose] = [await ada.media(), await ada.media(), await ada.media(), await ada.media()]
  await post([listed], { mediaIds: [used, mixed] })
  await post([unlisted], { mediaIds: [mixed, foreign] })
  const keyFor = (accountIds: string[]) =>
    createKey(db, { userId: ada.id, name: null, expiresAt: null, scopes: SCOPES, accountIds })
  const [same, other] = [await keyFor([listed]), await keyFor([unlisted])]
  const own = await storeFile(app, same, [['file', await jpeg(40, 30, 1)]])
  const again = await storeFile(app, ada, [['file', await jpeg(40, 30, 2)]])
  t.equal(await storeFile(app, same, [['file', await jpeg(40, 30, 2)]]), again, 'who has the bytes may see the file')

  const idsOf = async (call: Person['call'], query = '') =>
    (await call('GET', `/media?${query}`)).body.data.map(({ id }: { id: string }) => id)
  const expected = [again, own, mixed, used]
  t.strictSame(await idsOf(limited), expected)
  t.strictSame(await idsOf(limited, 'offset=1&limit=2'), [own, mixed])
  t.strictSame(new Set(await idsOf((...request) => call(app, other.key, ...request))), new Set([mixed, foreign]))
  const paged: string[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const { body }: Reply = await limited('GET', `/media?limit=1${cursor && `&cursor=${cursor}`}`)
    paged.push(...body.data.map(({ id }: { id: string }) => id))
    cursor = body.nextCursor
  }
  t.strictSame(paged, expected)

  const { problems, check } = collectProblems()
  for (const id of [foreign, loose]) {
    for (const [method, path, body] of [
      ['GET', ''],
      ['GET', '/content'],
      ['GET', '/preview?width=160'],
      ['PATCH', '', { altText: 'mine' }],
      ['DELETE', ''],
    ] as const) {
      check(codeOf(await limited(method, `/media/${id}${path}`, body)), [404, 'media_not_found'], `${method} ${path}`)
    }
    const body = { accountIds: [listed], caption: 'hi', mediaIds: [id] }
    check(codeOf(await limited('POST', '/posts', body)), [403, 'no_access'], 'create')
    const validated = await limited('POST', '/posts/validate', body)
    check(validated.body.notYours?.mediaIds, [id], 'validate')
    const draft = await post([listed])
    check(codeOf(await limited('PATCH', `/posts/${draft}`, { mediaIds: [id] })), [403, 'no_access'], 'update')
  }
  for (const id of expected) check((await limited('GET', `/media/${id}`)).status, 200, 'its own')
  check(codeOf(await limited('PATCH', `/media/${mixed}`, { altText: 'mine' })), [403, 'media_used_elsewhere'], 'mixed')
  check((await limited('PATCH', `/media/${own}`, { altText: 'mine' })).status, 200, 'changes its own')
  check((await limited('POST', '/posts', { accountIds: [listed], mediaIds: [own] })).status, 201, 'uses its own')
  t.strictSame(problems, [])
})

t.test('a key that sends the bytes of a file that it does not see may use it, but not take it over', async (t) => {
  const { app, key, limited, listed, ada } = await createScene()
  const bytes = await jpeg(40, 30, 3)
  const description = { altText: 'A secret', externalReference: 'case-1', metadata: { client: 'Bob' } }
  const id = await storeFile(app, ada, [
    ['file', bytes],
    ['altText', description.altText],
    ['focus', '0.2,0.65'],
    ['externalReference', description.externalReference],
    ['metadata', JSON.stringify(description.metadata)],
  ])
  const original = (await ada.call('GET', `/media/${id}`)).body
  t.hasStrict(original, { ...description, fileName: 'some name.bin', focus: { x: 0.2, y: 0.65 } })
  t.equal((await limited('GET', `/media/${id}`)).status, 404)

  const hidden = { id, altText: null, focus: null, fileName: null, externalReference: null, metadata: null }
  const { problems, check } = collectProblems()
  const checkRights = async (when: string) => {
    const sent = await until('the file is sent', () => upload(app, { key }, [['file', bytes]]), {
      isMet: ({ status }) => status !== 503,
    })
    check(sent.status, 200, when)
    const { data } = (await limited('GET', '/media')).body
    check((await limited('GET', '/media?q=secret')).body.data, [], `${when}: a search does not read what is hidden`)
    for (const shown of [sent.body, data[0], (await limited('GET', `/media/${id}`)).body]) {
      t.hasStrict(shown, hidden, when)
    }
    const change = await limited('PATCH', `/media/${id}`, { altText: 'defaced' })
    check(codeOf(change), [403, 'media_used_elsewhere'], `${when}: change`)
    check(codeOf(await limited('DELETE', `/media/${id}`)), [403, 'media_used_elsewhere'], `${when}: delete`)
  }
  await checkRights('sent once')
  await checkRights('sent twice')
  const posted = await limited('POST', '/posts', { accountIds: [listed], caption: 'hi', mediaIds: [id] })
  check(posted.status, 201, 'use')
  await checkRights('used in a post')
  check((await limited('DELETE', `/posts/${posted.body.id}`)).status, 200, 'delete the post')
  await checkRights('no longer used')
  t.strictSame(problems, [])
  t.strictSame((await ada.call('GET', `/media/${id}`)).body, original, 'the file is as it was')
})

t.test('a key that sends the bytes of a file that it sees gets its description', async (t) => {
  const { app, key, limited, listed, post, ada } = await createScene()
  const bytes = await jpeg(40, 30, 5)
  const id = await storeFile(app, ada, [
    ['file', bytes],
    ['altText', 'seen'],
  ])
  await post([listed], { mediaIds: [id] })
  const sent = await until('the file is sent', () => upload(app, { key }, [['file', bytes]]), {
    isMet: ({ status }) => status !== 503,
  })
  t.hasStrict(sent, { status: 200, body: { id, altText: 'seen', fileName: 'some name.bin' } })
  t.strictSame((await limited('GET', '/media?q=SEEN')).body.data.length, 1)
  t.equal((await limited('PATCH', `/media/${id}`, { altText: 'changed' })).status, 200)
})

t.test('a key keeps its own file after another key has sent the same bytes', async (t) => {
  const { app, db, limited, listed, unlisted, ada } = await createScene()
  const keyFor = (accountIds: string[]) =>
    createKey(db, { userId: ada.id, name: null, expiresAt: null, scopes: SCOPES, accountIds })
  const [same, other] = [await keyFor([listed]), await keyFor([unlisted])]
  const bytes = await jpeg(40, 30, 4)
  const id = await storeFile(app, same, [
    ['file', bytes],
    ['altText', 'mine'],
  ])
  for (const sender of [ada, other, same]) t.equal(await storeFile(app, sender, [['file', bytes]]), id)
  t.equal((await limited('GET', `/media/${id}`)).body.altText, 'mine')
  t.equal((await call(app, other.key, 'DELETE', `/media/${id}`)).status, 403)
  t.equal((await limited('PATCH', `/media/${id}`, { altText: 'changed' })).status, 200)
  t.equal((await limited('DELETE', `/media/${id}`)).status, 200)
})

t.test('no cursor names a post or a file that the key does not see', async (t) => {
  const { limited, listed, unlisted, post, ada } = await createScene()
  const visible = await post([listed], { externalReference: 'a' })
  const file = await ada.media()
  await post([listed], { mediaIds: [file] })
  // A request looks at 100 rows.
  const hidden = await Promise.all(
    Array.from({ length: 120 }, () => post([listed, unlisted], { externalReference: 'a' })),
  )
  const files = await Promise.all(Array.from({ length: 120 }, () => ada.media()))
  const secrets = [...hidden, ...files, unlisted]
  const { problems, check } = collectProblems()
  const walk = async (path: string) => {
    const found: string[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const { body }: Reply = await limited('GET', `${path}${cursor && `&cursor=${cursor}`}`)
      found.push(...body.data.map(({ id, postId }: { id?: string; postId?: string }) => postId ?? id))
      cursor = body.nextCursor
      const place = cursor === null ? '' : `${cursor} ${Buffer.from(cursor, 'base64url')}`
      const named = secrets.find((id) => place.includes(id))
      check(named, undefined, `${path}: ${place}`)
    }
    return found
  }
  for (const query of ['sort=updatedAt', 'sort=updatedAt&order=asc', 'externalReference=a', `accountId=${listed}`]) {
    check(
      (await walk(`/posts?${query}`)).filter((id) => id === visible),
      [visible],
      query,
    )
  }
  for (const path of [
    '/deliveries?',
    `/deliveries?accountId=${listed}&`,
    '/deliveries?changedAfter=2000-01-01T00:00:00Z&',
    '/deliveries/metrics?',
  ]) {
    check((await walk(`${path}limit=25`)).filter((id) => !hidden.includes(id)).length < 3, true, path)
  }
  check(await walk('/media?limit=25'), [file], 'media')
  t.strictSame(problems, [])
})

t.test('each operation rejects keys with a list of accounts, or says that it takes them', async (t) => {
  const scene = await createRequests(t)
  const { key } = await createKey(scene.db, {
    userId: scene.ada.id,
    name: null,
    expiresAt: null,
    scopes: null,
    accountIds: [scene.account],
  })
  const requests = requestsOf(scene)
  const { problems, check } = collectProblems()
  for (const operation of operationsOf(readDocument())) {
    const { operationId, 'x-required-scope': required, 'x-takes-account-lists': takesLists } = operation
    if (!required || takesLists || required === 'admin') continue
    const send = () => requests[operationId as keyof typeof requests](key)
    const reply = await until('the request is carried out', send, { isMet: ({ status }) => status !== 503 })
    check(codeOf(reply), [403, 'account_list'], operationId)
  }
  t.strictSame(problems, [])
})

t.test('a key is created with accounts of its user, and without scopes that would reach others', async (t) => {
  const { ada, listed, unlisted, user, limited } = await createScene()
  const foreign = await (await user()).account('sandbox')
  const create = (body: object) => ada.call('POST', '/keys', { name: 'a', scopes: ['posts:read'], ...body })
  t.strictSame((await create({ accountIds: [listed, listed] })).body.accountIds, [listed])
  t.strictSame(codeOf(await create({ accountIds: [listed, foreign] })), [403, 'no_access'])
  t.strictSame(codeOf(await create({ accountIds: ['unknown'] })), [403, 'no_access'])
  const both = await create({ accountIds: [listed], scopes: ['keys:manage'] })
  t.strictSame(both.body.details?.[0].path, ['accountIds'])

  const { body: wide } = await create({})
  const narrow = (accountIds: string[]) => ada.call('PATCH', `/keys/${wide.id}`, { accountIds })
  t.strictSame((await narrow([listed, unlisted])).body.accountIds, [listed, unlisted])
  t.strictSame((await narrow([listed])).body.accountIds, [listed])
  t.strictSame(codeOf(await narrow([unlisted])), [403, 'api_key_too_wide'])
  t.strictSame(codeOf(await limited('POST', '/keys', { name: 'a', scopes: ['posts:read'] })), [
    403,
    'insufficient_scope',
  ])
})

t.test('a list of accounts that shrinks is obeyed within a second', async (t) => {
  const { ada, keyId, limited, unlisted, db } = await createScene()
  await db
    .updateTable('apiKeys')
    .set({ accountIds: [unlisted] })
    .where('id', '=', keyId)
    .execute()
  await until('the other account is listed', () => limited('GET', '/accounts'), {
    isMet: ({ body }) => body.data.length === 1 && body.data[0].id === unlisted,
  })
  t.equal((await ada.call('GET', '/accounts')).body.data.length, 2)
})

t.test('the sandbox shows calls to listed accounts alone', async (t) => {
  const { limited, ada, listed, unlisted, db } = await createScene()
  for (const accountId of [listed, unlisted]) {
    const call = { kind: 'post' as const, text: 'hi', fields: {}, media: [], parentId: null, fault: null }
    await sandboxStore(db).keep({ ...call, accountId, accepted: true, token: newId(), number: 1 })
  }
  t.equal((await ada.call('GET', '/sandbox/calls')).body.data.length, 2)
  const { body } = await limited('GET', '/sandbox/calls')
  t.strictSame(
    body.data.map(({ accountId }: { accountId: string }) => accountId),
    [listed],
  )
})

t.test('pages have each post of the key once, however many others are between them', async (t) => {
  const ada = await world.user()
  const accounts = await Promise.all(Array.from({ length: 6 }, () => ada.account('sandbox')))
  // The first account has few posts, the last one has most, and some posts have several.
  const posts: { id: string; accountIds: string[] }[] = []
  for (let number = 0; number < 60; number++) {
    const rare = accounts[[7, 5, 3, 2].findIndex((each) => number % each === 0)] ?? accounts[5]!
    const accountIds = number % 4 === 0 ? [rare, accounts[5]!] : [rare]
    const { body } = await ada.call('POST', '/posts', { accountIds, caption: `${number}` })
    posts.unshift({ id: body.id, accountIds })
  }
  for (const list of [[0], [0, 5], [1, 2], [0, 1, 2, 3], [4], [0, 1, 2, 3, 4, 5]]) {
    const accountIds = list.map((index) => accounts[index]!)
    const key = await withKey(world, ada, { scopes: ['posts:read'], accountIds })
    const expected = posts.filter((post) => post.accountIds.every((id) => accountIds.includes(id))).map(({ id }) => id)
    for (const limit of [1, 3, 10]) {
      const ids: string[] = []
      for (let cursor: string | null = ''; cursor !== null; ) {
        const { body }: Reply = await key.call('GET', `/posts?limit=${limit}${cursor && `&cursor=${cursor}`}`)
        ids.push(...body.data.map(({ id }: { id: string }) => id))
        cursor = body.nextCursor
      }
      t.strictSame(ids, expected, `accounts ${list}, pages of ${limit}`)
    }
    const { body } = await key.call('GET', '/posts?limit=3&offset=2')
    t.strictSame(
      body.data.map(({ id }: { id: string }) => id),
      expected.slice(2, 5),
    )
  }
})
