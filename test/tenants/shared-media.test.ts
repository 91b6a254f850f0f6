import t from 'tap'
import { deleteMembership, upsertMembership } from '../../db/queries/people.ts'
import { createKey } from '../../src/features/auth/create-key.ts'
import { call, createWorld, type Person, type Reply } from '../helpers/app.ts'
import { repeating } from '../helpers/connect-oauth.ts'

const world = await createWorld(t)
const { app, db } = world
const user = async () => repeating(await world.user())
const codeOf = ({ status, headers }: Reply) => [status, headers['x-error-code']]
const idsOf = ({ body }: Reply): string[] => body.data.map(({ id }: { id: string }) => id)

/** An organisation with the admin `ada` and the member `bob`, and an account of it. */
async function createScene() {
  const [ada, bob] = [await user(), await user()]
  const organizationId = await world.organization(bob)
  await world.promote(organizationId, ada)
  const shared = await ada.account('sandbox', { organizationId })
  const post = async (person: Person, accountIds: string[], mediaIds: string[]) => {
    const { status, body } = await person.call('POST', '/posts', { accountIds, mediaIds, caption: 'a' })
    if (status !== 201) throw new Error(body.error)
    return body.id as string
  }
  const list = (person: Person, query = '') => person.call('GET', `/media?organizationId=${organizationId}${query}`)
  return { ada, bob, organizationId, shared, post, list }
}

t.test('an admin lists the files in posts of the organisation, and nobody else does', async (t) => {
  const { ada, bob, organizationId, shared, post, list } = await createScene()
  const own = await bob.account('sandbox')
  const [first, both, mixed, alone, unused] = await Promise.all(Array.from({ length: 5 }, () => bob.media()))
  await post(bob, [shared], [first!, both!, first!])
  await post(bob, [own], [both!, alone!])
  await post(bob, [shared, own], [mixed!])
  const [ofAda, hidden] = [await ada.media(), await ada.media()]
  await post(ada, [shared], [ofAda])
  const former = await user()
  await upsertMembership(db, { userId: former.id, organizationId, role: 'admin' })
  const left = await former.media()
  await post(former, [shared], [left])
  await deleteMembership(db, { userId: former.id, organizationId })

  const listed = await list(ada)
  t.strictSame(idsOf(listed), [first!, both!, ofAda].sort().reverse())
  for (const file of listed.body.data) {
    t.strictSame({ ...file, renditions: [] }, (await ada.call('GET', `/media/${file.id}`)).body)
  }
  t.strictSame(idsOf(await ada.call('GET', '/media')), [ofAda, hidden].sort().reverse(), 'without it, only own files')
  t.equal(idsOf(await bob.call('GET', '/media')).length, [first, both, mixed, alone, unused].length)

  t.strictSame(codeOf(await list(bob)), [403, 'not_organization_admin'])
  for (const person of [former, await user()]) t.strictSame(codeOf(await list(person)), [403, 'no_access'])
  const limits = { scopes: null, accountIds: [shared] }
  const { key } = await createKey(db, { userId: ada.id, name: null, expiresAt: null, ...limits })
  const limited = repeating({ ...ada, call: (...request) => call(app, key, ...request) })
  t.strictSame(codeOf(await list(limited)), [403, 'account_list'])
  t.equal((await limited.call('GET', '/media')).status, 200)
})

t.test('the pages of a list have every file once, however few of the files are in posts', async (t) => {
  const { ada, bob, shared, post, list } = await createScene()
  const wanted: string[] = []
  for (let index = 0; index < 230; index++) {
    const file = await (index % 2 === 0 ? bob : ada).media()
    if (index % 60 === 0 || index > 226) wanted.push(file)
  }
  for (const file of wanted)
    await post((await bob.call('GET', `/media/${file}`)).status === 200 ? bob : ada, [shared], [file])
  const seen: string[] = []
  let pages = 0
  for (let cursor: string | null = ''; cursor !== null; pages++) {
    const { status, body }: Reply = await list(ada, `&limit=2${cursor && `&cursor=${cursor}`}`)
    t.equal(status, 200)
    t.ok(body.data.length <= 2)
    seen.push(...body.data.map(({ id }: { id: string }) => id))
    cursor = body.nextCursor
  }
  t.strictSame(seen, [...wanted].sort().reverse())
  t.ok(pages <= 7, `${pages} pages`)
})

t.test('a mistyped filter and an offset are rejected', async (t) => {
  const { ada, organizationId, list } = await createScene()
  for (const [path, code, issuePath] of [
    [`/media?organisationId=${organizationId}`, 'unrecognized_keys', []],
    [`/media?organizationId=${organizationId}&offset=1`, 'custom', ['offset']],
    ['/media?organizationId=a', 'invalid_string', ['organizationId']],
  ] as const) {
    const { status, body } = await ada.call('GET', path)
    t.strictSame([status, body.details?.[0].code, body.details?.[0].path], [400, code, issuePath], path)
  }
  t.strictSame((await list(ada)).body, { data: [], limit: 25, offset: 0, nextCursor: null })
})
