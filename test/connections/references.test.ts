import t from 'tap'
import { redirectBack } from '../helpers/connect-oauth.ts'
import { assertIssues, toRaw } from '../helpers/rejections.ts'
import { grantedAccount } from '../helpers/scripted-oauth.ts'
import { createConnectionWorld } from './scene.ts'

const OWN = { externalReference: 'customer-1', metadata: { plan: 'pro', 'a b': '🌱' } }

const pairs = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`key${index}`, 'a']))

t.test('all accounts of a connection get its externalReference and metadata', async (t) => {
  const { ada, oauth, create, connect, read, accounts } = await createConnectionWorld(t)
  oauth.accounts = [grantedAccount('1'), grantedAccount('2')]
  const created = await create(OWN)
  t.hasStrict(created, { status: 201, body: OWN })
  t.hasStrict(await read(created.body.id), OWN)
  const connection = await connect(OWN)
  t.equal(connection.state, 'choosing')
  const { body } = await ada.call('POST', `/connections/${connection.id}/choose`, { ids: ['1', '2'] })
  t.equal(body.accounts.length, 2)
  for (const account of [body, ...body.accounts, ...(await accounts())]) t.hasStrict(account, OWN)
})

t.test('an account that is connected again keeps its metadata, or gets that of the connection instead', async (t) => {
  const { connect } = await createConnectionWorld(t)
  const [{ id }] = (await connect(OWN)).accounts
  const again = async (body: object) => {
    const { accounts } = await connect({ accountId: id, ...body }, redirectBack())
    return accounts.map(({ externalReference, metadata }: typeof OWN) => ({ externalReference, metadata }))
  }
  t.strictSame(await again({}), [OWN])
  t.strictSame(await again({ metadata: { plan: 'free' } }), [{ ...OWN, metadata: { plan: 'free' } }])
  t.strictSame(await again({ metadata: {} }), [{ ...OWN, metadata: {} }])
})

t.test('the reference and the metadata of a connection have the limits of accounts', async (t) => {
  const { db, create } = await createConnectionWorld(t)
  const cases: [body: object, code: string, path: string[]][] = [
    [{ externalReference: 'a'.repeat(256) }, 'too_big', ['externalReference']],
    [{ metadata: pairs(21) }, 'too_big', ['metadata']],
    [{ metadata: { a: 1 } }, 'invalid_type', ['metadata', 'a']],
    [{ metadata: { a: 'v'.repeat(501) } }, 'too_big', ['metadata', 'a']],
    [{ metadata: { ['k'.repeat(41)]: 'a' } }, 'too_big', ['metadata', 'k'.repeat(41)]],
    [{ metadata: null }, 'invalid_type', ['metadata']],
  ]
  for (const [body, code, path] of cases) {
    assertIssues(t, toRaw(await create(body)), [{ code, path }], JSON.stringify(body).slice(0, 60))
  }
  t.strictSame(await db.selectFrom('connections').selectAll().execute(), [])
  const largest = { externalReference: 'a'.repeat(255), metadata: { ...pairs(19), ['k'.repeat(40)]: 'v'.repeat(500) } }
  t.equal((await create(largest)).status, 201)
})
