import { sql } from 'kysely'
import t from 'tap'
import { upsertMembership } from '../../db/queries/people.ts'
import { PublishError } from '../../src/platforms/contract/publish-error.ts'
import { createBrowser, redirectBack } from '../helpers/connect-oauth.ts'
import { grantedAccount } from '../helpers/scripted-oauth.ts'
import { createConnectionWorld } from './scene.ts'

t.test('a user who refuses leaves a failed connection, in the words of each network', async (t) => {
  const { connect, accounts } = await createConnectionWorld(t)
  for (const parameters of [
    { error: 'access_denied', error_description: 'The user denied access' },
    { error: 'user_cancelled_login' },
    { error: 'user_cancelled_authorize' },
    { error: 'any', error_reason: 'user_denied' },
  ] as Record<string, string>[]) {
    const connection = await connect({}, redirectBack(parameters))
    t.strictSame(connection.error, { code: 'denied', message: 'The access was refused at x' }, parameters.error!)
    t.equal(connection.state, 'failed')
  }
  t.strictSame(await accounts(), [])
})

t.test('a network that refuses is quoted', async (t) => {
  const { connect } = await createConnectionWorld(t)
  const refusal = { error: 'unauthorized_scope_error', error_description: 'Scope "a" is <b>not</b>\u0000 authorized' }
  t.strictSame((await connect({}, redirectBack(refusal))).error, {
    code: 'network_refused',
    message: 'x: Scope "a" is <b>not</b>  authorized',
  })
  t.equal((await connect({}, redirectBack({}))).error.message, 'x: the browser came back without a code')
})

t.test('a link works once, in one browser, and not for programs that only look at it', async (t) => {
  const { app, create, read } = await createConnectionWorld(t)
  const { id, url } = (await create()).body
  const { pathname } = new URL(url)
  t.equal((await app.inject({ method: 'HEAD', url: pathname })).statusCode, 404)
  t.equal((await read(id)).state, 'pending', 'HEAD does not open it')
  const replies = await Promise.all(Array.from({ length: 4 }, () => createBrowser(app).get(url)))
  t.strictSame(replies.map(({ status }) => status).sort(), [303, 410, 410, 410])
  const again = await createBrowser(app).get(url)
  t.equal(again.status, 410)
  t.match(again.body, 'used already')
  t.equal((await createBrowser(app).get('/connect/unknown')).status, 404)
})

t.test('a program that looks at a link with GET does not spend it', async (t) => {
  const { app, create, read, oauth } = await createConnectionWorld(t)
  const { id, url } = (await create()).body
  const [program, person] = [createBrowser(app), createBrowser(app)]
  const before = await program.get(url)
  const looked = await redirectBack()(new URL(before.location!))
  const page = await person.get(url)
  t.match(page.body, /<form method="post">/)
  const onward = await person.post(url, new URLSearchParams())
  t.equal(onward.status, 200)
  const [, target] = /http-equiv="refresh" content="0; url=([^"]+)"/.exec(onward.body)!
  const callback = await redirectBack()(new URL(target!.replaceAll('&amp;', '&')))
  t.equal((await program.get(url)).status, 410, 'another look changes nothing')
  t.equal((await program.get(String(looked))).status, 404, 'the flow of the program has ended')
  t.equal((await program.get(String(callback))).status, 403)
  t.strictSame([(await read(id)).state, oauth.finished.length], ['opened', 0])
  await person.get(String(callback))
  t.equal((await read(id)).state, 'connected')
  const late = await person.post(url, new URLSearchParams())
  t.equal(late.status, 410)
  t.notMatch(late.body, /<form/)
})

t.test('a flow that is coming back is not begun again', async (t) => {
  const { app, db, create } = await createConnectionWorld(t)
  const { url } = (await create()).body
  const browser = createBrowser(app)
  await browser.get(url)
  await db.updateTable('connections').set({ stateHash: null }).execute()
  const late = await browser.post(url, new URLSearchParams())
  t.equal(late.status, 410)
  t.notMatch(late.body, /<form/)
  t.equal((await browser.post('/connect/unknown', new URLSearchParams())).status, 404)
})

