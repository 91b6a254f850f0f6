import { randomBytes } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { connect as openDatabase } from '../../db/client.ts'
import { newId } from '../../db/id.ts'
import { insertAccount } from '../../db/queries/accounts.ts'
import { replaceCredentials } from '../../db/queries/credentials.ts'
import { insertUser } from '../../db/queries/people.ts'
import { createKeyring } from '../../src/base/keyring/keyring.ts'
import { createKey } from '../../src/features/auth/create-key.ts'
import { createFolder } from '../helpers/app.ts'
import { postroom, postroomProcess, runService, type Service } from '../helpers/command.ts'
import { createDatabase } from '../helpers/database.ts'
import { startS3 } from '../helpers/s3.ts'
import { until } from '../helpers/until.ts'

/** The lines of a process's log at the level error or above. */
const errorsOf = ({ output }: Service) =>
  output.stderr
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line))
    .filter(({ level }) => level >= 50)

const readiness = async ({ facts }: Service) => {
  const reply = await fetch(new URL('/readyz', facts.api))
  return [reply.status, ((await reply.json()) as { error?: string }).error] as const
}

t.test('with a bucket that refuses access, serve and worker start, say so, and recover', async (t) => {
  const s3 = await startS3(t, await createFolder(t))
  const { endpoint, credentials, bucket } = s3.options
  const env = {
    DATABASE_URL: await createDatabase(t),
    MEDIA_DIR: await createFolder(t),
    CREDENTIALS_KEY: randomBytes(32).toString('base64'),
    S3_BUCKET: bucket,
    S3_ENDPOINT: endpoint,
    S3_ACCESS_KEY_ID: credentials.accessKeyId,
    S3_SECRET_ACCESS_KEY: credentials.secretAccessKey,
  }
  s3.answer = (_request, response) => {
    response.writeHead(403).end()
    return true
  }
  for (const command of ['serve', 'worker'] as const) {
    const service = await runService(command, env)
    t.teardown(() => service.stop('SIGKILL'))
    // A busy machine adds lines about the database, and the journal of a worker has its own.
    const lines = () => errorsOf(service).filter(({ msg }) => msg === 'File storage is not available')
    const [line] = await until(`${command} logs the problem`, lines, { isMet: ({ length }) => length > 0 })
    t.match(line.err.message, /^S3 responded with 403/)
    if (command === 'serve') {
      await until('the service is unready', () => readiness(service), {
        isMet: ([status, error]) => status === 503 && error === 'File storage is not available',
      })
      t.equal((await fetch(new URL('/healthz', service.facts.api))).status, 200)
      s3.answer = () => false
      await until('the service is ready', () => readiness(service), { isMet: ([status]) => status === 200 })
      s3.answer = (_request, response) => {
        response.writeHead(403).end()
        return true
      }
    }
    t.equal(lines().length, 1, 'one line')
    t.equal(await service.stop(), 0)
  }
})

t.test('a MEDIA_DIR that can never be used refuses the start, in one line', async (t) => {
  const folder = await createFolder(t)
  await rm(folder, { recursive: true })
  const env = { DATABASE_URL: await createDatabase(t), MEDIA_DIR: join('/dev/null', 'media') }
  for (const command of ['serve', 'worker']) {
    const { code, stderr } = await postroomProcess([command], {
      ...env,
      CREDENTIALS_KEY: randomBytes(32).toString('base64'),
    })
    t.equal(code, 1)
    t.match(
      stderr,
      /^error: MEDIA_DIR \/dev\/null\/media is not writable \(ENOTDIR\): make it writable, or set another folder\n$/,
    )
  }
})

t.test(
  'with a wrong key, serve connects no account and is unready, and a worker claims nothing until the key fits',
  async (t) => {
    const right = randomBytes(32)
    const DATABASE_URL = await createDatabase(t)
    const db = openDatabase({ url: DATABASE_URL })
    t.teardown(() => db.destroy())
    const [userId, id] = [newId(), newId()]
    await insertUser(db, { id: userId, name: 'ada' })
    const { key } = await createKey(db, { userId, name: null, expiresAt: null })
    const account = {
      id,
      platform: 'sandbox' as const,
      username: 'ada',
      displayName: null,
      userId,
      organizationId: null,
    }
    await insertAccount(db, account)
    await replaceCredentials(db, id, createKeyring([right]).seal(id, { username: 'ada' }))

    const wrong = randomBytes(32)
    const env = { DATABASE_URL, MEDIA_DIR: await createFolder(t), CREDENTIALS_KEY: wrong.toString('base64') }
    const serve = await runService('serve', env)
    t.teardown(() => serve.stop('SIGKILL'))
    const call = async (path: string, body: object) => {
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
      const reply = await fetch(`${serve.facts.api}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
      // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape
      return { status: reply.status, code: reply.headers.get('x-error-code'), body: (await reply.json()) as any }
    }
    const message = 'Stored credentials are encrypted with a key that this service does not have'
    const connect = () => call('/accounts', { platform: 'sandbox', credentials: { username: 'bob' } })
    const refused = await until('the account is refused', connect, {
      isMet: ({ code }) => code !== 'database_unavailable',
    })
    t.strictSame(refused, { status: 503, code: 'credentials_key_mismatch', body: { error: message } })
    await until('serve is unready', () => readiness(serve), { isMet: ([, error]) => error === message })
    const problem = errorsOf(serve).find(({ msg }) => msg === message)
    t.hasStrict(problem, { accounts: 1, missingKeys: createKeyring([right]).keyIds })

    const { body } = await call('/posts', { accountIds: [id], caption: 'due', scheduledAt: '2026-01-01T00:00:00Z' })
    const late = { ...env, PUBLISH_LATENESS_LIMIT: '99999d' }
    const worker = await runService('worker', late)
    t.teardown(() => worker.stop('SIGKILL'))
    const state = async () =>
      db.selectFrom('postTargets').select(['state', 'attempts']).where('postId', '=', body.id).executeTakeFirst()
    await until('the worker says why it waits', () =>
      errorsOf(worker).some(({ msg }) => msg.startsWith('nothing is published')),
    )
    t.strictSame(await state(), { state: 'queued', attempts: 0 })

    // The operator encrypts the stored credentials with the key that the processes have.
    const keys = `${env.CREDENTIALS_KEY},${right.toString('base64')}`
    t.equal((await postroom(['account', 'rewrap'], { ...env, CREDENTIALS_KEY: keys })).code, 0)
    await until('the delivery is published', state, { isMet: (row) => row?.state === 'published' })
    await until('serve is ready', () => readiness(serve), { isMet: ([status]) => status === 200 })
    await until('accounts can be connected', connect, { isMet: ({ status }) => status === 201 })
  },
)
