import { randomBytes } from 'node:crypto'
import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { newId } from '../../db/id.ts'
import { insertAccount } from '../../db/queries/accounts.ts'
import { deleteCredentialsOfOtherKeys, replaceCredentials } from '../../db/queries/credentials.ts'
import { createKeyring } from '../../src/base/keyring/keyring.ts'
import { s3Storage } from '../../src/base/storage/s3.ts'
import { dependencyChecks } from '../../src/run/health/dependencies.ts'
import { createHealth, type Problem } from '../../src/run/health/problems.ts'
import { createFolder, createWorld } from '../helpers/app.ts'
import { hangFor, startS3 } from '../helpers/s3.ts'
import { until } from '../helpers/until.ts'

t.test('readyz names the storage that cannot be used, until it is mended', async (t) => {
  const { app, mediaDir } = await createWorld(t)
  const ready = async () => {
    const { statusCode, headers, body } = await app.inject('/readyz')
    return [statusCode, headers['x-error-code'], JSON.parse(body)]
  }
  t.strictSame(await ready(), [200, undefined, { status: 'ok' }])
  const incoming = join(mediaDir, 'incoming')
  await rename(incoming, `${incoming}-away`)
  const broken = await until('the service is unready', ready, { isMet: ([status]) => status === 503 })
  t.strictSame(broken, [503, 'storage_unavailable', { error: 'File storage is not available' }])
  await rename(`${incoming}-away`, incoming)
  await until('the service is ready again', ready, { isMet: ([status]) => status === 200 })
})

t.test('readyz names a key that the process lacks, until no credentials need it', async (t) => {
  const { app, db, user, keyring } = await createWorld(t)
  const ada = await user()
  const other = createKeyring([randomBytes(32)])
  const id = await ada.account('sandbox')
  await replaceCredentials(db, id, other.seal(id, { username: 'ada' }))
  const ready = async () => {
    const { statusCode, headers, body } = await app.inject('/readyz')
    return [statusCode, headers['x-error-code'], JSON.parse(body).error]
  }
  const error = 'Stored credentials are encrypted with a key that this service does not have'
  t.strictSame(await ready(), [503, 'credentials_key_mismatch', error])
  t.equal(await deleteCredentialsOfOtherKeys(db, keyring.keyIds), 1)
  await until('the service is ready', ready, { isMet: ([status]) => status === 200 })
})

t.test(
  'however many probes there are, the checks run once in a while, and log when a problem begins and ends',
  async (t) => {
    const problem: Problem = { statusCode: 503, code: 'storage_full', message: 'full', facts: { err: 'ENOSPC' } }
    let runs = 0
    let found: Problem | null | undefined = null
    const log: unknown[] = []
    const write = (level: string) => (facts: object, message: string) => log.push([level, facts, message])
    const logger = { info: write('info'), warn: write('warn'), error: write('error') }
    const checks = {
      storage: async () => {
        runs++
        return found
      },
      credentialsKey: async () => null,
      databaseSpace: async () => null,
    }
    const { read } = createHealth(checks, logger, 3_600_000)
    const all = await Promise.all(Array.from({ length: 20 }, read))
    t.strictSame(all, Array(20).fill({}))
    await read()
    t.equal(runs, 1)

    const health = createHealth(checks, logger, 0)
    found = problem
    t.strictSame(await health.read(), { storage: problem })
    await health.read()
    found = undefined
    t.strictSame(await health.read(), { storage: problem }, 'what cannot be known does not change')
    found = null
    t.strictSame(await health.read(), {})
    t.strictSame(log, [
      ['error', { dependency: 'storage', code: 'storage_full', err: 'ENOSPC' }, 'full'],
      ['info', { dependency: 'storage' }, 'a problem is over'],
    ])
  },
)

t.test('a storage that fails once, or does not respond once, can be used', async (t) => {
  const { db, mediaDir } = await createWorld(t)
  for (const failure of [() => Promise.reject(new Error('reset')), () => new Promise<void>(() => {})]) {
    let runs = 0
    const check = () => (++runs === 1 ? failure() : Promise.resolve())
    const checks = dependencyChecks({ storage: { check }, incomingDir: join(mediaDir, 'incoming') }, db, undefined)
    t.equal(await checks.storage(), null)
    t.equal(runs, 2)
  }
})

t.test('readyz is 503 before a bucket responds that hangs for 3.5 s', async (t) => {
  const s3 = await startS3(t, await createFolder(t))
  const { app } = await createWorld(t, { media: { storage: s3Storage(s3.options) } })
  hangFor(t, s3, 14)
  const { statusCode, headers } = await app.inject('/readyz')
  t.strictSame([statusCode, headers['x-error-code']], [503, 'storage_unavailable'])
})

t.test(
  'a storage that never returns is reported, and a database that is away says nothing about the key',
  async (t) => {
    const { app, db, user, mediaDir } = await createWorld(t)
    const ada = await user()
    const account = {
      platform: 'sandbox' as const,
      username: 'a',
      displayName: null,
      userId: ada.id,
      organizationId: null,
    }
    const ids = [newId(), newId()]
    const lost = createKeyring([randomBytes(32)])
    for (const id of ids) {
      await insertAccount(db, { id, ...account })
      await replaceCredentials(db, id, lost.seal(id, {}))
    }
    const incomingDir = join(mediaDir, 'incoming')
    const hangs = { storage: { check: () => new Promise<void>(() => {}) }, incomingDir }
    const checks = dependencyChecks(hangs, db, createKeyring([randomBytes(32)]))
    t.match(await checks.storage(), { code: 'storage_unavailable', facts: { err: /did not respond within/ } })
    t.hasStrict(await checks.credentialsKey(), { facts: { accounts: 2, missingKeys: lost.keyIds } })
    const health = createHealth(checks, app.log)
    t.strictSame(Object.keys(await health.read()).sort(), ['credentialsKey', 'storage'])

    await db.destroy()
    t.equal(await checks.credentialsKey(), undefined)
  },
)
