import { sql } from 'kysely'
import t, { type Test } from 'tap'
import { connect, type Db } from '../../db/client.ts'
import { createFolder } from '../helpers/app.ts'
import { postroom, runService } from '../helpers/command.ts'
import { createDatabase } from '../helpers/database.ts'
import { startS3 } from '../helpers/s3.ts'
import { until } from '../helpers/until.ts'
import { filesIn, form, jpeg } from '../helpers/upload.ts'

/** The service as a process, with its media in a bucket. */
async function createScene(t: Test) {
  const DATABASE_URL = await createDatabase(t)
  const MEDIA_DIR = await createFolder(t)
  const bucket = await createFolder(t)
  const s3 = await startS3(t, bucket)
  const { endpoint, credentials } = s3.options
  const env = {
    DATABASE_URL,
    MEDIA_DIR,
    S3_BUCKET: 'media',
    S3_ENDPOINT: endpoint,
    S3_ACCESS_KEY_ID: credentials.accessKeyId,
    S3_SECRET_ACCESS_KEY: credentials.secretAccessKey,
  }
  const run = async (...args: string[]) => JSON.parse((await postroom([...args, '--json'], env)).stdout)
  const { id: user } = await run('user', 'create', '--name', 'Ada')
  const { key } = await run('key', 'create', '--user', user)
  const service = await runService('serve', env)
  t.teardown(() => service.stop())
  const db = connect({ url: DATABASE_URL })
  t.teardown(() => db.destroy())

  const call = (path: string, init: RequestInit = {}) =>
    fetch(`${service.facts.api}${path}`, { ...init, headers: { ...init.headers, authorization: `Bearer ${key}` } })
  const upload = async (bytes: Buffer) => {
    const { type, body } = await form([['file', bytes]])
    return call('/media', { method: 'POST', headers: { 'content-type': type }, body: new Uint8Array(body) })
  }
  // Leaves out the objects of health checks.
  const objects = async () => (await s3.objects()).filter((name) => !name.includes('check-'))
  return { s3, db, service, endpoint, mediaDir: MEDIA_DIR, run, call, upload, objects }
}

t.test('with a bucket configured, files are uploaded to it, served from it and deleted in it', async (t) => {
  const { s3, db, service, endpoint, mediaDir, run, call, upload, objects } = await createScene(t)
  const image = await jpeg(40, 30)
  const added = await upload(image)
  t.equal(added.status, 201)
  const { id } = (await added.json()) as { id: string }
  t.strictSame([(await objects()).length, await filesIn(mediaDir)], [1, []])
  t.equal((await upload(image)).status, 200, 'the same bytes are the same file')

  const redirect = await call(`/media/${id}/content`, { redirect: 'manual' })
  t.strictSame([redirect.status, redirect.headers.get('cache-control')], [307, 'no-store'])
  t.match(redirect.headers.get('location'), new RegExp(`^${endpoint}/media/[0-9a-f]{32}\\?.*X-Amz-Expires=300`))
  const content = await call(`/media/${id}/content`)
  t.ok(Buffer.from(await content.arrayBuffer()).equals(image), 'a client that follows the redirect gets the bytes')
  t.equal(content.headers.get('content-type'), 'image/jpeg')

  t.equal((await upload(Buffer.from('<html>'))).status, 400)
  t.equal((await objects()).length, 1, 'a refused file is not stored')

  s3.answer = (request) => {
    const isPut = request.method === 'PUT'
    if (isPut) request.socket.resetAndDestroy()
    return isPut
  }
  const broken = await upload(await jpeg(50))
  t.strictSame([broken.status, await broken.json()], [503, { error: 'File storage is not available' }])
  await until('the log has the cause', () => service.output.stderr.includes('S3 cannot be reached: ECONNRESET'))
  s3.answer = () => false

  // The response did not wait for it.
  const unremoved = () => db.selectFrom('looseFiles').select('storageKey').where('removedAt', 'is', null).execute()
  await until('the rest of the upload is deleted', unremoved, { isMet: ({ length }) => length === 0 })
  t.equal((await run('media', 'sweep')).removed, 0)
  t.equal((await call(`/media/${id}`, { method: 'DELETE' })).status, 200)
  await until('the object is deleted', async () => (await objects()).length === 0)
  for (const secret of ['X-Amz-Signature', s3.options.credentials.secretAccessKey]) {
    t.notMatch(service.output.stderr, secret, 'neither signatures nor keys are logged')
  }
})

t.test('a preview comes from the service, because scripts of pages cannot follow a redirect to a bucket', async (t) => {
  const { call, upload, objects } = await createScene(t)
  const { id } = (await (await upload(await jpeg(400, 300))).json()) as { id: string }
  const preview = (init: RequestInit = {}) => call(`/media/${id}/preview`, { redirect: 'manual', ...init })
  const { status, headers } = await preview()
  t.strictSame([status, headers.get('content-type')], [200, 'image/webp'])
  t.match(await (await preview()).text(), /^RIFF/)
  const etag = headers.get('etag')!
  const statuses = []
  for (const headers of [{ 'if-none-match': etag }, { 'if-match': etag }, { 'if-match': '"other"' }]) {
    statuses.push((await preview({ headers })).status)
  }
  statuses.push((await preview({ method: 'HEAD' })).status)
  t.strictSame(statuses, [304, 200, 412, 200])
  t.equal((await objects()).length, 2, 'it is stored once')
})

/** Ends every backend of the database but those in `kept`, until none is left. */
const terminateBackends = (db: Db, kept: number[]) =>
  until('only the backends of the test are left', async () => {
    const { rows } = await sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and backend_type = 'client backend'
        and pid <> pg_backend_pid() and pid <> all(${kept}::int[])`.execute(db)
    return rows.length === 0
  })

t.test('a sweep deletes an object whose row was never written, because the process was killed', async (t) => {
  const { s3, db, service, run, upload, objects } = await createScene(t)
  // The row cannot be inserted while the test holds this lock, and the service's cleanup cannot delete the object.
  await sql`
    create function wait() returns trigger language plpgsql as
    $$ begin perform pg_advisory_xact_lock(1); return new; end $$`.execute(db)
  await sql`create trigger wait before insert on media for each row execute function wait()`.execute(db)
  const blocker = await db.startTransaction().execute()
  t.teardown(() => blocker.isRolledBack || blocker.rollback().execute())
  await sql`select pg_advisory_xact_lock(1)`.execute(blocker)
  const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(blocker)
  s3.answer = ({ method, url }) => method === 'DELETE' || (method === 'GET' && url!.includes('uploads'))
  const request = upload(await jpeg(60)).catch(() => {})
  await until('the bytes are stored', async () => (await objects()).length === 1)
  await service.stop('SIGKILL')
  await request
  // A backend that waits for a lock does not notice that its client is gone: it would insert the row after all.
  await terminateBackends(db, [rows[0]!.pid])
  await blocker.rollback().execute()
  s3.answer = () => false

  t.equal((await objects()).length, 1, 'the object exists')
  t.strictSame(await db.selectFrom('media').select('id').execute(), [], 'the row does not')
  await sql`update loose_files set renewed_at = now() - interval '1 minute' where removed_at is null`.execute(db)
  t.strictSame(await run('media', 'sweep'), { removed: 1 })
  t.strictSame(await objects(), [])
})
