import { randomBytes } from 'node:crypto'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import t, { type Test } from 'tap'
import { stopUser } from '../../db/queries/retention/user-data.ts'
import { stageFile } from '../../db/queries/staged-files.ts'
import { deleteUser } from '../../src/features/retention/delete-user.ts'
import { mediaOptions, type Person } from '../helpers/app.ts'
import { postroom, spawnPostroom } from '../helpers/command.ts'
import { everythingIn } from '../helpers/database.ts'
import { sendWithKey } from '../helpers/idempotency.ts'
import { createNetworkWorld } from '../helpers/network-world.ts'
import { insertOldPosts } from '../helpers/sweeps.ts'
import { until } from '../helpers/until.ts'
import { filesIn, jpeg, upload } from '../helpers/upload.ts'

async function createScene(t: Test) {
  const world = await createNetworkWorld(t)
  const { db, databaseUrl, mediaDir } = world
  const env = { DATABASE_URL: databaseUrl, MEDIA_DIR: mediaDir }
  const run = async (id: string, ...args: string[]) => {
    const { code, stdout, stderr } = await postroom(['user', 'delete', id, ...args, '--json'], env)
    return { code, stderr, ...(stdout && JSON.parse(stdout)) }
  }
  const library = { db, ...mediaOptions(mediaDir) }
  return { ...world, env, run, library }
}

t.test('user delete leaves nothing of the user, and everything of the others', async (t) => {
  const world = await createScene(t)
  const { db, app, ada, connect, post, work, mediaDir, library, run, user } = world
  const ben = await user('Ben')
  await upload(app, ben, [['file', await jpeg(20)]])
  const benAccount = await ben.account('x')
  const { body: kept } = await ben.call('POST', '/posts', { accountIds: [benAccount] })
  const others = await filesIn(mediaDir)

  const account = await connect('sandbox')
  const { body: file } = await upload(app, ada, [['file', await jpeg(30)]])
  await upload(app, ada, [['file', await jpeg(40)]])
  await post({ accountIds: [account], caption: 'published', mediaIds: [file.id] })
  await work()
  await sendWithKey(app, ada, '/posts', { accountIds: [account], caption: 'a draft' })
  await post({ accountIds: [account], caption: 'later', scheduledAt: '2090-01-01T00:00:00Z' })
  const authorization = `Bearer ${ada.key}`
  await app.inject({ url: `/api/v1/media/${file.id}/preview`, headers: { authorization } })
  t.equal((await filesIn(mediaDir)).length, others.length + 3, 'two files and a preview')
  const organization = await world.organization(ada)
  // An upload that a crash has left.
  const storageKey = randomBytes(16).toString('hex')
  await stageFile(db, { userId: ada.id, storageKey })
  await mkdir(library.incomingDir, { recursive: true })
  await writeFile(join(library.incomingDir, storageKey), 'x')

  const refused = await run(ada.id)
  t.strictSame(
    [refused.code, refused.stderr],
    [
      1,
      'error: Nothing is deleted without --yes. It would delete the user someone with 3 posts, 2 files, 1 accounts and 1 keys.\n',
    ],
  )
  t.match(await run(ada.id, '--yes'), { code: 0, id: ada.id, deleted: true, posts: 3, files: 2, passedOn: 0 })
  t.strictSame(await filesIn(mediaDir), others)
  t.strictSame(await readdir(library.incomingDir), [])
  await db.deleteFrom('looseFiles').execute()
  t.notOk((await everythingIn(db)).includes(ada.id))
  t.notOk((await everythingIn(db)).includes(account))
  t.ok(await db.selectFrom('organizations').selectAll().where('id', '=', organization).executeTakeFirst())
  t.match(await ben.call('GET', `/posts/${kept.id}`), { status: 200 })
  t.equal((await ben.call('GET', '/media')).body.data.length, 1)
  t.match(await run(ada.id, '--yes'), { code: 1, stderr: 'error: There is no user with this id\n' })
})

