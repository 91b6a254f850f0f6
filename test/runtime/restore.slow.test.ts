import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import t, { type Test } from 'tap'
import { connect, type Db } from '../../db/client.ts'
import { newId } from '../../db/id.ts'
import { insertAccount } from '../../db/queries/accounts.ts'
import { replaceCredentials } from '../../db/queries/credentials.ts'
import { insertUser } from '../../db/queries/people.ts'
import { createKeyring } from '../../src/base/keyring/keyring.ts'
import { retryDelivery } from '../../src/features/deliveries/retry.ts'
import { createPost } from '../../src/features/posts/create.ts'
import { deletePost } from '../../src/features/posts/delete.ts'
import { publishPost } from '../../src/features/posts/publish.ts'
import { createFolder } from '../helpers/app.ts'
import { copyDatabase, untilConnected } from '../helpers/backup.ts'
import { postroom, runService } from '../helpers/command.ts'
import { createDatabase } from '../helpers/database.ts'
import { networks } from '../helpers/networks.ts'
import { until } from '../helpers/until.ts'

const REFUSAL = 'restore finish --backup-taken TIME'
const LATER = '2030-01-15T09:30:00Z'

/** Accounts of the sandbox, and the environment of commands and processes that publish to them. */
async function createScene(t: Test) {
  const databaseUrl = await createDatabase(t)
  const MEDIA_DIR = await createFolder(t)
  const key = randomBytes(32)
  const keyring = createKeyring([key])
  const env = (url = databaseUrl) => ({ DATABASE_URL: url, MEDIA_DIR, CREDENTIALS_KEY: key.toString('base64') })
  const open = (url: string) => {
    const db = connect({ url, poolMax: 4 })
    t.teardown(() => db.destroy())
    return db
  }
  const db = open(databaseUrl)
  const userId = newId()
  await insertUser(db, { id: userId, name: 'Ada' })
  const accountIds: string[] = []
  for (let each = 0; each < 10; each++) {
    const id = newId()
    const username = `ada${each}`
    await insertAccount(db, { id, platform: 'sandbox', username, displayName: null, userId, organizationId: null })
    await replaceCredentials(db, id, keyring.seal(id, { username }))
    accountIds.push(id)
  }
  const post = async (caption: string, index: number, more: object = {}) => {
    const accountId = accountIds[index % accountIds.length]!
    const content = { postType: 'post' as const, mediaIds: [], accountOverrides: [], accountIds: [accountId] }
    const scheduledAt = new Date().toISOString()
    return (await createPost(db, userId, { ...content, caption: `${caption} ${index}`, scheduledAt, ...more })).id
  }
  const posts = (count: number, caption: string, more: object = {}) =>
    Promise.all(Array.from({ length: count }, (_, index) => post(caption, index, more)))
  const work = async (url = databaseUrl) => {
    const worker = await runService('worker', env(url))
    t.teardown(() => worker.stop('SIGKILL'))
    return worker
  }
  return { databaseUrl, env, open, db, userId, accountIds, posts, work }
}

/** Accepted calls by text and act. */
const callsOf = async (db: Db) => {
  const { rows } = await sql<{ text: string }>`
    select content ->> 'text' as text from sandbox_calls where accepted order by id`.execute(db)
  return rows.map(({ text }) => text)
}

const countIn = async (db: Db, state: string) => {
  const { rows } = await sql<{ count: number }>`
    select count(*) from post_targets where state = ${state} and due_at <= now()`.execute(db)
  return rows[0]!.count
}

const untilSent = (db: Db) =>
  until('nothing that is due is open', async () => (await countIn(db, 'queued')) + (await countIn(db, 'publishing')), {
    isMet: (open) => open === 0,
    timeoutMs: 120_000,
  })

