import t from 'tap'
import { upsertMembership } from '../../db/queries/people.ts'
import { redirectBack } from '../helpers/connect-oauth.ts'
import { grantedAccount } from '../helpers/scripted-oauth.ts'
import { createConnectionWorld } from './scene.ts'

const RENEWED = grantedAccount('1', { credentials: { accessToken: 'renewed' } })

/** An organisation with the admin `ada` and the member `bob`, who owns an account of it. */
async function createScene(t: Parameters<typeof createConnectionWorld>[0]) {
  const world = await createConnectionWorld(t)
  const { user, organization, promote, ada, connect, db, oauth } = world
  const bob = await user('bob')
  const organizationId = await organization(ada)
  await promote(organizationId, bob)
  const { accounts } = await connect({ organizationId, externalReference: 'of-bob' }, redirectBack(), bob)
  const id: string = accounts[0].id
  const setRoles = async (ofAda: 'admin' | 'member', ofBob: 'admin' | 'member') => {
    await upsertMembership(db, { userId: ada.id, organizationId, role: ofAda })
    await upsertMembership(db, { userId: bob.id, organizationId, role: ofBob })
  }
  await setRoles('admin', 'member')
  await db
    .updateTable('accounts')
    .set({ attention: JSON.stringify({ code: 'reconnect_required', message: 'a', since: '2026-01-01T00:00:00Z' }) })
    .execute()
  oauth.accounts = [RENEWED]
  return { ...world, bob, organizationId, id, setRoles }
}

t.test('an admin connects an account of another member again, and it stays that of the member', async (t) => {
  const { ada, bob, id, organizationId, connect, accounts, credentials, user } = await createScene(t)
  const body = { accountIds: [id], caption: 'a', scheduledAt: '2030-01-01T00:00:00Z' }
  const { body: post } = await bob.call('POST', '/posts', body)
  const connection = await connect({ accountId: id })
  t.match(connection, { state: 'connected', accountId: id, organizationId, accounts: [{ id, ownerId: bob.id }] })
  t.strictSame(await credentials(id), RENEWED.tokens.credentials)
  const [account, ...others] = await accounts()
  t.hasStrict(account, { id, ownerId: bob.id, isOwner: false, organizationId, externalReference: 'of-bob' })
  t.strictSame([others, account.attention], [[], undefined])
  t.equal((await bob.call('GET', `/posts/${post.id}`)).body.targets[0].attention, undefined)
  const ofAdmin = await connect({ accountId: id, organizationId })
  t.equal(ofAdmin.state, 'connected', 'also with the organisation of the account')
  t.equal(
    (await connect({ accountId: id }, redirectBack(), bob)).accounts[0].isOwner,
    true,
    'nor does its owner lose it',
  )
  const other = await connect({ accountId: id }, redirectBack(), await user()).catch((error) => error)
  t.type(other, Error)
  t.equal((await ada.call('GET', '/accounts')).body.data.length, 1)
})

t.test('members, and admins of other organisations, do not', async (t) => {
  const { ada, bob, id, user, organization, promote, setRoles, create, credentials } = await createScene(t)
  const eve = await user()
  const elsewhere = await organization(bob)
  await promote(elsewhere, eve)
  const codeOf = ({ status, headers }: Awaited<ReturnType<typeof create>>) => [status, headers['x-error-code']]
  const begin = (person: typeof ada, body: object = {}) =>
    person.call('POST', '/connections', { platform: 'x', accountId: id, ...body })
  t.strictSame(codeOf(await begin(eve)), [403, 'no_access'])
  await promote(elsewhere, ada)
  const moved = await begin(ada, { organizationId: elsewhere })
  t.strictSame([moved.status, moved.body.details?.[0].path], [400, ['organizationId']], 'nor move it')
  await setRoles('member', 'admin')
  t.strictSame(codeOf(await begin(ada)), [403, 'not_account_owner'])
  await setRoles('member', 'member')
  t.strictSame(codeOf(await begin(ada)), [403, 'not_account_owner'], 'even while there is no admin')
  t.not((await credentials(id))?.accessToken, 'renewed')
})

t.test('an admin who is none any more at the end of the flow changes nothing', async (t) => {
  const { id, open, read, setRoles, credentials, bob, accounts } = await createScene(t)
  for (const ofBob of ['admin', 'member'] as const) {
    await setRoles('admin', 'member')
    const late = await open({ accountId: id })
    await setRoles('member', ofBob)
    await late.browser.get(late.callback)
    t.equal((await read(late.id)).error.code, 'not_organization_admin', ofBob)
  }
  await setRoles('admin', 'member')
  const late = await open({ accountId: id })
  await bob.call('DELETE', `/accounts/${id}`)
  await late.browser.get(late.callback)
  t.equal((await read(late.id)).error.code, 'account_disconnected')
  t.strictSame([await accounts(), await credentials(id)], [[], undefined])
})