t.test('a callback in another browser connects nothing, and the first browser can still finish', async (t) => {
  const { app, open, read, oauth } = await createConnectionWorld(t)
  const { id, browser, callback } = await open()
  const stranger = createBrowser(app)
  const refused = await stranger.get(callback)
  t.equal(refused.status, 403)
  t.equal((await stranger.get(`/connect/result/${id}`)).status, 403)
  t.strictSame([(await read(id)).state, oauth.finished.length], ['opened', 0])
  await browser.get(callback)
  t.equal((await read(id)).state, 'connected')
})

t.test('a state that is forged, repeated or of another connection leads nowhere', async (t) => {
  const { db, open, read, oauth } = await createConnectionWorld(t)
  const [first, second] = [await open(), await open()]
  const url = new URL(first.callback)
  const withState = (...states: string[]) => {
    const forged = new URL(url)
    forged.searchParams.delete('state')
    for (const state of states) forged.searchParams.append('state', state)
    return forged.href
  }
  const state = url.searchParams.get('state')!
  for (const forged of [withState(), withState(''), withState('a'), withState(state, state), withState(`${state}a`)]) {
    t.equal((await first.browser.get(forged)).status, 404, forged.replace(state, '…'))
  }
  t.equal((await first.browser.get(second.callback)).status, 403, 'the cookie belongs to one connection')
  t.equal(oauth.finished.length, 0)
  const doubled = new URL(first.callback)
  doubled.searchParams.append('code', 'another-code')
  await first.browser.get(doubled.href)
  t.equal((await read(first.id)).error.code, 'network_refused', 'two codes are none')
  t.equal((await first.browser.get(first.callback)).status, 404, 'a state is spent by its first use')
  const [row] = await db.selectFrom('connections').select('stateHash').where('id', '=', second.id).execute()
  t.notOk(
    row!.stateHash!.toString().includes(new URL(second.callback).searchParams.get('state')!),
    'only hashes are stored',
  )
})

t.test('of two callbacks at the same time, one exchanges the code', async (t) => {
  const { open, read, oauth, accounts } = await createConnectionWorld(t)
  const { id, browser, callback } = await open()
  const replies = await Promise.all([browser.get(callback), browser.get(callback), browser.get(callback)])
  t.equal(oauth.finished.length, 1)
  t.ok(replies.every(({ status }) => [303, 404, 409].includes(status)))
  t.equal((await read(id)).state, 'connected')
  t.equal((await accounts()).length, 1)
})

t.test('an account that is connected again keeps its id and its posts, and gets the new tokens', async (t) => {
  const { db, ada, oauth, connect, accounts, credentials } = await createConnectionWorld(t)
  const [{ id }] = (await connect({ externalReference: 'customer-1' })).accounts
  const post = await ada.call('POST', '/posts', { accountIds: [id], scheduledAt: '2030-01-01T00:00:00Z', caption: 'a' })
  await sql`update accounts set attention = '{"code": "unauthorized", "message": "gone"}'`.execute(db)
  oauth.accounts = [
    grantedAccount('1', { credentials: { accessToken: 'a-newer-token' }, scopes: ['write'], expiresAt: null }),
  ]
  const again = await connect()
  t.equal(again.accounts[0].id, id)
  t.strictSame(await credentials(id), { accessToken: 'a-newer-token' })
  t.strictSame(await accounts(), [
    {
      id,
      platform: 'x',
      username: 'user1',
      displayName: 'User 1',
      scopes: ['write'],
      externalReference: 'customer-1',
      ownerId: ada.id,
      isOwner: true,
      canDisconnect: true,
    },
  ])
  t.equal((await ada.call('GET', `/posts/${post.body.id}`)).body.targets[0].accountId, id)
  const named = await connect({ accountId: id })
  t.strictSame([named.state, named.accounts[0].id], ['connected', id])
})

