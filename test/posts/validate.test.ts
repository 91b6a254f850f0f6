import t from 'tap'
import { createKey } from '../../src/features/auth/create-key.ts'
import { platforms } from '../../src/platforms/limits.ts'
import { call, createWorld, type Person } from '../helpers/app.ts'
import { UNKNOWN_ID } from '../openapi/scene.ts'

const CREDENTIALS = { credentials: { username: 'ada' } }
const FUTURE = '2999-01-01T00:00:00Z'

const validate = async (ada: Person, body: object) => {
  const { status, body: validation } = await ada.call('POST', '/posts/validate', body)
  if (status !== 200) throw new Error(`${status}: ${JSON.stringify(validation)}`)
  return validation
}

t.test('every violation of every account is returned, and nothing is stored', async (t) => {
  const { db, user } = await createWorld(t)
  const ada = await user()
  const [x, bluesky, instagram] = [
    await ada.account('x', CREDENTIALS),
    await ada.account('bluesky', CREDENTIALS),
    await ada.account('instagram', CREDENTIALS),
  ]
  const large = await ada.media({ bytes: 3_000_000, width: 100, height: 1000 })
  const body = {
    accountIds: [x, bluesky, instagram],
    caption: 'a'.repeat(312),
    mediaIds: [large],
    accountOverrides: [{ accountId: bluesky, fields: { langs: ['not a language'] } }],
    scheduledAt: FUTURE,
  }
  const validation = await validate(ada, body)
  const shown = validation.violations.map(({ accountId, rule, path, blocks }: Record<string, unknown>) => [
    ...[accountId, rule, path, blocks],
  ])
  t.strictSame(shown, [
    [x, 'caption_length', ['caption'], 'create'],
    [bluesky, 'caption_length', ['caption'], 'create'],
    [bluesky, 'media_bytes', ['mediaIds', 0], 'create'],
    [bluesky, 'field_value', ['accountOverrides', 0, 'fields', 'langs', 0], 'create'],
    [instagram, 'media_aspect_ratio', ['mediaIds', 0], 'create'],
  ])
  t.strictSame(validation.violations[0], {
    accountId: x,
    platform: 'x',
    username: 'ada',
    postType: 'post',
    path: ['caption'],
    rule: 'caption_length',
    limit: { max: 280 },
    actual: 312,
    unit: 'x',
    blocks: 'create',
    message: 'x (@ada): caption is 312 characters long, at most 280 are allowed',
    source: platforms.x.caption.source,
  })
  const created = await ada.call('POST', '/posts', body)
  t.strictSame(validation.create, { status: created.status, error: created.body.error })
  t.equal(validation.publishable, false)
  t.strictSame(await db.selectFrom('posts').selectAll().execute(), [])
})

t.test('a draft is checked as it is, and as if it were scheduled', async (t) => {
  const { user } = await createWorld(t)
  const ada = await user()
  const instagram = await ada.account('instagram', CREDENTIALS)
  const body = { accountIds: [instagram], caption: `${'#a '.repeat(31)}` }
  const draft = await validate(ada, body)
  t.match(draft.violations, [
    { rule: 'hashtag_count', blocks: 'create' },
    { rule: 'media_required', blocks: 'publishing', path: ['mediaIds'], limit: { min: 1 }, actual: 0, unit: 'files' },
  ])
  const scheduled = await validate(ada, { ...body, scheduledAt: FUTURE })
  t.strictSame(
    scheduled.violations.map(({ rule, blocks }: Record<string, unknown>) => [rule, blocks]),
    [
      ['hashtag_count', 'create'],
      ['media_required', 'create'],
    ],
  )
  const incomplete = await validate(ada, { accountIds: [instagram] })
  t.match(incomplete, { create: { status: 201, error: null }, publishable: false })
  const complete = await validate(ada, { accountIds: [instagram], mediaIds: [await ada.media()] })
  t.match(complete, { create: { status: 201, error: null }, publishable: true, violations: [] })
})

t.test('a value that the kind of an account excludes is a violation', async (t) => {
  const { user } = await createWorld(t)
  const ada = await user()
  const organization = await ada.account('linkedin', { ...CREDENTIALS, externalId: 'urn:li:organization:5515715' })
  const member = await ada.account('linkedin', { ...CREDENTIALS, externalId: 'urn:li:person:Yr-Zc_p2' })
  const body = {
    accountIds: [organization, member],
    caption: 'A lighthouse at dusk.',
    accountOverrides: [organization, member].map((id) => ({ accountId: id, fields: { visibility: 'CONNECTIONS' } })),
  }
  t.match((await validate(ada, body)).violations, [
    {
      accountId: organization,
      rule: 'field_refused',
      path: ['accountOverrides', 0, 'fields', 'visibility'],
      message: /when it is CONNECTIONS and the account is an organization: set PUBLIC or LOGGED_IN$/,
    },
  ])
  const known = { ...body, accountOverrides: [] }
  t.equal((await ada.call('POST', '/posts', known)).status, 201)
  t.equal((await ada.call('POST', '/posts', body)).status, 400, 'an account that was checked before')
})

