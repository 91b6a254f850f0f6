import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, globSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { sql } from 'kysely'
import t, { type Test } from 'tap'
import { connect } from '../../db/client.ts'
import { newId } from '../../db/id.ts'
import { migrate } from '../../db/migrate.ts'
import { insertAccount } from '../../db/queries/accounts.ts'
import { replaceCredentials } from '../../db/queries/credentials.ts'
import { createInstallation, endRefusal, refuseToSend } from '../../db/queries/installation.ts'
import { insertApp } from '../../db/queries/oauth-apps.ts'
import { insertUser } from '../../db/queries/people.ts'
import { createKeyring } from '../../src/base/keyring/keyring.ts'
import { examineClock } from '../../src/cli/examine/database.ts'
import { ok, runCheck } from '../../src/cli/examine/finding.ts'
import { examineNetworks, examineRules, readApiVersions } from '../../src/cli/examine/networks.ts'
import { endOf, VERSION } from '../../src/platforms/linkedin/version.ts'
import { createFolder } from '../helpers/app.ts'
import { postroom } from '../helpers/command.ts'
import { copyDatabase, createDatabase } from '../helpers/database.ts'
import { startOwnPostgres } from '../helpers/own-postgres.ts'
import { startS3 } from '../helpers/s3.ts'
import { jpeg } from '../helpers/upload.ts'

interface Report {
  code: number | null
  ok: boolean
  /** Each check with its status. */
  statuses: Record<string, string>
  messages: Record<string, string>
  findings: { check: string; status: string; message: string; mend?: string }[]
}

async function examine(env: Record<string, string>): Promise<Report> {
  const { code, stdout } = await postroom(['doctor', '--json'], env)
  const { ok, findings } = JSON.parse(stdout) as Pick<Report, 'ok' | 'findings'>
  const ofInstallation = findings.filter(({ check }) => check !== 'networks' && check !== 'rules')
  const statuses = Object.fromEntries(ofInstallation.map(({ check, status }) => [check, status]))
  const messages = Object.fromEntries(findings.map(({ check, message }) => [check, message]))
  return { code, ok, statuses, messages, findings }
}

/** A folder as a first start of the service leaves it. */
async function createMediaDir(t: Test): Promise<string> {
  const folder = await createFolder(t)
  mkdirSync(join(folder, 'incoming'))
  return folder
}

/** A server that accepts connections and never responds. */
async function startSilentServer(t: Test): Promise<string> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => {}))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(async () => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return `127.0.0.1:${(server.address() as AddressInfo).port}`
}

const ALL_OK = {
  configuration: 'ok',
  database: 'ok',
  schema: 'ok',
  clock: 'ok',
  credentials: 'ok',
  workers: 'ok',
  apps: 'ok',
  files: 'ok',
  storage: 'ok',
  space: 'ok',
  videos: 'ok',
}

t.test('a service that is set up is in order, and the doctor leaves nothing behind', async (t) => {
  const { url } = await startOwnPostgres(t)
  const db = connect({ url })
  await migrate(db).finally(() => db.destroy())
  const CREDENTIALS_KEY = randomBytes(32).toString('base64')
  const env = { DATABASE_URL: url, CREDENTIALS_KEY, MEDIA_DIR: await createMediaDir(t), MEDIA_MAX_BYTES: '1000' }
  const report = await examine(env)
  t.strictSame([report.code, report.ok, report.statuses], [0, true, ALL_OK], JSON.stringify(report.findings))
  const behindProxy = { ...env, PUBLIC_URL: 'https://postroom.example' }
  const unknown = await examine(behindProxy)
  t.strictSame([unknown.code, unknown.statuses.configuration], [0, 'warning'], 'the proxy is not named')
  t.equal((await examine({ ...behindProxy, TRUST_PROXY: '10.0.0.7' })).statuses.configuration, 'ok')
  const text = await postroom(['doctor'], env)
  t.equal(text.code, 0)
  t.match(text.stdout, /^ok +configuration +database at DATABASE_URL, files in .*\nok +database +PostgreSQL \d+/)
})

