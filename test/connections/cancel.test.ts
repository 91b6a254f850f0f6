import { sql } from 'kysely'
import t from 'tap'
import { deleteOldConnections } from '../../db/queries/connections.ts'
import { createBrowser } from '../helpers/connect-oauth.ts'
import { grantedAccount } from '../helpers/scripted-oauth.ts'
import { createConnectionWorld } from './scene.ts'

t.test('a connection that is cancelled leads nowhere, whatever its state', async (t) => {
  const { app, db, ada, oauth, user, create, open, accounts } = await createConnectionWorld(t)
  const cancel = (id: string, person = ada) => person.call('DELETE', `/connections/${id}`)

  const pending = (await create()).body
  t.equal((await cancel(pending.id, await user('bob'))).status, 404, 'not by another user')
  t.equal((await cancel(pending.id)).status, 200)
  t.equal((await createBrowser(app).get(pending.url)).status, 404)
  t.equal((await ada.call('GET', `/connections/${pending.id}`)).status, 404)
  t.equal((await cancel(pending.id)).status, 404)

  const opened = await open()
  await cancel(opened.id)
  t.equal((await opened.browser.get(opened.callback)).status, 404)
  t.equal(oauth.finished.length, 0)

  const overtaken = await open()
  oauth.beforeResponse = () => cancel(overtaken.id)
  const page = await overtaken.browser.get(overtaken.callback)
  t.equal(page.status, 409, 'while the network responds')
  oauth.beforeResponse = () => {}

  oauth.accounts = [grantedAccount('1'), grantedAccount('2')]
  const choosing = await open()
  await choosing.browser.get(choosing.callback)
  await cancel(choosing.id)
  t.equal((await ada.call('POST', `/connections/${choosing.id}/choose`, { ids: ['1'] })).status, 404)
  t.equal((await choosing.browser.get(`/connect/result/${choosing.id}`)).status, 403)
  t.strictSame(await accounts(), [])
  t.strictSame(await db.selectFrom('connections').selectAll().execute(), [], 'the tokens are gone')
})

t.test('an account stays when its connection is deleted', async (t) => {
  const { ada, connect, accounts } = await createConnectionWorld(t)
  const { id } = await connect()
  t.equal((await ada.call('DELETE', `/connections/${id}`)).status, 200)
  t.equal((await accounts()).length, 1)
})

t.test('a connection can be read for 24 hours, and is then deleted', async (t) => {
  const { db, ada, create, connect } = await createConnectionWorld(t)
  const open = (await create()).body.id
  const connected = (await connect()).id
  const read = async (id: string) => {
    const { status, body } = await ada.call('GET', `/connections/${id}`)
    return status === 200 ? body.state : status
  }
  const age = (age: string) =>
    db
      .updateTable('connections')
      .set({ createdAt: sql`now() - ${age}::interval`, expiresAt: sql`now() - ${age}::interval` })
  await age('23 hours 59 minutes').execute()
  t.strictSame([await read(open), await read(connected)], ['expired', 'connected'])
  t.equal(await deleteOldConnections(db, 10), 0)
  await age('24 hours').execute()
  t.strictSame([await read(open), await read(connected)], [404, 404])
  t.equal(await deleteOldConnections(db, 10), 2)
})