t.test('after a backup is restored, 200 posts that went out since are not sent again', async (t) => {
  const { databaseUrl, env, open, db, userId, accountIds, posts, work } = await createScene(t)
  const first = await work()
  await posts(5, 'before')
  await untilSent(db)
  await first.stop()

  const due = await posts(110, 'due', { firstComment: 'comment' })
  const early = await posts(70, 'early', { scheduledAt: LATER })
  const later = await posts(5, 'later', { scheduledAt: LATER })
  const retried = await Promise.all(
    accountIds.map((accountId) =>
      createPost(db, userId, {
        postType: 'post',
        mediaIds: [],
        accountIds: [accountId],
        caption: `retried ${accountId}`,
        accountOverrides: [{ accountId, fields: { fault: 'content_refused' } }],
        scheduledAt: new Date().toISOString(),
      }),
    ),
  )
  const deleted = await posts(10, 'deleted')
  const backupTaken = new Date().toISOString()
  const backup = await copyDatabase(t, db, databaseUrl)

  for (const id of deleted) await deletePost(db, { userId, id, keyId: null })
  const second = await work()
  for (const id of early) await publishPost(db, { userId, id, keyId: null })
  await untilSent(db)
  for (const [index, { id }] of retried.entries()) {
    await retryDelivery(
      { db, networks, openCredentials: undefined },
      { userId, postId: id, accountId: accountIds[index]!, keyId: null },
    )
  }
  await untilSent(db)
  await second.stop()
  const sent = await callsOf(db)
  t.equal(sent.length, 5 + 2 * due.length + early.length + retried.length)

  const restored = open(backup)
  const serve = await runService('serve', env(backup))
  t.teardown(() => serve.stop('SIGKILL'))
  const worker = await work(backup)
  await until('the worker refuses', () => worker.output.stderr.includes(REFUSAL))
  const ready = await fetch(serve.facts.api!.replace('/api/v1', '/readyz'))
  t.strictSame([ready.status, ready.headers.get('x-error-code')], [503, 'restore_unfinished'])
  t.notMatch(serve.output.stderr, /request failed/, 'a probe logs nothing')
  const elsewhere = { ...env(backup), MEDIA_DIR: `${env().MEDIA_DIR}/elsewhere` }
  const mistaken = await postroom(['restore', 'finish', '--backup-taken', backupTaken, '--dry-run'], elsewhere)
  t.equal(mistaken.code, 1)
  t.match(mistaken.stderr, /^error: MEDIA_DIR .* does not exist/)
  const finish = async (...options: string[]) => {
    const { code, stdout, stderr } = await postroom(
      ['restore', 'finish', '--backup-taken', backupTaken, '--json', ...options],
      env(backup),
    )
    t.equal(code, 0, stderr)
    return JSON.parse(stdout)
  }
  const outcomes = [
    { network: 'sandbox', outcome: 'missed', deliveries: deleted.length },
    { network: 'sandbox', outcome: 'published', deliveries: due.length + early.length + retried.length },
  ]
  const { deliveries, ...planned } = await finish('--dry-run')
  const rest = { journal: 'complete', notInBackup: 0, outcomes, lost: [] }
  t.strictSame(planned, { dryRun: true, ...rest })
  const missed = deliveries.filter(({ outcome }: { outcome: string }) => outcome === 'missed')
  t.strictSame(missed.map(({ postId }: { postId: string }) => postId).sort(), [...deleted].sort())
  const text = await postroom(['restore', 'finish', '--backup-taken', backupTaken, '--dry-run'], env(backup))
  t.match(text.stdout, /^dry run +yes\njournal +complete\nnot in backup +0\n\nnetwork +outcome +deliveries\n/)
  for (const id of deleted) t.ok(text.stdout.includes(`missed     sandbox  ${id}`), text.stdout)
  t.match(text.stdout, new RegExp(`\\n${deliveries.length - 20} more: --json prints all\\n$`))
  t.equal((await callsOf(restored)).length, 5, 'nothing was sent')
  t.strictSame(await finish(), { dryRun: false, ...rest, deliveries })

  // The same worker goes on.
  const { id } = await createPost(restored, userId, {
    postType: 'post',
    mediaIds: [],
    accountOverrides: [],
    accountIds: accountIds.slice(0, 1),
    caption: 'after',
    scheduledAt: new Date().toISOString(),
  })
  await untilSent(restored)
  const after = (await callsOf(restored)).slice(5)
  t.strictSame(after, ['after'], 'sent twice: 0')
  t.equal(worker.output.stderr.split(REFUSAL).length, 2, 'one line says what to do')
  t.equal((await fetch(serve.facts.api!.replace('/api/v1', '/readyz'))).status, 200)
  const { rows } = await sql<{ state: string; count: number }>`
    select state, count(*) from post_targets where post_id <> ${id} group by state order by state`.execute(restored)
  t.strictSame(rows, [
    { state: 'missed', count: deleted.length },
    { state: 'published', count: 5 + due.length + early.length + retried.length },
    { state: 'queued', count: later.length },
  ])
  await Promise.all([worker.stop(), serve.stop()])
})

t.test('workers that are killed, restarted, added or that share the files never refuse', async (t) => {
  const { db, databaseUrl, posts, work } = await createScene(t)
  const [one, two] = [await work(), await work()]
  await posts(20, 'first')
  await untilSent(db)
  await one.stop('SIGKILL')
  const three = await work()
  await posts(20, 'second')
  // All connections are lost, as when a standby takes over.
  await sql`
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()`.execute(db)
  await untilConnected(db)
  await posts(20, 'third')
  await untilSent(db)
  await two.stop()
  const four = await work(databaseUrl)
  await posts(20, 'fourth')
  await untilSent(db)
  t.equal(new Set(await callsOf(db)).size, 80)
  for (const each of [one, two, three, four]) t.notMatch(each.output.stderr, 'restore finish')
  await Promise.all([three.stop(), four.stop()])
})
