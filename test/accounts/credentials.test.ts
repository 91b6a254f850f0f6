import { sql } from 'kysely'
import t from 'tap'
import { findCredentials } from '../helpers/app.ts'
import { createNetworksWorld } from '../helpers/connect.ts'
import { everythingIn } from '../helpers/database.ts'
import { reset } from '../networks/fakes/network.ts'

t.test('credentials are stored encrypted, and can only be decrypted for their account', async (t) => {
  const world = await createNetworksWorld(t)
  const { ada, connectable, db, keyring } = world
  const ids: string[] = []
  for (const { body } of connectable) ids.push((await ada.call('POST', '/accounts', body)).body.id)
  const everything = await everythingIn(world.db)
  for (const [index, { body, secret }] of connectable.entries()) {
    t.notOk(everything.includes(secret), body.platform)
    const row = await findCredentials(db, ids[index]!)
    t.strictSame(keyring.open(ids[index]!, row!), body.credentials)
  }
  t.ok(everything.includes('Ada Lovelace'), 'the dump of the database has contents')

  const [one, other] = ids as [string, string]
  await sql`update account_credentials a set data = b.data, data_key = b.data_key from account_credentials b
    where a.account_id <> b.account_id and a.account_id in (${one}, ${other}) and b.account_id in (${one}, ${other})
  `.execute(db)
  for (const id of [one, other]) {
    const swapped = await findCredentials(db, id)
    t.throws(() => keyring.open(id, swapped!), { message: /cannot be decrypted with the key/ })
  }
})

t.test('no response and no log contains credentials', async (t) => {
  const world = await createNetworksWorld(t)
  const { ada, app, connectable, db, log } = world
  const responses: unknown[] = []
  const secrets = connectable.map(({ secret }) => secret)
  const send = async (body: unknown) => responses.push(await ada.call('POST', '/accounts', body))
  for (const { body, network, firstCall, secret } of connectable) {
    await send(body)
    await send(body)
    // Networks that echo the credentials.
    const echo = { message: `No ${secret}`, error: `No ${secret}`, description: `No ${secret}`, ok: false }
    for (const status of [400, 401, 403, 404, 422, 429, 500]) {
      network.faults.push({ on: firstCall, instead: { status, body: echo } })
      await send(body)
    }
    network.faults.push({ on: firstCall, instead: reset })
    await send(body)
    // Invalid bodies.
    await send({ ...body, credentials: { ...body.credentials, more: secret } })
    await send({ ...body, credentials: secret })
    await send({ ...body, organizationId: 5 })
    await send(`${JSON.stringify(body)}}`)
  }
  responses.push(await ada.call('GET', '/accounts'))
  await sql`alter table account_credentials add constraint never check (false) not valid`.execute(db)
  for (const { body } of connectable) {
    const reply = await ada.call('POST', '/accounts', body)
    t.equal(reply.status, 500, 'the failing statement is logged')
    responses.push(reply)
  }
  await app.close()
  t.ok(log.some((line) => line.includes('Postgres refused a statement')))
  const output = JSON.stringify(responses) + log.join('\n')
  for (const secret of secrets) t.notOk(output.includes(secret))
})
