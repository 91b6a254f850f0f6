import { randomBytes } from 'node:crypto'
import { chmodSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { connect } from '../../db/client.ts'
import { newId } from '../../db/id.ts'
import { insertAccount } from '../../db/queries/accounts.ts'
import { replaceCredentials, updateDataKey } from '../../db/queries/credentials.ts'
import { insertUser } from '../../db/queries/people.ts'
import { createKeyring } from '../../src/base/keyring/keyring.ts'
import { findCredentials } from '../helpers/app.ts'
import { postroom, postroomProcess, runService } from '../helpers/command.ts'
import { createDatabase } from '../helpers/database.ts'

const newKey = () => randomBytes(32)
const textOf = (...keys: Buffer[]) => keys.map((key) => key.toString('base64')).join(',')
const credentials = { password: 'secret' }

/** Creates a database with one connected account per key. */
async function createScene(t: Test, ...keys: Buffer[]) {
  const url = await createDatabase(t)
  const db = connect({ url })
  t.teardown(() => db.destroy())
  const userId = newId()
  await insertUser(db, { id: userId, name: 'ada' })
  const ids: string[] = []
  for (const key of keys) {
    const id = newId()
    const account = { id, userId, platform: 'bluesky' as const, username: 'ada', displayName: null }
    await insertAccount(db, { ...account, organizationId: null })
    await replaceCredentials(db, id, createKeyring([key]).seal(id, credentials))
    ids.push(id)
  }
  const rewrap = (text?: string) =>
    postroom(['account', 'rewrap', '--json'], { DATABASE_URL: url, ...(text && { CREDENTIALS_KEY: text }) })
  return { db, url, ids, rewrap }
}

t.test('after rewrap, the old key is no longer needed', async (t) => {
  const [old, current] = [newKey(), newKey()]
  const { db, ids, rewrap } = await createScene(t, old, old, current)
  const untouched = await findCredentials(db, ids[2]!)
  const first = await rewrap(textOf(current, old))
  t.equal(first.code, 0, first.stderr)
  t.strictSame(JSON.parse(first.stdout), { rewrapped: 2, failed: 0 })
  for (const id of ids) t.strictSame(createKeyring([current]).open(id, (await findCredentials(db, id))!), credentials)
  t.strictSame(await findCredentials(db, ids[2]!), untouched)
  t.strictSame(JSON.parse((await rewrap(textOf(current))).stdout), { rewrapped: 0, failed: 0 })
})

t.test('rewrap reports credentials whose key is missing, and leaves them unchanged', async (t) => {
  const [old, lost, current] = [newKey(), newKey(), newKey()]
  const { db, ids, rewrap } = await createScene(t, lost, old)
  const { code, stdout, stderr } = await rewrap(textOf(current, old))
  t.strictSame([code, stdout], [1, ''])
  t.equal(
    stderr,
    `error: 1 rewrapped, 1 failed: The credentials of account ${ids[0]} need the key ${createKeyring([lost]).keyId}, which is missing\n`,
  )
  t.strictSame(createKeyring([lost]).open(ids[0]!, (await findCredentials(db, ids[0]!))!), credentials)
  t.strictSame(createKeyring([current]).open(ids[1]!, (await findCredentials(db, ids[1]!))!), credentials)
  const withoutKey = await rewrap()
  t.strictSame([withoutKey.code, withoutKey.stderr], [1, 'error: CREDENTIALS_KEY is not set\n'])
})

t.test('rewrap keeps credentials that are replaced while it runs', async (t) => {
  const [old, current] = [newKey(), newKey()]
  const { db, ids } = await createScene(t, old)
  const [id] = ids as [string]
  const keyring = createKeyring([current, old])
  const before = (await findCredentials(db, id))!
  await replaceCredentials(db, id, keyring.seal(id, { password: 'new' }))
  await updateDataKey(db, id, before, keyring.rewrap(id, before))
  t.strictSame(keyring.open(id, (await findCredentials(db, id))!), { password: 'new' })
})

t.test('disconnect deletes the credentials', async (t) => {
  const { db, url, ids } = await createScene(t, newKey(), newKey())
  t.equal((await postroom(['account', 'disconnect', ids[0]!], { DATABASE_URL: url })).code, 0)
  t.equal(await findCredentials(db, ids[0]!), undefined)
  t.ok(await findCredentials(db, ids[1]!))
})

t.test('the embedded database keeps its key beside its data', async (t) => {
  const scratch = mkdtempSync(join(tmpdir(), 'postroom-key-'))
  chmodSync(scratch, 0o755)
  t.teardown(() => rmSync(scratch, { recursive: true, force: true }))
  const env = { DATA_DIR: join(scratch, 'data') }
  const file = join(scratch, 'data/credentials.key')

  /** Starts the service and connects an account. Only with a usable key does the attempt reach the network. */
  const connectOn = async (more: Record<string, string>, key?: string) => {
    const service = await runService('start', { ...env, ...more })
    t.teardown(() => service.stop('SIGKILL'))
    const reply = await fetch(`${service.facts.api}/accounts`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key ?? service.facts.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ platform: 'mastodon', credentials: { instance: 'https://127.0.0.1', accessToken: 'a' } }),
    })
    const { error } = (await reply.json()) as { error: string }
    t.equal(await service.stop(), 0)
    return { key: service.facts.key, outcome: { status: reply.status, error } }
  }
  const unreachable = {
    status: 502,
    error: 'mastodon: 127.0.0.1 does not resolve to a public address: check its spelling (ENOTFOUND)',
  }
  const first = await connectOn({})
  t.strictSame(first.outcome, unreachable)
  const { mode, size, ino } = statSync(file)
  t.equal(mode & 0o777, 0o600)
  t.equal(size, 45)
  t.strictSame((await connectOn({}, first.key)).outcome, unreachable)
  t.equal(statSync(file).ino, ino, 'the next start uses the same file')

  chmodSync(file, 0o644)
  await t.rejects(connectOn({}), { message: /credentials\.key can be read by other users\. Run: chmod 600 / })
  chmodSync(file, 0o600)
  const error = 'Stored credentials are encrypted with a key that this service does not have'
  t.strictSame(
    (await connectOn({ CREDENTIALS_KEY: textOf(newKey()) }, first.key)).outcome,
    { status: 503, error },
    'CREDENTIALS_KEY takes precedence, and does not open the credentials of the demo',
  )
})

t.test('with DATABASE_URL, the service runs without a key', async (t) => {
  const url = await createDatabase(t)
  const service = await runService('start', { DATABASE_URL: url })
  t.teardown(() => service.stop('SIGKILL'))
  const reply = await fetch(`${service.facts.api}/accounts`, {
    method: 'POST',
    headers: { authorization: `Bearer ${service.facts.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ platform: 'telegram', credentials: { botToken: '1:a', chatId: '@b' } }),
  })
  t.equal(reply.status, 503)
  t.strictSame(await reply.json(), { error: 'Credentials key not set' })
})

t.test('a worker without a key does not run', async (t) => {
  const env = { DATABASE_URL: await createDatabase(t) }
  const error = 'CREDENTIALS_KEY is not set: set it, so that posts can be published'
  t.strictSame(await postroomProcess(['worker'], env), { code: 1, stdout: '', stderr: `error: ${error}\n` })
  const service = await runService('start', env)
  t.teardown(() => service.stop('SIGKILL'))
  t.equal((await fetch(new URL('/healthz', service.facts.api))).status, 200, 'the API works without a key')
  t.equal(await service.stop(), 0)
  t.ok(service.output.stderr.includes(error))
})
