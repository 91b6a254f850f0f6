import { readdirSync } from 'node:fs'
import t from 'tap'
import { connect } from '../../db/client.ts'
import { isId } from '../../db/id.ts'
import { MIGRATION_NAMES } from '../../db/migrate.ts'
import manifest from '../../package.json' with { type: 'json' }
import { buildApp } from '../../src/run/app.ts'
import { call, createFolder, mediaOptions, networkOptions } from '../helpers/app.ts'
import { postroom } from '../helpers/command.ts'
import { copyDatabase, createDatabase } from '../helpers/database.ts'
import { recorded } from '../helpers/log-record.ts'

const UNKNOWN = '0196f0a1-0000-7000-8000-000000000000'

t.test('with --json, every command prints one JSON object', async (t) => {
  const url = await copyDatabase(t, 'template0')
  // Other tests keep their journals in the folder that they share.
  const env = { DATABASE_URL: url, MEDIA_DIR: await createFolder(t) }
  const run = async (...args: string[]) => {
    const { code, stdout, stderr } = await postroom([...args, '--json'], env)
    t.equal(code, 0, `${args.join(' ')}: ${stderr}`)
    t.equal(stdout.trim().split('\n').length, 1, 'one line on stdout')
    return JSON.parse(stdout)
  }
  const names = MIGRATION_NAMES
  const status = { version: manifest.version, newer: [], servesFrom: null }
  const pendingFunctions = readdirSync('db/functions')
    .map((file) => file.replace('.sql', ''))
    .sort()
  const before = { state: 'outdated', ...status, applied: [], pending: names, pendingFunctions }
  t.same(await run('migrate', '--status'), before)
  t.strictSame(await run('migrate'), { applied: names })
  t.strictSame(await run('migrate'), { applied: [] })
  t.same(await run('migrate', '--status'), {
    ...before,
    state: 'ready',
    applied: names,
    pending: [],
    pendingFunctions: [],
  })

  const ada = await run('user', 'create', '--name', 'Ada')
  t.strictSame(ada, { id: ada.id, name: 'Ada' })
  t.ok(isId(ada.id))
  const bob = await run('user', 'create', '--name', 'Bob')
  const org = await run('org', 'create', '--name', 'Acme')
  t.strictSame(org, { id: org.id, name: 'Acme' })
  const membership = { organizationId: org.id, userId: ada.id }
  t.strictSame(await run('org', 'add-member', '--org', org.id, '--user', ada.id), { ...membership, role: 'member' })
  t.strictSame(await run('org', 'add-member', '--org', org.id, '--user', ada.id, '--role', 'admin'), {
    ...membership,
    role: 'admin',
  })

  const key = await run('key', 'create', '--user', ada.id, '--name', 'ci', '--expires-at', '2099-01-01T00:00:00Z')
  t.match(key.key, /^pr_\w{36}$/)
  t.equal(key.start, key.key.slice(0, 9))
  t.equal(key.expiresAt, '2099-01-01T00:00:00.000Z')
  const other = await run('key', 'create', '--user', ada.id)
  t.equal(other.expiresAt, null)

  const own = await run('account', 'add', '--platform', 'x', '--username', 'ada', '--user', ada.id)
  const profile = { platform: 'x', username: 'ada', displayName: null }
  t.strictSame(own, { id: own.id, ...profile, userId: ada.id, organizationId: null })
  const shared = await run(
    ...['account', 'add', '--platform', 'linkedin', '--username', 'acme', '--display-name', 'Acme Inc.'],
    ...['--user', bob.id, '--org', org.id],
  )
  const image = await run(
    ...['media', 'register', '--user', ada.id, '--mime-type', 'image/png', '--bytes', '1000'],
    ...['--width', '10', '--height', '20'],
  )
  const facts = { mimeType: 'image/png', bytes: 1000, width: 10, height: 20, durationSeconds: null }
  t.strictSame(image, { id: image.id, userId: ada.id, ...facts })
  const video = await run(
    ...['media', 'register', '--user', ada.id, '--mime-type', 'video/mp4', '--bytes', '1000'],
    ...['--duration-seconds', '1.5'],
  )
  t.equal(video.durationSeconds, 1.5)

  const db = connect({ url })
  const app = await buildApp({
    db,
    logger: recorded(false),
    corsOrigins: [],
    media: mediaOptions('.'),
    ...networkOptions(db),
  })
  t.teardown(async () => {
    await app.close()
    await db.destroy()
  })
  const accounts = async () => (await call(app, key.key, 'GET', '/accounts')).body.data
  const listed = (await accounts()) as { id: string; displayName?: string }[]
  t.strictSame(
    listed.map(({ id, displayName }) => [id, displayName]),
    [
      [own.id, undefined],
      [shared.id, 'Acme Inc.'],
    ],
  )
  const post = await call(app, key.key, 'POST', '/posts', { accountIds: [own.id], caption: 'hi', mediaIds: [image.id] })
  t.equal(post.status, 201)
  t.strictSame(await run('post', 'mark-published', post.body.id), { id: post.body.id, status: 'published' })
  t.equal((await call(app, key.key, 'DELETE', `/posts/${post.body.id}`)).body.error, 'Cannot delete published post')

  t.strictSame(await run('account', 'disconnect', own.id), { id: own.id, disconnected: true })
  t.strictSame(await run('org', 'remove-member', '--org', org.id, '--user', ada.id), { ...membership, removed: true })
  t.strictSame(await accounts(), [])
  t.strictSame(await run('account', 'disconnect', shared.id), { id: shared.id, disconnected: true })
  t.strictSame(await run('org', 'delete', org.id), { id: org.id, deleted: true })

  t.strictSame(await run('key', 'revoke', other.id), { id: other.id, revoked: true })
  const { data } = await run('key', 'list', '--user', ada.id)
  t.strictSame(
    data.map(({ id, name, start, expiresAt, revokedAt }: Record<string, unknown>) => [
      ...[id, name, start, expiresAt, revokedAt !== null],
    ]),
    [
      [key.id, 'ci', key.start, key.expiresAt, false],
      [other.id, null, other.start, null, true],
    ],
  )
  t.notOk(JSON.stringify(data).includes(key.key), 'a key is shown only once')

  const dueBefore = '2027-01-31T09:30:00Z'
  t.strictSame(await run('delivery', 'hold', '--due-before', dueBefore), { held: 0, publishing: 0 })
  t.strictSame(await run('delivery', 'release', '--due-before', dueBefore), { released: 0 })
  t.strictSame(await run('media', 'verify'), { checked: 0, broken: [] })
  const report = { journal: 'incomplete', notInBackup: 0, outcomes: [], deliveries: [], lost: [] }
  const finish = ['restore', 'finish', '--backup-taken', new Date().toISOString()]
  t.strictSame(await run(...finish, '--dry-run'), { dryRun: true, ...report })
  t.strictSame(await run(...finish), { dryRun: false, ...report })
})

