import t from 'tap'
import { call, createWorld, findCredentials, type Reply } from '../helpers/app.ts'

const NOT_FOUND = { status: 404, body: { error: 'Account not found' } } as const
const credentials = { password: 'secret' }

const idsOf = ({ body }: Reply) => body.data.map(({ id }: { id: string }) => id)

t.test('disconnecting an account removes it from the list and deletes its credentials', async (t) => {
  const { db, user } = await createWorld(t)
  const ada = await user()
  const id = await ada.account('bluesky', { credentials })
  const kept = await ada.account('bluesky', { username: 'kept', credentials })
  t.hasStrict(await ada.call('DELETE', `/accounts/${id}`), { status: 200, body: { success: true } })
  t.strictSame(idsOf(await ada.call('GET', '/accounts')), [kept])
  t.equal(await findCredentials(db, id), undefined)
  t.ok(await findCredentials(db, kept))
  t.hasStrict(await ada.call('DELETE', `/accounts/${id}`), NOT_FOUND, 'a second call does not find it')
})

t.test('an account without credentials can be disconnected', async (t) => {
  const { user } = await createWorld(t)
  const ada = await user()
  t.equal((await ada.call('DELETE', `/accounts/${await ada.account('instagram')}`)).status, 200)
  t.strictSame((await ada.call('GET', '/accounts')).body.data, [])
})

t.test('members of the organisation may post to an account, but not disconnect it', async (t) => {
  const { db, user, organization } = await createWorld(t)
  const [ada, bob, eve] = [await user(), await user(), await user()]
  const id = await ada.account('bluesky', { credentials, organizationId: await organization(ada, bob) })
  t.hasStrict(await bob.call('DELETE', `/accounts/${id}`), {
    status: 403,
    body: { error: 'Only the owner of an account, or an admin of its organisation, can disconnect it' },
  })
  t.hasStrict(await eve.call('DELETE', `/accounts/${id}`), NOT_FOUND, 'other users do not see it')
  t.ok(await findCredentials(db, id))
  t.equal((await bob.call('GET', '/accounts')).body.data.length, 1)
  t.equal((await ada.call('DELETE', `/accounts/${id}`)).status, 200)
  t.hasStrict(await bob.call('DELETE', `/accounts/${id}`), NOT_FOUND, 'nor do members, once it is disconnected')
})

t.test('an invalid id is not found', async (t) => {
  const { user } = await createWorld(t)
  const ada = await user()
  const id = await ada.account('bluesky', { credentials })
  for (const wrong of ['x', '%00', '%20', id.toUpperCase(), `${id}%0a`, 'x'.repeat(200), id.replaceAll('-', '')]) {
    t.hasStrict(await ada.call('DELETE', `/accounts/${wrong}`), NOT_FOUND, wrong)
  }
  t.equal((await ada.call('GET', '/accounts')).body.data.length, 1)
})

t.test('a body, or a Content-Type without a body, is ignored', async (t) => {
  const { app, user } = await createWorld(t)
  const ada = await user()
  const headers = { authorization: `Bearer ${ada.key}`, 'content-type': 'application/json' }
  const url = `/api/v1/accounts/${await ada.account()}`
  t.equal((await app.inject({ method: 'DELETE', url, headers })).statusCode, 200)
  t.equal((await call(app, ada.key, 'DELETE', `/accounts/${await ada.account()}`, { a: 1 })).status, 200)
})

t.test('concurrent calls are a 200 or a 404', async (t) => {
  const { user } = await createWorld(t)
  const ada = await user()
  const id = await ada.account('bluesky', { credentials })
  const replies = await Promise.all(Array.from({ length: 8 }, () => ada.call('DELETE', `/accounts/${id}`)))
  for (const { status } of replies) t.ok(status === 200 || status === 404)
  t.ok(replies.some(({ status }) => status === 200))
})