t.test('a consent to another account than the one to connect again changes nothing', async (t) => {
  const { ada, oauth, connect, open, read, credentials } = await createConnectionWorld(t)
  const [{ id }] = (await connect()).accounts
  oauth.accounts = [grantedAccount('2')]
  t.strictSame((await connect({ accountId: id })).error, {
    code: 'other_account',
    message: 'The consent is for another account on x',
  })
  t.strictSame(await credentials(id), grantedAccount('1').tokens.credentials)
  oauth.accounts = [grantedAccount('3'), grantedAccount('1')]
  const chosen = await connect({ accountId: id })
  t.strictSame([chosen.state, chosen.accounts.length, chosen.accounts[0].id], ['connected', 1, id], 'without a choice')

  const late = await open({ accountId: id })
  await ada.call('DELETE', `/accounts/${id}`)
  await late.browser.get(late.callback)
  t.equal((await read(late.id)).error.code, 'account_disconnected')
})

t.test('an account that another user of the organisation has connected is refused, and nobody is named', async (t) => {
  const { user, organization, promote, ada, app, connect, accounts } = await createConnectionWorld(t)
  const bob = await user('bob')
  const organizationId = await organization(ada)
  await promote(organizationId, bob)
  await connect({}, redirectBack(), bob)
  t.equal((await connect()).state, 'connected', 'an account that is not shared is no obstacle')
  await ada.call('DELETE', `/accounts/${(await accounts())[0].id}`)
  await connect({ organizationId }, redirectBack(), bob)
  const refused = await connect()
  t.equal(refused.error.code, 'owned_elsewhere')
  t.notMatch(JSON.stringify(refused), /bob|user1/)
  t.ok(app)
})

t.test('a connection for an organisation fails if its user is no admin any more', async (t) => {
  const { db, ada, user, organization, promote, create, open, read, accounts } = await createConnectionWorld(t)
  const organizationId = await organization(ada)
  await promote(organizationId, await user('bob'))
  t.equal((await create({ organizationId })).headers['x-error-code'], 'not_organization_admin')
  await promote(organizationId, ada)
  const { id, browser, callback } = await open({ organizationId })
  await upsertMembership(db, { userId: ada.id, organizationId, role: 'member' })
  await browser.get(callback)
  t.equal((await read(id)).error.code, 'not_organization_admin')
  t.strictSame(await accounts(), [])
})

t.test('fewer scopes than publishing needs end the connection, other ones are shown', async (t) => {
  const { oauth, connect } = await createConnectionWorld(t)
  oauth.accounts = [grantedAccount('1', { scopes: ['read'] })]
  t.strictSame((await connect()).error, {
    code: 'scopes_missing',
    message: 'Publishing to x needs these scopes: write',
  })
  oauth.accounts = [grantedAccount('1', { scopes: ['write'] }), grantedAccount('2', { scopes: [] })]
  t.strictSame((await connect()).accounts[0].scopes, ['write'], 'what cannot be published to is not offered')
})

t.test('a user without an account that can be published to has nothing to choose', async (t) => {
  const { oauth, connect } = await createConnectionWorld(t)
  oauth.accounts = []
  t.equal((await connect()).error.code, 'nothing_to_choose')
})

t.test('a connection that does not end in time expires, and a sweep forgets its secrets', async (t) => {
  const { app, db, create, open, read, oauth } = await createConnectionWorld(t)
  const { id, browser, callback } = await open()
  const pending = (await create()).body
  await db
    .updateTable('connections')
    .set({ expiresAt: new Date(Date.now() - 1) })
    .execute()
  t.equal((await browser.get(callback)).status, 410)
  t.equal((await createBrowser(app).get(pending.url)).status, 410)
  t.strictSame([(await read(id)).state, oauth.finished.length], ['expired', 0])
})

t.test('a network that cannot be reached leaves the link as it is, and one that refuses ends it', async (t) => {
  const { app, create, read, oauth, connect } = await createConnectionWorld(t)
  const { id, url } = (await create()).body
  const options = { code: 'unreachable', maybeSent: false, retryable: true }
  oauth.beginError = new PublishError('x.example could not be reached', options)
  t.equal((await createBrowser(app).get(url)).status, 502)
  t.equal((await read(id)).state, 'pending')
  oauth.beginError = new PublishError('no such server', { ...options, retryable: false })
  t.equal((await createBrowser(app).get(url)).status, 200)
  t.strictSame((await read(id)).error, { code: 'network_refused', message: 'x: no such server' })
  oauth.beginError = undefined
  oauth.finishError = new PublishError('x.example did not respond in time', options)
  t.equal((await connect()).error.code, 'network_unavailable')
})
