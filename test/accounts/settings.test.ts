import t, { type Test } from 'tap'
import type { Scope } from '../../schemas/scopes.ts'
import { createWorld, type Person } from '../helpers/app.ts'
import { readAllEvents } from '../helpers/events.ts'
import { withKey } from '../helpers/mcp.ts'

const codeOf = ({ status, headers }: Awaited<ReturnType<Person['call']>>) => [status, headers['x-error-code']]

async function createScene(t: Test) {
  const world = await createWorld(t)
  const ada = await world.user('ada')
  const id = await ada.account('pinterest', { username: 'ada' })
  const change = (body: object, headers?: Record<string, string>) => ada.call('PATCH', `/accounts/${id}`, body, headers)
  const read = async () => (await ada.call('GET', `/accounts/${id}`)).body
  return { ...world, ada, id, change, read }
}

t.test('an own display name replaces that of the network, also after the network changes its own', async (t) => {
  const { db, id, change, read } = await createScene(t)
  const renamed = await change({ displayName: 'Berlin' })
  t.equal(renamed.status, 200)
  t.hasStrict(renamed.body, { id, displayName: 'Berlin', networkDisplayName: undefined })
  await db.updateTable('accounts').set({ displayName: 'Ada L.' }).execute()
  t.hasStrict(await read(), { displayName: 'Berlin', networkDisplayName: 'Ada L.' })
  const { body } = await change({ displayName: null })
  t.hasStrict(body, { displayName: 'Ada L.', networkDisplayName: undefined })
  t.strictSame(await read(), body)
})

t.test('connecting the account again keeps its settings', async (t) => {
  const ada = await (await createWorld(t)).user()
  const connect = { platform: 'sandbox', credentials: { username: 'ada', displayName: 'Ada' } }
  const { body: account } = await ada.call('POST', '/accounts', connect)
  const settings = { displayName: 'Berlin', defaultFields: { boardId: '1' }, tags: ['Berlin'] }
  t.equal((await ada.call('PATCH', `/accounts/${account.id}`, settings)).status, 200)
  const again = await ada.call('POST', '/accounts', connect)
  t.equal(again.status, 200)
  t.hasStrict(again.body, { id: account.id, ...settings, networkDisplayName: 'Ada' })
})

t.test('tags replace those before, and accounts, deliveries and counts are found by one', async (t) => {
  const ada = await (await createWorld(t)).user()
  const [id, other] = [await ada.account('sandbox'), await ada.account('sandbox')]
  const change = (body: object) => ada.call('PATCH', `/accounts/${id}`, body)
  t.strictSame((await change({ tags: ['Berlin', 'a b', 'Berlin'] })).body.tags, ['Berlin', 'a b'])
  for (const tag of ['', ' Berlin', 'Berlin ', 'a\nb', 'a'.repeat(51)]) {
    t.strictSame((await change({ tags: [tag] })).body.details[0].path, ['tags', 0], tag)
  }
  t.strictSame((await change({ tags: Array.from({ length: 21 }, String) })).body.details[0].path, ['tags'])
  t.strictSame(
    (await ada.call('GET', `/accounts/${id}`)).body.tags,
    ['Berlin', 'a b'],
    'a tag that is refused changes nothing',
  )

  const body = { accountIds: [id, other], caption: 'a', scheduledAt: '2100-01-01T00:00:00Z' }
  t.equal((await ada.call('POST', '/posts', body)).status, 201)
  const find = async (path: string) => (await ada.call('GET', path)).body.data
  t.match(await find('/accounts?tag=Berlin'), [{ id }])
  t.strictSame(await find('/accounts?tag=berlin'), [])
  t.match(await find('/deliveries?accountTag=a%20b'), [{ accountId: id }])
  t.strictSame(await find('/posts/counts?by=account&accountTag=Berlin'), [{ value: id, count: 1 }])

  t.notOk('tags' in (await change({ tags: [] })).body)
  t.strictSame(await find('/deliveries?accountTag=Berlin'), [])
})

