import t, { type Test } from 'tap'
import { connectByOAuth, createBrowser, redirectBack } from '../helpers/connect-oauth.ts'
import { grantedAccount } from '../helpers/scripted-oauth.ts'
import { createConnectionWorld } from './scene.ts'

/** A connection whose user has consented to three accounts. */
async function createChoosing(t: Test, body: object = {}) {
  const world = await createConnectionWorld(t)
  world.oauth.accounts = [grantedAccount('1'), grantedAccount('2'), grantedAccount('3')]
  const { id, browser, callback } = await world.open(body)
  const { location } = await browser.get(callback)
  const choose = (ids: unknown) => world.ada.call('POST', `/connections/${id}/choose`, { ids })
  return { ...world, id, browser, location, choose }
}

t.test('of several accounts, those are connected that the program chooses', async (t) => {
  const { id, db, read, choose, accounts, credentials } = await createChoosing(t)
  const choosing = await read(id)
  t.equal(choosing.state, 'choosing')
  t.strictSame(choosing.choices[0], { id: '1', kind: 'profile', username: 'user1', displayName: 'User 1' })
  t.strictSame(await accounts(), [], 'nothing is connected before')

  t.equal((await choose([])).status, 400)
  t.match((await choose(['1', '4'])).body.details, [{ path: ['ids', 1] }])
  t.equal((await read(id)).state, 'choosing')

  const chosen = await choose(['3', '1', '1'])
  t.equal(chosen.status, 200)
  t.equal(chosen.body.state, 'connected')
  t.notOk('choices' in chosen.body)
  t.strictSame(
    chosen.body.accounts.map(({ username }: { username: string }) => username),
    ['user1', 'user3'],
  )
  t.strictSame(await credentials(chosen.body.accounts[1].id), grantedAccount('3').tokens.credentials)
  t.equal(chosen.body.accounts[0].credentialsExpireAt, '2100-01-01T00:00:00.000Z')
  t.hasStrict(await choose(['2']), { status: 409, headers: { 'x-error-code': 'connection_not_choosing' } })
  const row = await db.selectFrom('connections').selectAll().executeTakeFirstOrThrow()
  t.strictSame([row.data, row.dataKey, row.choices], [null, null, null], 'the other tokens are gone')
})

t.test('the person who consented chooses on a page', async (t) => {
  const { id, app, browser, location, read } = await createChoosing(t, {
    returnUrl: 'https://app.example.com/accounts',
  })
  t.equal(location, `/connect/result/${id}`)
  const page = await browser.get(location!)
  t.equal(page.status, 200)
  t.match(page.body, '<form method="post">')

  const stranger = createBrowser(app)
  t.equal((await stranger.get(location!)).status, 403, 'no other browser sees the page')
  t.equal((await stranger.post(location!, new URLSearchParams({ id: '1' }))).status, 403)

  const empty = await browser.post(location!, new URLSearchParams())
  t.equal(empty.status, 409)
  t.match(empty.body, 'Choose an account.')
  t.equal((await browser.post(location!, new URLSearchParams({ id: '9' }))).status, 409)

  const chosen = await browser.post(
    location!,
    new URLSearchParams([
      ['id', '1'],
      ['id', '2'],
    ]),
  )
  t.strictSame([chosen.status, chosen.location], [303, location])
  const end = await browser.get(location!)
  t.match(end.body, `content="0; url=https://app.example.com/accounts?connection=${id}&amp;state=connected"`)
  t.equal((await read(id)).accounts.length, 2)
})

t.test('an account that another user of the organisation has connected cannot be chosen, the others can', async (t) => {
  const { app, id, user, organization, promote, ada, oauth, choose, read } = await createChoosing(t)
  const bob = await user('bob')
  const organizationId = await organization(ada)
  await promote(organizationId, bob)
  oauth.accounts = [grantedAccount('2')]
  await connectByOAuth(app, bob, { platform: 'x', organizationId }, redirectBack())
  const refused = await choose(['1', '2'])
  t.hasStrict(refused, { status: 409, headers: { 'x-error-code': 'account_not_connectable' } })
  t.notMatch(refused.body.error, 'bob')
  t.equal((await read(id)).state, 'choosing')
  t.equal((await choose(['1', '3'])).status, 200)
})

t.test('a choice that comes too late finds neither the connection nor the tokens', async (t) => {
  const { id, db, browser, location, choose, read, accounts } = await createChoosing(t)
  await db
    .updateTable('connections')
    .set({ expiresAt: new Date(Date.now() - 1) })
    .execute()
  t.equal((await read(id)).state, 'expired')
  t.notOk('choices' in (await read(id)))
  t.equal((await choose(['1'])).status, 409)
  t.equal((await browser.get(location!)).status, 410)
  await browser.post(location!, new URLSearchParams({ id: '1' }))
  t.strictSame(await accounts(), [])
})
