import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import t, { type Test } from 'tap'
import { connect } from '../../db/client.ts'
import { postroomProcess, runService } from '../helpers/command.ts'
import { createDatabase } from '../helpers/database.ts'
import { refuse, startS3 } from '../helpers/s3.ts'
import { until } from '../helpers/until.ts'
import { form, jpeg } from '../helpers/upload.ts'

const PASSWORD = 'the-password-of-postgres'
const S3_SECRET = 'the-secret-of-the-bucket'
const CAPTION = 'The launch is on Friday'
const TOKEN = 'the-token-of-ada'

function createFolder(t: Test): string {
  const folder = mkdtempSync(join(tmpdir(), 'postroom-secrets-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

t.test('no process logs a secret, at no level and whatever fails', async (t) => {
  const folder = createFolder(t)
  const bucket = await startS3(t, join(folder, 'bucket'))
  const url = new URL(await createDatabase(t))
  url.password ||= PASSWORD
  const env = {
    DATABASE_URL: url.href,
    CREDENTIALS_KEY: randomBytes(32).toString('base64'),
    MEDIA_DIR: join(folder, 'media'),
    S3_BUCKET: 'media',
    S3_ENDPOINT: bucket.options.endpoint,
    S3_ACCESS_KEY_ID: 'S3RVER',
    S3_SECRET_ACCESS_KEY: S3_SECRET,
    LOG_LEVEL: 'trace',
  }
  const user = JSON.parse((await postroomProcess(['user', 'create', '--name', 'Ada', '--json'], env)).stdout)
  const { key } = JSON.parse((await postroomProcess(['key', 'create', '--user', user.id, '--json'], env)).stdout)
  const [serve, worker] = await Promise.all([runService('serve', env), runService('worker', env)])
  t.teardown(() => Promise.all([serve.stop('SIGKILL'), worker.stop('SIGKILL')]))
  const send = async (path: string, body?: object | Uint8Array, type = 'application/json', token = key) => {
    const reply = await fetch(`${serve.facts.api}${path}`, {
      method: body ? 'POST' : 'GET',
      headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': type }) },
      ...(body && { body: body instanceof Uint8Array ? new Uint8Array(body) : JSON.stringify(body) }),
    })
    // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape
    return { status: reply.status, body: (await reply.json()) as any }
  }
  const uploadFile = async (width: number) => {
    const { type, body } = await form([['file', await jpeg(width, 10)]])
    return send('/media', body, type)
  }
  const logged = (text: string) =>
    until(`${text} is logged`, () => (worker.output.stderr + serve.output.stderr).includes(text))

  const account = await send('/accounts', { platform: 'sandbox', credentials: { username: 'ada', token: TOKEN } })
  t.equal(account.status, 201)
  const credentials = { instance: 'https://no-such-host.invalid', accessToken: TOKEN }
  t.equal((await send('/accounts', { platform: 'mastodon', credentials })).status, 502)
  const file = await uploadFile(20)
  t.equal(file.status, 201)
  const post = { accountIds: [account.body.id], caption: CAPTION, scheduledAt: new Date().toISOString() }
  t.equal((await send('/posts', post)).status, 201)
  await logged('"state":"published"')

  bucket.answer = (_request, response) => refuse(response, 403, 'AccessDenied')
  t.ok((await uploadFile(30)).status >= 500)
  t.equal((await send('/posts', { ...post, mediaIds: [file.body.id] })).status, 201)
  await logged('a file of the post could not be read')

  t.equal((await send(`/posts?key=${key}`)).status, 200)
  t.equal((await send('/posts', undefined, '', `${key}x`)).status, 401)
  const db = connect({ url: url.href, poolMax: 1 })
  t.teardown(() => db.destroy())
  // Postgres quotes the rejected row in its error.
  await sql`alter table posts add constraint never check (false) not valid`.execute(db)
  t.equal((await send('/posts', post)).status, 500)

  t.strictSame([await serve.stop(), await worker.stop()], [0, 0])
  const secrets = { PASSWORD: url.password, S3_SECRET, CAPTION, TOKEN, key, CREDENTIALS_KEY: env.CREDENTIALS_KEY }
  for (const [name, { output }] of Object.entries({ serve, worker })) {
    for (const [secret, text] of Object.entries(secrets)) {
      t.notOk(output.stderr.includes(text), `${secret} is not in the log of ${name}`)
    }
  }
})