t.test(
  'folders that the first start makes are not wrong, unless they cannot be made or were used before',
  async (t) => {
    const DATABASE_URL = await createDatabase(t)
    const folder = await createFolder(t)
    const MEDIA_DIR = join(folder, 'not', 'there')
    const env = { DATABASE_URL, CREDENTIALS_KEY: randomBytes(32).toString('base64'), MEDIA_MAX_BYTES: '1000' }
    const fresh = await examine({ ...env, MEDIA_DIR })
    // The databases of tests have fsync off.
    t.strictSame(fresh.statuses, { ...ALL_OK, database: 'wrong' }, JSON.stringify(fresh.findings))
    t.equal(fresh.messages.storage, `the first start of serve or worker makes ${MEDIA_DIR}/incoming`)
    t.strictSame(readdirSync(folder), [], 'the doctor makes none')

    writeFileSync(join(folder, 'file'), '')
    const impossible = await examine({ ...env, MEDIA_DIR: join(folder, 'file') })
    t.strictSame([impossible.statuses.storage, impossible.messages.storage?.includes('ENOTDIR')], ['wrong', true])

    const db = connect({ url: DATABASE_URL })
    t.teardown(() => db.destroy())
    await createInstallation(db, { isRefused: false })
    const { statuses, messages } = await examine({ ...env, MEDIA_DIR })
    t.strictSame(
      [statuses.files, messages.files],
      ['wrong', `${MEDIA_DIR} does not exist, and workers have used another one`],
    )
  },
)

t.test('every problem is reported at once, and nothing that is away holds the doctor up', async (t) => {
  const s3 = await startS3(t, await createFolder(t))
  s3.answer = () => true
  const env = {
    PORT: 'many',
    LOG_LEVEL: 'loud',
    DATABASE_URL: `postgres://postroom:secret@${await startSilentServer(t)}/postroom`,
    MEDIA_DIR: await createMediaDir(t),
    MEDIA_MAX_BYTES: String(2 ** 52),
    S3_BUCKET: 'media',
    S3_ENDPOINT: s3.options.endpoint,
    S3_ACCESS_KEY_ID: 'a',
    S3_SECRET_ACCESS_KEY: 'b',
    X_CLIENT_ID: 'any-form',
    YOUTUBE_CLIENT_ID: '123-abc.apps.googleusercontent.com',
    FACEBOOK_CLIENT_ID: '123-abc.apps.googleusercontent.com',
  }
  const { code, ok, findings, statuses, messages } = await examine(env)
  t.strictSame([code, ok], [1, false])
  const invalid = findings.filter(({ check }) => check === 'configuration').map(({ message }) => message)
  t.strictSame(invalid.map((message) => message.split(' ')[0]).sort(), ['FACEBOOK_CLIENT_ID:', 'LOG_LEVEL', 'PORT'])
  t.strictSame(statuses, {
    configuration: 'wrong',
    database: 'wrong',
    schema: 'skipped',
    clock: 'skipped',
    credentials: 'skipped',
    workers: 'skipped',
    apps: 'skipped',
    files: 'skipped',
    storage: 'wrong',
    space: 'wrong',
    videos: 'ok',
  })
  t.match(messages.storage, /did not respond within \d+ ms$/)
  t.match(messages.space, /MiB|GiB/)
  for (const { status, mend } of findings)
    t.equal(mend !== undefined, status === 'wrong' || status === 'warning', 'what is wrong can be mended')
  const text = await postroom(['doctor'], env)
  t.match(text.stderr, /^error: \d+ of \d+ checks found something wrong\n$/)
  t.notMatch(text.stdout, /secret/)
})

t.test('a version of a network that ends within 90 days is a warning, and wrong when it has ended', async (t) => {
  const versions = [{ platform: 'linkedin', name: '202609', endsAt: endOf('202609') }]
  t.equal(endOf('202609').toISOString(), '2027-09-15T00:00:00.000Z')
  t.equal(endOf('202512').toISOString(), '2026-12-15T00:00:00.000Z')
  const statusAt = (now: string) => examineNetworks(versions, new Date(now)).status
  t.equal(statusAt('2027-06-16T23:59:59Z'), 'ok')
  t.equal(statusAt('2027-06-17T00:00:00Z'), 'warning')
  t.equal(statusAt('2027-09-15T00:00:00Z'), 'wrong')
  t.strictSame(examineNetworks(versions, new Date('2027-09-01')), {
    check: 'networks',
    status: 'warning',
    message: 'version 202609 of the API of linkedin ends on 2027-09-15: every post fails from then on',
    mend: 'Upgrade Postroom to a release that calls a newer version.',
  })
  t.equal(
    examineNetworks(versions, new Date('2027-09-16')).message,
    'version 202609 of the API of linkedin ended on 2027-09-15: every post fails',
  )
  t.match(readApiVersions(), [{ platform: 'linkedin', name: VERSION, endsAt: endOf(VERSION) }])
  const { findings } = await examine({ DATABASE_URL: 'mysql://x' })
  t.ok(findings.some(({ check, message }) => check === 'networks' && message.includes(VERSION)))
})

