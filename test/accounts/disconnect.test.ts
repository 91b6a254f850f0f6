import t from 'tap'
import { call, createWorld, findCredentials } from '../helpers/app.ts'

const NOT_FOUND = { status: 404, body: { error: 'Account not found' } }
const credentials = { password: 'secret' }

t.test('the owner disconnects an account: it leaves the list, and its credentials are gone', async (t) => {
  const { db, user } = await createWorld(t)
  const ada = await user()
  const id = await ada.account('bluesky', { credentials })
  const kept = await ada.account('bluesky', { username: 'kept', credentials })
  t.match(await ada.call('DELETE', `/accounts/${id}`), { status: 200, body: { success: true } })
  t.match((await ada.call('GET', '/accounts')).body.data, [{ id: kept }])
  t.equal(await findCredentials(db, id), undefined)
  t.ok(await findCredentials(db, kept))
  t.match(await ada.call('DELETE', `/accounts/${id}`), NOT_FOUND, 'it is not there a second time')
})

t.test('what was never connected is taken off the list in the same way', async (t) => {
  const { user } = await createWorld(t)
  const ada = await user()
  t.equal((await ada.call('DELETE', `/accounts/${await ada.account('instagram')}`)).status, 200)
  t.strictSame((await ada.call('GET', '/accounts')).body.data, [])
})

t.test('a member of the organisation may post to an account, and may not disconnect it', async (t) => {
  const { db, user, organization } = await createWorld(t)
  const [ada, bob, eve] = [await user(), await user(), await user()]
  const id = await ada.account('bluesky', { credentials, organizationId: await organization(ada, bob) })
  t.match(await bob.call('DELETE', `/accounts/${id}`), {
    status: 403,
    body: { error: 'Only the owner of an account can disconnect it' },
  })
  t.match(await eve.call('DELETE', `/accounts/${id}`), NOT_FOUND, 'to others it is not there')
  t.ok(await findCredentials(db, id))
  t.equal((await bob.call('GET', '/accounts')).body.data.length, 1)
  t.equal((await ada.call('DELETE', `/accounts/${id}`)).status, 200)
  t.match(await bob.call('DELETE', `/accounts/${id}`), NOT_FOUND, 'nor to members when it is disconnected')
})

t.test('an id that is none is not found', async (t) => {
  const { user } = await createWorld(t)
  const ada = await user()
  const id = await ada.account('bluesky', { credentials })
  for (const wrong of ['x', '%00', '%20', id.toUpperCase(), `${id}%0a`, 'x'.repeat(200), id.replaceAll('-', '')]) {
    t.match(await ada.call('DELETE', `/accounts/${wrong}`), NOT_FOUND, wrong)
  }
  t.equal((await ada.call('GET', '/accounts')).body.data.length, 1)
})

t.test('a body, or a Content-Type without one, does not matter', async (t) => {
  const { app, user } = await createWorld(t)
  const ada = await user()
  const headers = { authorization: `Bearer ${ada.key}`, 'content-type': 'application/json' }
  const url = `/api/v1/accounts/${await ada.account()}`
  t.equal((await app.inject({ method: 'DELETE', url, headers })).statusCode, 200)
  t.equal((await call(app, ada.key, 'DELETE', `/accounts/${await ada.account()}`, { a: 1 })).status, 200)
})

t.test('calls that disconnect at once do no harm', async (t) => {
  const { user } = await createWorld(t)
  const ada = await user()
  const id = await ada.account('bluesky', { credentials })
  const replies = await Promise.all(Array.from({ length: 8 }, () => ada.call('DELETE', `/accounts/${id}`)))
  for (const { status } of replies) t.ok(status === 200 || status === 404)
  t.ok(replies.some(({ status }) => status === 200))
})