t.test('targets tell what is published to, what is guaranteed, and how much of each limit is used', async (t) => {
  const { user } = await createWorld(t)
  const ada = await user()
  const [bluesky, x, mastodon, tiktok, linkedin] = [
    await ada.account('bluesky', CREDENTIALS),
    await ada.account('x'),
    await ada.account('mastodon', CREDENTIALS),
    await ada.account('tiktok', CREDENTIALS),
    await ada.account('linkedin', CREDENTIALS),
  ]
  const { targets } = await validate(ada, {
    accountIds: [bluesky, x, mastodon, tiktok, linkedin],
    caption: 'ab🌊',
    accountOverrides: [
      { accountId: mastodon, captionOverride: 'abc', fields: { spoilerText: 'de' } },
      { accountId: tiktok, fields: { title: 'abcd' } },
    ],
  })
  t.match(
    targets.map(({ accountId, platform, publishes, guarantee, attention }: Record<string, { code: string }>) => [
      ...[accountId, platform, publishes, guarantee, attention?.code],
    ]),
    [
      [bluesky, 'bluesky', true, 'exactly-once', undefined],
      [x, 'x', true, 'reconcilable', 'not_connected'],
      [mastodon, 'mastodon', true, 'reconcilable', undefined],
      [tiktok, 'tiktok', true, 'at-most-once', undefined],
      [linkedin, 'linkedin', true, 'at-most-once', undefined],
    ],
  )
  const files = (limit: number) => ({ path: ['mediaIds'], actual: 0, limit, unit: 'files' })
  t.strictSame(
    targets.map(({ counts }: { counts: unknown }) => counts),
    [
      [
        { path: ['caption'], actual: 3, limit: 300, unit: 'graphemes' },
        { path: ['caption'], actual: 6, limit: 3000, unit: 'bytes' },
        files(4),
      ],
      [{ path: ['caption'], actual: 4, limit: 280, unit: 'x' }, files(4)],
      [{ path: ['accountOverrides', 0, 'captionOverride'], actual: 5, limit: 500, unit: 'mastodon' }, files(4)],
      [
        { path: ['caption'], actual: 4, limit: 2200, unit: 'UTF-16 units' },
        files(35),
        { path: ['accountOverrides', 1, 'fields', 'title'], actual: 4, limit: 90, unit: targets[3].counts[2]?.unit },
      ],
      [{ path: ['caption'], actual: 4, limit: 3000, unit: 'UTF-16 units' }, files(20)],
    ],
  )

  const thread = { accountIds: [x], postType: 'thread', firstComment: 'abc', threadParts: { [x]: ['a', 'bc'] } }
  t.strictSame((await validate(ada, thread)).targets[0].counts, [
    { path: ['threadParts', x], actual: 2, limit: 25, unit: 'items' },
    { path: ['threadParts', x, 0], actual: 1, limit: 280, unit: 'x' },
    { path: ['threadParts', x, 1], actual: 2, limit: 280, unit: 'x' },
    files(4),
    { path: ['firstComment'], actual: 3, limit: 280, unit: 'x' },
  ])
})

t.test('ids that the caller may not use are data, whether they exist or not', async (t) => {
  const { user } = await createWorld(t)
  const [ada, bob] = [await user(), await user()]
  const account = await ada.account('x', CREDENTIALS)
  const [foreign, file] = [await bob.account('x', CREDENTIALS), await bob.media()]
  const disconnected = await ada.account('x', CREDENTIALS)
  await ada.call('DELETE', `/accounts/${disconnected}`)
  const bodyOf = (id: string, mediaId: string) => ({
    accountIds: [account, id],
    caption: 'a',
    mediaIds: [mediaId],
    accountOverrides: [{ accountId: id, captionOverride: 'a'.repeat(1_000), fields: { unknown: 1 } }],
  })
  const validation = await validate(ada, bodyOf(foreign, file))
  t.strictSame(validation.notYours, { accountIds: [foreign], mediaIds: [file] })
  t.match(validation, {
    create: {
      status: 403,
      error: `You have no access to these accountIds: ${foreign}; mediaIds: ${file}`,
    },
    publishable: false,
    violations: [],
    warnings: [],
    targets: [{ accountId: account }],
  })
  const unknown = await validate(ada, bodyOf(UNKNOWN_ID, UNKNOWN_ID))
  const same = JSON.stringify(validation).replaceAll(foreign, UNKNOWN_ID).replaceAll(file, UNKNOWN_ID)
  t.strictSame(unknown, JSON.parse(same))
  t.strictSame((await validate(ada, { accountIds: [disconnected] })).notYours.accountIds, [disconnected])
  const long = await validate(ada, { accountIds: ['a'.repeat(1_000)] })
  t.strictSame(long.notYours.accountIds, ['a'.repeat(64)])
})