t.test('rules that were last seen more than six months ago are listed with their pages', async (t) => {
  t.equal(examineRules(new Date('2026-11-28')).status, 'ok')
  const { status, message } = examineRules(new Date('2027-06-15'))
  t.equal(status, 'warning')
  t.match(message, /; x: https:\S+ \(2026-11-2\d\), /)
  const { findings } = await examine({ DATABASE_URL: 'mysql://x' })
  t.ok(findings.some(({ check }) => check === 'rules'))
})

t.test('every rule of a network has an age, wherever it stands', async (t) => {
  const { message } = examineRules(new Date('2100-01-01'))
  const text = globSync('src/platforms/*/*.ts')
    .map((file) => readFileSync(file, 'utf8'))
    .join('\n')
  // The literal ends of addresses behind `url:`, or in a call that makes a source.
  const ends = /(?:\burl: |\bsource\(\s*)(?:'|`(?:\$\{\w+\})?)([^'`$\n]+)['`],/g
  const pages = [...text.matchAll(ends)].map(([, end]) => end!)
  t.ok(pages.length > 100)
  t.strictSame(
    pages.filter((end) => !message.includes(`${end} (`)),
    [],
  )
})

t.test('variables of the database or the storage that are wrong leave out their checks alone', async (t) => {
  const { statuses } = await examine({
    DATABASE_URL: 'mysql://x',
    CREDENTIALS_KEY: 'x',
    S3_ENDPOINT: 'x',
    DATA_DIR: '/x',
  })
  t.strictSame(statuses, {
    configuration: 'wrong',
    database: 'skipped',
    schema: 'skipped',
    clock: 'skipped',
    credentials: 'skipped',
    workers: 'skipped',
    apps: 'skipped',
    files: 'skipped',
    storage: 'skipped',
    space: 'skipped',
    videos: 'ok',
  })
})

t.test('an embedded database that does not exist is not created', async (t) => {
  const DATA_DIR = join(await createFolder(t), 'data')
  const { code, statuses, messages } = await examine({ DATA_DIR, MEDIA_DIR: await createMediaDir(t) })
  t.strictSame([code, statuses.database, statuses.storage], [1, 'wrong', 'ok'])
  t.equal(messages.database, `there is no embedded database in ${DATA_DIR} yet`)
  t.notOk(existsSync(DATA_DIR))
})

t.test('a missing migration, a lost key, a missing privilege and a missing worker are found', async (t) => {
  const empty = await examine({
    DATABASE_URL: await copyDatabase(t, 'template0'),
    MEDIA_DIR: await createMediaDir(t),
  })
  t.match(empty.messages.schema, /^migrations are missing: 0001_initial/)
  t.strictSame([empty.statuses.credentials, empty.statuses.workers], ['skipped', 'skipped'])

  const DATABASE_URL = await createDatabase(t)
  const db = connect({ url: DATABASE_URL })
  t.teardown(() => db.destroy())
  const userId = newId()
  await insertUser(db, { id: userId, name: 'ada' })
  const key = randomBytes(32)
  const lost = createKeyring([randomBytes(32)])
  const ids = [newId(), newId()]
  for (const [index, keyring] of [createKeyring([key]), lost].entries()) {
    const account = { platform: 'sandbox' as const, username: 'a', displayName: null, userId, organizationId: null }
    await insertAccount(db, { id: ids[index]!, ...account })
    await replaceCredentials(db, ids[index]!, keyring.seal(ids[index]!, {}))
    const app = { id: newId(), platform: (['x', 'linkedin'] as const)[index]!, clientId: 'a', scopes: null }
    await insertApp(db, { ...app, userId, ...keyring.seal(app.id, {}) })
  }
  await sql`insert into posts (user_id, id, caption, post_type, status) values (${userId}, ${userId}, '', 'post', 'scheduled')`.execute(
    db,
  )
  await sql`
    insert into post_targets (user_id, post_id, account_id, platform, state, due_at, claimable_at)
    values (${userId}, ${userId}, ${ids[0]}, 'sandbox', 'queued', now() - interval '1 hour', now() - interval '1 hour')`.execute(
    db,
  )
  const env = { DATABASE_URL, CREDENTIALS_KEY: key.toString('base64'), MEDIA_DIR: await createMediaDir(t) }
  const { messages } = await examine(env)
  t.equal(
    messages.credentials,
    `the credentials of some accounts cannot be decrypted: 1 of key ${lost.keyId}; the secrets of some apps cannot be decrypted: 1 of key ${lost.keyId}`,
  )
  t.match(messages.workers, /^a delivery has waited for \d+ s, and no worker has taken it$/)
  await sql`update event_outbox set occurred_at = now() - interval '2 minutes'`.execute(db)
  const hook = newId()
  await sql`
    insert into webhooks (id, user_id, url, payload, key_id, data_key, data, secret_start)
    values (${hook}, ${userId}, 'https://example.com', 'full', 'a', '', '', '')`.execute(db)
  await sql`
    insert into webhook_deliveries (webhook_id, event_id, due_at)
    values (${hook}, ${newId()}, now() - interval '3 minutes')`.execute(db)
  t.match(
    (await examine(env)).messages.workers,
    /^a delivery has waited for \d+ s, an event has waited for 12\d s, a delivery to a webhook has waited for 18\d s, and no worker has taken it$/,
  )
  await sql`delete from webhooks`.execute(db)

  await refuseToSend(db)
  const refused = (await examine(env)).findings.find(({ check }) => check === 'workers')
  t.match(refused, { status: 'wrong', message: /^they send nothing: /, mend: /restore finish/ })
  await endRefusal(db, 0)

  const forgotten = await postroom(['account', 'forget-lost', '--yes', '--json'], env)
  t.equal(forgotten.stdout, '{"deleted":1,"apps":1,"webhooks":0}\n')
  t.equal(
    (await examine(env)).messages.credentials,
    `the key ${createKeyring([key]).keyId} and 0 others open all credentials (1), all secrets of apps (1) and webhooks (0)`,
  )

  const role = `limited_${newId().replaceAll('-', '')}`
  await sql`create role ${sql.ref(role)} login password 'right'`.execute(db)
  t.teardown(async () => {
    await sql`drop owned by ${sql.ref(role)}`.execute(db)
    await sql`drop role ${sql.ref(role)}`.execute(db)
  })
  await sql`grant select, insert, update, delete on all tables in schema public to ${sql.ref(role)}`.execute(db)
  await sql`revoke delete on posts from ${sql.ref(role)}`.execute(db)
  const limited = new URL(DATABASE_URL)
  limited.username = role
  limited.password = 'right'
  t.match(
    (await examine({ ...env, DATABASE_URL: limited.href })).messages.database,
    /the role may not read and write posts$/,
  )
})

t.test('files of the database that the folder lacks are found', async (t) => {
  const env = { DATABASE_URL: await createDatabase(t), CREDENTIALS_KEY: randomBytes(32).toString('base64') }
  const [before, after] = [await createMediaDir(t), await createMediaDir(t)]
  const { id: user } = JSON.parse((await postroom(['user', 'create', '--name', 'Ada', '--json'], env)).stdout)
  const path = join(await createFolder(t), 'photo.jpg')
  writeFileSync(path, await jpeg(40, 30))
  await postroom(['media', 'add', path, '--user', user], { ...env, MEDIA_DIR: before })
  t.hasStrict(await examine({ ...env, MEDIA_DIR: before }), {
    statuses: { files: 'ok' },
    messages: { files: `1 of 1 files that were looked for are in ${before}` },
  })
  const { statuses, messages } = await examine({ ...env, MEDIA_DIR: after })
  t.strictSame([statuses.storage, statuses.files], ['ok', 'wrong'])
  t.equal(messages.files, `0 of 1 files that were looked for are in ${after}`)
})

t.test('a clock that differs from the one of the database is wrong', async (t) => {
  const url = await createDatabase(t)
  const db = connect({ url })
  t.teardown(() => db.destroy())
  t.hasStrict(await examineClock(db), { status: 'ok' })
  const { now } = Date
  t.teardown(async () => {
    Date.now = now
  })
  Date.now = () => now() - 3_600_000
  t.match(await examineClock(db), { status: 'wrong', message: /^this machine is 3[56]\d\d\.\d s behind the database$/ })
  Date.now = () => now() + 3_600_000
  t.match(await examineClock(db), {
    status: 'wrong',
    message: /^this machine is 3[56]\d\d\.\d s ahead of the database$/,
  })
})

t.test('a check that never ends is a finding', async (t) => {
  const finding = await runCheck('space', 'Mend it.', () => new Promise(() => {}), 10)
  t.strictSame(finding, {
    check: 'space',
    status: 'wrong',
    message: 'there was no result within 0.01 s',
    mend: 'Mend it.',
  })
})

t.test('a check that fails once and then succeeds is in order, one that fails twice is not', async (t) => {
  let runs = 0
  const failing = (times: number) => async () => {
    if (++runs <= times) throw new Error(`timeout ${runs}`)
    return ok('clock', 'fine')
  }
  t.strictSame(await runCheck('clock', 'Mend it.', failing(1)), ok('clock', 'fine'))
  runs = 0
  const finding = { check: 'clock', status: 'wrong' as const, message: 'timeout 2', mend: 'Mend it.' }
  t.strictSame(await runCheck('clock', 'Mend it.', failing(3)), finding)
})
