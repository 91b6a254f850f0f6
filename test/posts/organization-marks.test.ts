import t, { type Test } from 'tap'
import { createWorld, type Person } from '../helpers/app.ts'

/** An organisation of two members, of whom `ada` is an admin. */
async function createTeam(t: Test) {
  const world = await createWorld(t)
  const [ada, bob] = [await world.user(), await world.user()]
  const organizationId = await world.organization(ada, bob)
  await world.promote(organizationId, ada)
  const post = async (person: Person, ...accountIds: string[]): Promise<string> => {
    const { status, body } = await person.call('POST', '/posts', { accountIds, caption: 'hi' })
    if (status !== 201) throw new Error(JSON.stringify(body))
    return body.id
  }
  /** The ids of its posts, as two lists and the counts tell. */
  const listed = async () => {
    const ids = async (path: string, name: string) => {
      const { body } = await ada.call('GET', `${path}organizationId=${organizationId}`)
      return [...new Set<string>(body.data.map((item: Record<string, string>) => item[name]))]
    }
    const found = await ids('/posts?', 'id')
    t.strictSame(await ids('/posts?sort=updatedAt&order=asc&', 'id').then((other) => other.sort()), [...found].sort())
    t.strictSame(await ids('/deliveries?', 'postId'), found)
    const { body } = await ada.call('GET', `/posts/counts?by=status&organizationId=${organizationId}`)
    t.equal(body.data[0]?.count ?? 0, found.length)
    return found
  }
  const isMarked = async () => {
    const row = await world.db.selectFrom('organizations').select('postsUnmarkedSince').executeTakeFirstOrThrow()
    return row.postsUnmarkedSince === null
  }
  const move = (id: string, to: string | null) =>
    world.db.updateTable('accounts').set({ organizationId: to }).where('id', '=', id).execute()
  return { ...world, ada, bob, organizationId, post, listed, isMarked, move }
}

t.test('an organisation lists posts all of whose accounts belong to it', async (t) => {
  const { ada, bob, organizationId, post, listed, isMarked } = await createTeam(t)
  const [shared, other] = [await bob.account('x', { organizationId }), await ada.account('x', { organizationId })]
  const own = await bob.account('x')
  const first = await post(bob, shared)
  await post(bob, own)
  const mixed = await post(bob, own, shared)
  const last = await post(ada, shared, other)
  const { body } = await bob.call('POST', '/posts/batch', { posts: [{ accountIds: [shared] }, { accountIds: [own] }] })
  t.strictSame(await listed(), [body.data[0].id, last, first])

  t.equal((await bob.call('PATCH', `/posts/${mixed}`, { accountIds: [shared] })).status, 200)
  t.equal((await bob.call('PATCH', `/posts/${first}`, { accountIds: [shared, own] })).status, 200)
  t.strictSame(await listed(), [body.data[0].id, last, mixed])
  t.ok(await isMarked(), 'none of these changes makes lists slower')
})

t.test('posts follow an account into an organisation and out of it', async (t) => {
  const { bob, organizationId, post, listed, isMarked, move } = await createTeam(t)
  const [shared, own] = [await bob.account('x', { organizationId }), await bob.account('x')]
  const [first, second] = [await post(bob, shared), await post(bob, own)]
  t.strictSame(await listed(), [first])
  await move(own, organizationId)
  t.strictSame(await listed(), [second, first])
  await move(shared, null)
  const third = await post(bob, own)
  t.strictSame(await listed(), [third, second])
  t.notOk(await isMarked())
})

t.test('an organisation lists posts of processes of version 1.0', async (t) => {
  const { db, bob, organizationId, post, listed, isMarked } = await createTeam(t)
  const [shared, own] = [await bob.account('x', { organizationId }), await bob.account('x')]
  const writeOld = async (accountId: string) => {
    const id = await post(bob, own)
    await db.deleteFrom('postTargets').where('postId', '=', id).execute()
    const target = { userId: bob.id, postId: id, accountId, platform: 'x', state: 'waiting' }
    await db.insertInto('postTargets').values(target).execute()
    return id
  }
  await writeOld(own)
  t.ok(await isMarked(), 'an account of no organisation does not matter')
  t.strictSame(await listed(), [])
  const id = await writeOld(shared)
  t.strictSame(await listed(), [id])
})

t.test('posts of a former member are not listed', async (t) => {
  const { db, bob, organizationId, post, listed } = await createTeam(t)
  await post(bob, await bob.account('x', { organizationId }))
  t.equal((await listed()).length, 1)
  await db.deleteFrom('memberships').where('userId', '=', bob.id).execute()
  t.strictSame(await listed(), [])
})