t.test('an account of an organisation passes to an admin before other members, connected as it was', async (t) => {
  const { db, ada, run, user, organization } = await createScene(t)
  const [ben, eve, mia] = [await user('Ben'), await user('Eve'), await user('Mia')]
  const organizationId = await organization(ada, ben, eve)
  await sql`update memberships set role = 'admin' where user_id = ${eve.id}`.execute(db)
  const shared = await ada.account('bluesky', { organizationId, credentials: { identifier: 'a', password: 'b' } })
  const own = await ada.account('bluesky')
  const { body: post } = await ben.call('POST', '/posts', {
    accountIds: [shared],
    scheduledAt: '2090-01-01T00:00:00Z',
    caption: 'hi',
  })
  t.match((await run(ada.id)).stderr, /2 accounts and 1 keys\. Of the accounts, 1 would pass to other members/)
  t.match(await run(ada.id, '--yes'), { passedOn: 1 })
  const accounts = async (person: Person) =>
    (await person.call('GET', '/accounts')).body.data.map(({ id }: { id: string }) => id)
  t.strictSame([await accounts(ben), await accounts(eve), await accounts(mia)], [[shared], [shared], []])
  const rows = await db.selectFrom('accounts').select(['id', 'userId', 'organizationId']).execute()
  t.strictSame(rows, [{ id: shared, userId: eve.id, organizationId }])
  t.notOk(rows.some(({ id }) => id === own))
  t.ok(await db.selectFrom('accountCredentials').selectAll().where('accountId', '=', shared).executeTakeFirst())
  t.match((await ben.call('GET', `/posts/${post.id}`)).body.targets, [
    { accountId: shared, delivery: { state: 'queued' } },
  ])
})

t.test('posts of others keep the accounts that they name, disconnected', async (t) => {
  const { db, ada, run, user, organization } = await createScene(t)
  const ben = await user('Ben')
  const organizationId = await organization(ada, ben)
  const [left, double] = [await ada.account('x', { organizationId }), await ada.account('bluesky', { organizationId })]
  const named: string[] = []
  for (const account of [left, double]) {
    named.push((await ben.call('POST', '/posts', { accountIds: [account] })).body.id)
  }
  await sql`update accounts set organization_id = null where id = ${left}`.execute(db)
  const own = await ben.account('bluesky')
  await sql`update accounts set external_id = 'did:plc:a' where id = any(array[${own}, ${double}]::uuid[])`.execute(db)
  t.match(await run(ada.id, '--yes'), { code: 0 })
  for (const [index, accountId] of [left, double].entries()) {
    t.match((await ben.call('GET', `/posts/${named[index]}`)).body.targets, [{ accountId }])
  }
  t.strictSame(
    (await ben.call('GET', '/accounts')).body.data.map(({ id }: { id: string }) => id),
    [own],
  )
})

t.test('a deletion that is killed continues when it is repeated', async (t) => {
  const { db, app, ada, env, run, mediaDir } = await createScene(t)
  const accountId = await ada.account('sandbox')
  await insertOldPosts(db, { userId: ada.id, accountId, count: 3_000 })
  for (let shade = 0; shade < 5; shade++) await upload(app, ada, [['file', await jpeg(20, 20, shade)]])
  const countPosts = async () =>
    Number((await sql<{ count: number }>`select count(*) from posts`.execute(db)).rows[0]!.count)
  const child = spawnPostroom(['user', 'delete', ada.id, '--yes'], env)
  t.teardown(async () => child.kill('SIGKILL'))
  await until('some posts are deleted', async () => (await countPosts()) < 3_000)
  child.kill('SIGKILL')
  // Processes recognise a key for up to a second after it was deleted.
  await until('the key no longer works', async () => (await ada.call('GET', '/posts')).status === 401)
  t.match(await run(ada.id, '--yes'), { code: 0, deleted: true, files: 5 })
  t.strictSame(await filesIn(mediaDir), [])
  t.notOk((await everythingIn(db)).includes(ada.id))
})

t.test('files that the storage could not delete are deleted when the command is repeated', async (t) => {
  const { db, app, ada, library, mediaDir } = await createScene(t)
  for (const shade of [1, 2]) await upload(app, ada, [['file', await jpeg(20, 20, shade)]])
  const remove = () => Promise.reject(new Error('The storage did not respond'))
  await stopUser(db, ada.id)
  await t.rejects(deleteUser({ ...library, storage: { ...library.storage, remove } }, ada.id), /did not respond/)
  t.equal((await filesIn(mediaDir)).length, 2)
  t.match(await deleteUser(library, ada.id), { posts: 0 })
  t.strictSame(await filesIn(mediaDir), [])
  t.strictSame(await db.selectFrom('users').select('id').where('id', '=', ada.id).execute(), [])
})
