import { sql } from 'kysely'
import t from 'tap'
import { connect } from '../../db/client.ts'
import { createFolder } from '../helpers/app.ts'
import { postroom, runService } from '../helpers/command.ts'
import { createDatabase } from '../helpers/database.ts'
import { startS3 } from '../helpers/s3.ts'
import { filesIn, form, jpeg, until } from '../helpers/upload.ts'

t.test('with a bucket configured, files live there: uploaded, fetched from there, deleted and swept up', async (t) => {
  const [DATABASE_URL, MEDIA_DIR, bucket] = [await createDatabase(t), await createFolder(t), await createFolder(t)]
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
  const call = (path: string, init: RequestInit = {}) =>
    fetch(`${service.facts.api}${path}`, { ...init, headers: { ...init.headers, authorization: `Bearer ${key}` } })
  const upload = async (bytes: Buffer) => {
    const { type, body } = await form([['file', bytes]])
    return call('/media', { method: 'POST', headers: { 'content-type': type }, body: new Uint8Array(body) })
  }
  const objects = async () => (await filesIn(bucket)).filter((path) => path.endsWith('._S3rver_object'))

  const image = await jpeg(40, 30)
  const added = await upload(image)
  t.equal(added.status, 201)
  const { id } = (await added.json()) as { id: string }
  t.strictSame([(await objects()).length, await filesIn(MEDIA_DIR)], [1, []])
  t.equal((await upload(image)).status, 200, 'the same bytes are the same file')

  const redirect = await call(`/media/${id}/content`, { redirect: 'manual' })
  t.strictSame([redirect.status, redirect.headers.get('cache-control')], [307, 'no-store'])
  t.match(redirect.headers.get('location'), new RegExp(`^${endpoint}/media/[0-9a-f]{32}\\?.*X-Amz-Expires=300`))
  const content = await call(`/media/${id}/content`)
  t.ok(Buffer.from(await content.arrayBuffer()).equals(image), 'a client that follows it has the bytes')
  t.equal(content.headers.get('content-type'), 'image/jpeg')

  t.equal((await upload(Buffer.from('<html>'))).status, 400)
  t.equal((await objects()).length, 1, 'what is refused does not get there')

  s3.answer = (request) => {
    const isPut = request.method === 'PUT'
    if (isPut) request.socket.resetAndDestroy()
    return isPut
  }
  const broken = await upload(await jpeg(50))
  t.strictSame([broken.status, await broken.json()], [500, { error: 'Internal server error' }])
  const isLogged = async () => service.output.stderr.includes('S3 cannot be reached: ECONNRESET')
  t.ok(await until(isLogged), 'the log has the cause')
  s3.answer = () => false

  const before = await run('media', 'sweep')
  t.equal(before.removed, 0)
  t.equal((await call(`/media/${id}`, { method: 'DELETE' })).status, 200)
  t.ok(await until(async () => (await objects()).length === 0))

  // The process goes between the bytes and the row.
  let killed: Promise<unknown> | undefined
  s3.answer = (request, response) => {
    if (request.method === 'PUT')
      response.once('finish', () => {
        killed ??= service.stop('SIGKILL')
      })
    return false
  }
  await upload(await jpeg(60)).catch(() => {})
  await killed
  s3.answer = () => false
  const db = connect({ url: DATABASE_URL })
  t.teardown(() => db.destroy())
  t.equal((await objects()).length, 1, 'the bytes are there')
  t.strictSame(await db.selectFrom('media').select('id').execute(), [], 'the row is not')
  await sql`update loose_files set renewed_at = now() - interval '1 minute' where removed_at is null`.execute(db)
  t.strictSame(await run('media', 'sweep'), { removed: 1 })
  t.strictSame(await objects(), [])
  t.notMatch(service.output.stderr, /X-Amz-Signature|S3RVER/, 'no address that opens a file is logged')
})