t.test('defaults are merged, and those that the network does not take are rejected without an effect', async (t) => {
  const { change, read } = await createScene(t)
  const set = async (defaultFields: object | null) => (await change({ defaultFields })).body.defaultFields
  t.strictSame(await set({ boardId: '1', title: 'A' }), { boardId: '1', title: 'A' })
  t.strictSame(await set({ title: null, boardSectionId: '2' }), { boardId: '1', boardSectionId: '2' })

  const wrong = async (defaultFields: object, displayName = 'B') => {
    const { status, body } = await change({ defaultFields, displayName })
    return [status, body.details?.[0].path ?? body.error, body.details?.[0].message]
  }
  t.strictSame(await wrong({ boardId: 5 }), [
    400,
    'pinterest (@ada): field boardId is a number, expected a string',
    undefined,
  ])
  t.strictSame(await wrong({ title: 'a'.repeat(101) }), [
    400,
    'pinterest (@ada): field title is 101 characters long, at most 100 are allowed',
    undefined,
  ])
  t.strictSame(await wrong({ bordId: '1' }), [
    400,
    ['defaultFields', 'bordId'],
    '"bordId" is unknown and has no effect: did you mean boardId?',
  ])
  t.strictSame(await wrong({ boardId: 'é'.repeat(2048) }), [
    400,
    ['defaultFields'],
    'Would be 4131 bytes as JSON: at most 4096 are allowed',
  ])
  t.strictSame(await wrong({ boardId: '3' }, ' '), [
    400,
    ['displayName'],
    'Must have a character that is not white space',
  ])
  t.hasStrict(await read(), { defaultFields: { boardId: '1', boardSectionId: '2' }, displayName: undefined })
  t.equal(await set(null), undefined)
})

t.test('a change applies to the version that was seen, and each change is an event that names the key', async (t) => {
  const { db, ada, id, change } = await createScene(t)
  const seen = await ada.call('GET', `/accounts/${id}`)
  const etag = String(seen.headers.etag)
  t.equal((await ada.call('GET', `/accounts/${id}`, undefined, { 'if-none-match': etag })).status, 304)
  const changed = await change({ displayName: 'B', defaultFields: { boardId: '1' } }, { 'if-match': etag })
  t.equal(changed.status, 200)
  const late = await change({ displayName: 'C' }, { 'if-match': etag })
  t.strictSame([...codeOf(late), late.headers.etag], [412, 'precondition_failed', changed.headers.etag])
  t.match(late.body.error, 'the account has changed')
  t.equal((await ada.call('GET', `/accounts/${id}`)).headers.etag, changed.headers.etag)
  await change({ displayName: 'B' })

  const [created, ...events] = await readAllEvents(db, ada, '&types=account.*')
  t.equal(created!.type, 'account.connected')
  const { body: key } = await ada.call('GET', '/key')
  t.match(events, [
    {
      type: 'account.updated',
      data: { accountId: id, username: 'ada', changed: ['displayName', 'defaultFields'], actor: { keyId: key.id } },
    },
  ])
  t.equal(events.length, 1, 'a change of nothing is no event')
})

t.test('only who may publish for the account changes what its posts begin with', async (t) => {
  const world = await createWorld(t)
  const { user, organization, promote } = world
  const [ada, bob, cyd, eve] = [await user(), await user(), await user(), await user()]
  const organizationId = await organization(ada, bob, cyd)
  await promote(organizationId, bob)
  const id = await ada.account('sandbox', { organizationId })
  const other = await ada.account('sandbox')
  const change = (caller: Pick<Person, 'call'>, body: object = { displayName: 'B' }) =>
    caller.call('PATCH', `/accounts/${id}`, body)
  t.equal((await change(ada)).status, 200)
  t.equal((await change(bob, { defaultFields: { boardId: '1' } })).status, 200, 'an admin of its organisation')
  t.strictSame(codeOf(await change(cyd)), [403, 'not_account_owner'])
  t.strictSame(codeOf(await change(eve)), [404, 'account_not_found'])

  const key = (scopes: Scope[], accountIds?: string[]) =>
    withKey(world, ada, { scopes, ...(accountIds && { accountIds }) })
  const drafts = await key(['accounts:connect', 'posts:write'])
  t.equal((await change(drafts)).status, 200)
  for (const defaultFields of [{ boardId: '2' }, {}, null]) {
    t.strictSame(codeOf(await change(drafts, { defaultFields })), [403, 'insufficient_scope'])
  }
  t.strictSame(codeOf(await change(await key(['posts:publish', 'accounts:read']))), [403, 'insufficient_scope'])
  const publisher: Scope[] = ['accounts:connect', 'posts:publish']
  t.strictSame(codeOf(await change(await key(publisher, [other]))), [404, 'account_not_found'])
  t.equal((await change(await key(publisher, [id]), { defaultFields: { boardId: '3' } })).status, 200)
})

t.test('only a key that may publish pauses an account, and each change is an event', async (t) => {
  const world = await createScene(t)
  const { ada, change, read } = world
  const connector = await withKey(world, ada, { scopes: ['accounts:connect', 'accounts:read'] })
  const { id } = await read()
  t.strictSame(codeOf(await connector.call('PATCH', `/accounts/${id}`, { paused: true })), [403, 'insufficient_scope'])
  for (const paused of [true, true, false, false]) t.equal((await change({ paused })).status, 200)
  const events = (await readAllEvents(world.db, ada)).filter(({ type }) => type === 'account.updated')
  t.strictSame(
    events.map(({ data }) => (data as { changed: string[] }).changed),
    [['paused'], ['paused']],
  )
})
