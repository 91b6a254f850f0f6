import { sql } from 'kysely'
import t, { type Test } from 'tap'
import { newId } from '../../db/id.ts'
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
  const { db, ada, bob, organizationId, listed, isMarked } = await createTeam(t)
  const [shared, other] = [await bob.account('x', { organizationId }), await ada.account('x', { organizationId })]
  const own = await bob.account('x')
  /** As 1.0 does, in one statement. */
  const writeOld = async (...accountIds: string[]) => {
    const { rows } = await sql<{ id: string }>`
      with post as (
        insert into posts (user_id, id, caption, post_type, status)
        values (${bob.id}, ${newId()}, 'hi', 'post', 'draft')
        returning user_id, id
      ), targets as (
        insert into post_targets (user_id, post_id, account_id, platform, state)
        select user_id, id, unnest(${accountIds}::uuid[]), 'x', 'waiting' from post
      )
      select id from post`.execute(db)
    return rows[0]!.id
  }
  const id = await writeOld(shared)
  for (const accountIds of [[own], [own, shared], [shared, own, other]]) await writeOld(...accountIds)
  const last = await writeOld(shared, other)
  t.strictSame(await listed(), [last, id])
  t.ok(await isMarked(), 'these make no list slower')
})

t.test('posts of a former member are not listed', async (t) => {
  const { db, bob, organizationId, post, listed } = await createTeam(t)
  await post(bob, await bob.account('x', { organizationId }))
  t.equal((await listed()).length, 1)
  await db.deleteFrom('memberships').where('userId', '=', bob.id).execute()
  t.strictSame(await listed(), [])
})
