import t from 'tap'
import { disconnectAccount } from '../../db/queries/disconnect.ts'
import { deleteMembership } from '../../db/queries/people.ts'
import { type Account, NOT_CONNECTED } from '../../schemas/account.ts'
import { createWorld } from '../helpers/app.ts'
import { scriptedNetwork } from '../helpers/scripted-network.ts'

t.test('the list has the connected accounts of the user and of their organisations, and no others', async (t) => {
  const { db, user, organization } = await createWorld(t)
  const [ada, bob, eve] = [await user('ada'), await user('bob'), await user('eve')]
  const shared = await organization(ada, bob)
  const foreign = await organization(eve)

  const own = await ada.account('x', { username: 'ada' })
  const throughOrganization = await bob.account('linkedin', { username: 'acme', organizationId: shared })
  const disconnected = await ada.account('threads')
  await disconnectAccount(db, disconnected)
  await bob.account('mastodon')
  await eve.account('bluesky', { organizationId: foreign })

  const ids = async () => (await ada.call('GET', '/accounts')).body.data.map(({ id }: { id: string }) => id)
  t.same(await ids(), [own, throughOrganization])

  await deleteMembership(db, { userId: ada.id, organizationId: shared })
  t.same(await ids(), [own], 'access ends with the membership')
})

t.test('an account has the documented fields, and no displayName if it is unknown', async (t) => {
  const { db, user } = await createWorld(t, { networks: {} })
  const ada = await user()
  const id = await ada.account('reddit', { username: 'ada' })
  const { status, body } = await ada.call('GET', '/accounts')
  t.equal(status, 200)
  const attention = NOT_CONNECTED
  const owned = { ownerId: ada.id, isOwner: true, canDisconnect: true }
  t.strictSame(body, { data: [{ id, platform: 'reddit', username: 'ada', attention, ...owned }] })

  await db.updateTable('accounts').set({ displayName: 'Ada L.' }).execute()
  const named = await ada.call('GET', '/accounts')
  t.strictSame(named.body, {
    data: [{ id, platform: 'reddit', username: 'ada', displayName: 'Ada L.', attention, ...owned }],
  })
  t.strictSame(Object.keys(named.body.data[0]), [
    'id',
    'platform',
    'username',
    'ownerId',
    'isOwner',
    'canDisconnect',
    'displayName',
    'attention',
  ])
})

t.test('a parameter of other APIs for paging and filters is a 400, and any other unknown one is ignored', async (t) => {
  const ada = await (await createWorld(t)).user()
  for (const [name, reason] of [
    ['page', 'the list has no pages, and returns everything'],
    ['per_page', 'the list has no pages, and returns everything'],
    ['since', 'the list has no filter on a time'],
    ['postType', 'the list has no filter on a type'],
  ]) {
    const { status, body } = await ada.call('GET', `/accounts?${name}=1`)
    t.strictSame([status, body.details?.[0].message], [400, `Unrecognized parameter '${name}': ${reason}`])
  }
  t.equal((await ada.call('GET', '/accounts?fields=id&x=1')).status, 200)
})

t.test('attention says why nothing can be published to an account, and is absent otherwise', async (t) => {
  const networks = { bluesky: scriptedNetwork(), mastodon: scriptedNetwork() }
  const { db, user } = await createWorld(t, { networks })
  const ada = await user()
  const connected = await ada.account('bluesky', { credentials: { password: 'secret' } })
  const added = await ada.account('bluesky', { username: 'added' })
  const refused = await ada.account('mastodon', { credentials: { accessToken: 'secret' } })
  const attention = { code: 'unauthorized', message: 'the token is invalid', since: '2026-11-21T08:15:30.123Z' }
  await db
    .updateTable('accounts')
    .set({ attention: JSON.stringify(attention) })
    .where('id', '=', refused)
    .execute()
  const { body } = await ada.call('GET', '/accounts')
  t.strictSame(
    body.data.map(({ id, attention }: Account) => [id, attention]),
    [
      [connected, undefined],
      [added, NOT_CONNECTED],
      [refused, attention],
    ],
  )
})

t.test('an owner who is also a member sees an account once', async (t) => {
  const { user, organization } = await createWorld(t)
  const ada = await user()
  const id = await ada.account('x', { organizationId: await organization(ada) })
  const { body } = await ada.call('GET', '/accounts')
  t.strictSame(
    body.data.map((account: { id: string }) => account.id),
    [id],
  )
})

t.test('an account tells whose it is, and whether the caller may disconnect it', async (t) => {
  const { user, organization } = await createWorld(t)
  const [ada, bob] = [await user(), await user()]
  const organizationId = await organization(ada, bob)
  const own = await ada.account('x')
  const shared = await bob.account('x', { organizationId })
  const { body } = await ada.call('GET', '/accounts')
  const [first, second] = body.data
  t.hasStrict(first, { id: own, ownerId: ada.id, isOwner: true, canDisconnect: true })
  t.notOk('organizationId' in first)
  t.hasStrict(second, { id: shared, ownerId: bob.id, isOwner: false, canDisconnect: false, organizationId })
  for (const { id, canDisconnect } of body.data) {
    const { status } = await ada.call('DELETE', `/accounts/${id}`)
    t.equal(status, canDisconnect ? 200 : 403)
  }
})

const FOUND = {
  'platform=x': ['b', 'a2'],
  'organizationId=ORGANIZATION': ['b'],
  'organizationId=ORGANIZATION&platform=bluesky': [],
  'organizationId=FOREIGN': 403,
  'organizationId=00000000-0000-7000-8000-000000000000': 403,
  'attention=true': ['b', 'a2'],
  'attention=false': ['a10'],
  'attention=true&platform=bluesky': [],
  'sort=username': ['a2', 'a10', 'b'],
  'sort=platform&order=desc': ['a2', 'b', 'a10'],
  'order=desc': ['a2', 'a10', 'b'],
  'unknown=1': ['b', 'a10', 'a2'],
  'platforms=x': 400,
  'platform=myspace': 400,
}

t.test('filters and orders apply together, a mistyped one and an organisation of others are rejected', async (t) => {
  const { user, organization } = await createWorld(t)
  const ada = await user()
  const foreign = await organization(await user())
  const organizationId = await organization(ada)
  const names: Record<string, string> = {
    [await ada.account('x', { username: 'b', organizationId })]: 'b',
    [await ada.account('bluesky', { username: 'a10', credentials: { password: 'secret' } })]: 'a10',
    [await ada.account('x', { username: 'a2' })]: 'a2',
  }
  const list = async (query: string) => {
    const { status, body } = await ada.call('GET', `/accounts?${query}`)
    return status === 200 ? body.data.map(({ id }: Account) => names[id]) : status
  }
  const found: Record<string, unknown> = {}
  for (const query of Object.keys(FOUND)) {
    found[query] = await list(query.replace('ORGANIZATION', organizationId).replace('FOREIGN', foreign))
  }
  t.strictSame(found, FOUND)
})

t.test('one account is as in the list, and hidden from others', async (t) => {
  const { user } = await createWorld(t)
  const [ada, eve] = [await user(), await user()]
  const id = await ada.account('x')
  const [listed] = (await ada.call('GET', '/accounts')).body.data
  t.strictSame((await ada.call('GET', `/accounts/${id}`)).body, listed)
  for (const [person, path] of [
    [eve, id],
    [ada, 'a'],
  ] as const) {
    t.hasStrict(await person.call('GET', `/accounts/${path}`), {
      status: 404,
      headers: { 'x-error-code': 'account_not_found' },
    })
  }
})
