import { sql } from 'kysely'
import t from 'tap'
import { loadMigrations } from '../../db/migrate.ts'
import { everythingIn } from '../helpers/database.ts'
import { createConnectionWorld } from './scene.ts'

const KEYED = { 'idempotency-key': 'one' }

t.test('a repeated request gets the link again, which nobody finds in the database', async (t) => {
  const { ada, db } = await createConnectionWorld(t)
  for (const manual of [false, true]) {
    const keyed = { 'idempotency-key': `manual ${manual}`.replace(' ', '-') }
    const create = () => ada.call('POST', '/connections', { platform: 'x', manual }, keyed)
    const [first, second] = [await create(), await create()]
    t.strictSame([first.status, second.status, second.headers['idempotent-replayed']], [201, 201, 'true'])
    t.strictSame(second.body, first.body)
    const url = new URL(first.body.url)
    const secret = manual ? url.searchParams.get('state')! : url.pathname.split('/').at(-1)!
    t.ok(secret.length > 20)
    const stored = await everythingIn(db)
    t.notOk(stored.includes(secret), manual ? 'the state' : 'the token of the link')
    t.notOk(stored.includes(Buffer.from(secret).toString('base64').slice(0, 20)), 'nor is it there in base64')
  }
})

t.test('another request under the key is a 409', async (t) => {
  const { ada } = await createConnectionWorld(t)
  const account = await ada.account('x')
  t.equal((await ada.call('POST', '/connections', { platform: 'x' }, KEYED)).status, 201)
  t.equal((await ada.call('POST', '/connections', { platform: 'x', metadata: { a: 'b' } }, KEYED)).status, 409)
  t.equal((await ada.call('POST', '/posts', { accountIds: [account] }, KEYED)).status, 409)
})

t.test('the migration removes links that are stored as they are, and no other responses', async (t) => {
  const { ada, db } = await createConnectionWorld(t)
  const account = await ada.account('x')
  const caption = '{"url":"https://example.com","platform":"x"}'
  t.equal((await ada.call('POST', '/posts', { accountIds: [account], caption }, KEYED)).status, 201)
  const link = JSON.stringify({
    id: 'a',
    platform: 'x',
    state: 'created',
    url: 'https://postroom.example/connect/token',
  })
  await sql`
    insert into idempotency_keys (user_id, key, request_hash, status, body)
    values (${ada.id}, 'old', '\\x00', 201, ${link})`.execute(db)
  const migrations = await loadMigrations()
  for (const step of migrations['0026_stored_links']!.steps) if (typeof step === 'function') await step(db as never)
  const { rows } = await sql<{ key: string }>`select key from idempotency_keys`.execute(db)
  t.strictSame(
    rows.map(({ key }) => key),
    ['one'],
  )
})