t.test('an unknown id is reported on stderr, with exit code 1', async (t) => {
  const url = await createDatabase(t)
  const user = ['--user', UNKNOWN]
  const cases: [string[], RegExp][] = [
    [['key', 'create', ...user], /no user/],
    [['key', 'create', '--user', 'nonsense'], /no user/],
    [['key', 'list', ...user], /no user/],
    [['key', 'list', '--user', 'nonsense'], /no user/],
    [['key', 'revoke', UNKNOWN], /no key/],
    [['key', 'revoke', 'nonsense'], /no key/],
    [['org', 'delete', UNKNOWN], /no organisation/],
    [['org', 'delete', 'nonsense'], /no organisation/],
    [['org', 'add-member', '--org', UNKNOWN, ...user], /no (?:organisation|user)/],
    [['org', 'remove-member', '--org', UNKNOWN, ...user], /no membership/],
    [['account', 'add', '--platform', 'x', '--username', 'a', ...user], /no user/],
    [['account', 'disconnect', UNKNOWN], /no account/],
    [['media', 'register', '--mime-type', 'image/png', '--bytes', '1', ...user], /no user/],
    [['post', 'mark-published', UNKNOWN], /no post/],
  ]
  for (const [args, message] of cases) {
    const { code, stdout, stderr } = await postroom([...args, '--json'], { DATABASE_URL: url })
    t.equal(code, 1, args.join(' '))
    t.equal(stdout, '')
    t.match(stderr, message)
    t.equal(stderr.trim().split('\n').length, 1, 'one line')
  }
})

t.test('an unavailable database, and one without tables, are reported in one line', async (t) => {
  const unavailable = await postroom(['user', 'create', '--name', 'a'], {
    DATABASE_URL: 'postgres://127.0.0.1:1/nobody',
  })
  t.strictSame([unavailable.code, unavailable.stdout], [1, ''])
  t.match(unavailable.stderr, /^error: The database is not available.*\n$/)
  const empty = await postroom(['user', 'create', '--name', 'a'], {
    DATABASE_URL: await copyDatabase(t, 'template0'),
  })
  t.strictSame([empty.code, empty.stdout], [1, ''])
  t.match(empty.stderr, /^error: The database lacks tables or columns of this version: run `postroom migrate`\n$/)
})

t.test('without --json, a command prints lines for people', async (t) => {
  const url = await createDatabase(t)
  const { code, stdout } = await postroom(['user', 'create', '--name', 'Ada'], { DATABASE_URL: url })
  t.equal(code, 0)
  t.match(stdout, /^id {4}[0-9a-f-]{36}\nname {2}Ada\n$/)
})