t.test('what is not known of a file is said, where a network limits it', async (t) => {
  const { user } = await createWorld(t)
  const ada = await user()
  const [x, discord] = [await ada.account('x', CREDENTIALS), await ada.account('discord', CREDENTIALS)]
  const video = await ada.media({ mimeType: 'video/mp4', width: null, height: null, durationSeconds: null })
  const body = { caption: 'a', mediaIds: [video, video] }
  const properties = async (accountIds: string[]) => {
    const { unchecked } = await validate(ada, { ...body, accountIds })
    t.ok(unchecked.every(({ mediaId }: { mediaId: string }) => mediaId === video))
    return unchecked.map(({ property }: { property: string }) => property)
  }
  const unknown = await properties([x, discord])
  t.ok(unknown.includes('durationSeconds'))
  t.ok(unknown.includes('tracks'), 'codecs and the like, of a file of an earlier version')
  t.strictSame(await properties([discord]), [], 'Discord limits the bytes alone, which are known')
})

t.test('the scopes of the key decide how a create would respond', async (t) => {
  const { app, db, user } = await createWorld(t)
  const ada = await user()
  const account = await ada.account('x', CREDENTIALS)
  for (const [scopes, scheduledAt] of [
    [['posts:read'], undefined],
    [['posts:read', 'posts:write'], FUTURE],
    [['posts:read', 'posts:write'], undefined],
    [['posts:read', 'posts:publish'], FUTURE],
  ] as const) {
    const { key } = await createKey(db, { userId: ada.id, name: null, expiresAt: null, scopes: [...scopes] })
    const body = { accountIds: [account], caption: 'a', ...(scheduledAt && { scheduledAt }) }
    const validated = await call(app, key, 'POST', '/posts/validate', body)
    const created = await call(app, key, 'POST', '/posts', body)
    t.strictSame(validated.body.create, { status: created.status, error: created.body.error ?? null }, String(scopes))
  }
})

t.test('mistakes in the shape of the body are reported as at a create', async (t) => {
  const { user } = await createWorld(t)
  const ada = await user()
  const account = await ada.account('x')
  for (const body of [
    {},
    { accountIds: [] },
    { accountIds: [account], scheduleAt: FUTURE },
    { accountIds: [account], scheduledAt: '2030-01-01' },
    { accountIds: [account], threadParts: { other: ['a'] } },
    { accountIds: [account], accountOverrides: [{ accountId: account }, { accountId: account }] },
    'not JSON',
  ]) {
    const [created, validated] = [
      await ada.call('POST', '/posts', body),
      await ada.call('POST', '/posts/validate', body),
    ]
    t.equal(validated.status, 400)
    t.strictSame(validated.body, created.body)
    t.equal(validated.headers['x-error-code'], 'invalid_request')
  }
})

t.test('lists have a maximum, and the response says that they were cut', async (t) => {
  const { user } = await createWorld(t)
  const ada = await user()
  const accountIds: string[] = []
  while (accountIds.length < 21) accountIds.push(await ada.account('x', CREDENTIALS))
  const threadParts = Object.fromEntries(accountIds.map((id) => [id, Array(10).fill('a'.repeat(281))]))
  const many = await validate(ada, { accountIds, postType: 'thread', threadParts })
  t.strictSame([many.violations.length, many.targets.length, many.truncated], [200, 21, true])
  const one = await validate(ada, { accountIds: accountIds.slice(0, 1), caption: 'a' })
  t.equal(one.truncated, false)
})

t.test('an account that rests delays posts that are due before', async (t) => {
  const { db, user } = await createWorld(t)
  const ada = await user()
  const [resting, other] = [await ada.account('sandbox', CREDENTIALS), await ada.account('x', CREDENTIALS)]
  const delayedUntil = '2998-06-01T00:00:00.000Z'
  await db
    .updateTable('accounts')
    .set({ availableAt: new Date(delayedUntil) })
    .where('id', '=', resting)
    .execute()
  const delaysOf = async (body: object) => {
    const { targets } = await validate(ada, { accountIds: [resting, other], caption: 'a', ...body })
    return targets.map((target: { delayedUntil?: string }) => target.delayedUntil)
  }
  t.strictSame(await delaysOf({}), [delayedUntil, undefined])
  t.strictSame(await delaysOf({ scheduledAt: '2998-05-31T00:00:00Z' }), [delayedUntil, undefined])
  t.strictSame(await delaysOf({ scheduledAt: FUTURE }), [undefined, undefined])
  const own = { accountOverrides: [{ accountId: resting, scheduledAt: FUTURE }] }
  t.strictSame(await delaysOf({ scheduledAt: '2998-05-31T00:00:00Z', ...own }), [undefined, undefined])
  // A limit that accounts share.
  const until = new Date(delayedUntil)
  await db.insertInto('limitRests').values({ key: 'x', until }).execute()
  t.strictSame(await delaysOf({}), [delayedUntil, delayedUntil])
})
