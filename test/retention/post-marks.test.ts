import { sql } from 'kysely'
import t, { type Test } from 'tap'
import { firstIdAt } from '../../db/id.ts'
import { type MarkProgress, markPosts } from '../../src/features/retention/mark-posts.ts'
import { Pace } from '../../src/features/retention/pace.ts'
import { createWorld } from '../helpers/app.ts'

const POSTS = 130

/** An organisation with an account that was private while its posts were made, as those of older databases. */
async function createScene(t: Test) {
  const { db, user, organization } = await createWorld(t)
  const ada = await user()
  const organizationId = await organization(ada)
  const [account, other] = [await ada.account('x'), await ada.account('bluesky')]
  const create = async (accountIds: string[]) => (await ada.call('POST', '/posts', { accountIds })).body.id as string
  const ids: string[] = []
  for (let each = 0; each < POSTS; each++) ids.push(await create([account]))
  const mixed = await create([account, other])
  const move = (id: string, to: string | null) =>
    db.updateTable('accounts').set({ organizationId: to }).where('id', '=', id).execute()
  await move(account, organizationId)
  const marked = async () => {
    const rows = await db.selectFrom('posts').select('id').where('organizationId', '=', organizationId).execute()
    return rows.map(({ id }) => id).sort()
  }
  const isUnmarked = async () => {
    const { rows } = await sql<{ unmarked: boolean }>`
      select posts_unmarked_since is not null as unmarked from organizations where id = ${organizationId}`.execute(db)
    return rows[0]!.unmarked
  }
  /** A step of a sweep. `lastsMs`: a step of -1 ends after each statement. */
  const mark = (progress: MarkProgress = {}, { lastsMs = 60_000, before = new Date(), rest = async () => {} } = {}) =>
    markPosts(db, new Pace({ lastsMs, share: 0.5, rest }), before, progress)
  return { db, ada, organizationId, account, other, ids: ids.sort(), mixed, move, marked, isUnmarked, mark }
}

t.test('posts of an account that was moved get the mark of its organisation, and lose it again', async (t) => {
  const { organizationId, account, other, ids, mixed, move, marked, isUnmarked, mark } = await createScene(t)
  t.strictSame([await marked(), await isUnmarked()], [[], true])
  t.equal(await mark(), POSTS)
  t.strictSame([await marked(), await isUnmarked()], [ids, false], 'a post with a private account has no mark')
  t.equal(await mark(), 0)

  await move(other, organizationId)
  t.equal(await mark(), 1)
  t.strictSame(await marked(), [...ids, mixed].sort())
  await move(account, null)
  t.equal(await isUnmarked(), true)
  t.equal(await mark(), POSTS + 1)
  t.strictSame([await marked(), await isUnmarked()], [[], false])
})

t.test('a walk that is cut short goes on where it was', async (t) => {
  const { ids, marked, isUnmarked, mark } = await createScene(t)
  const progress: MarkProgress = {}
  const counts: number[] = []
  while (await isUnmarked()) counts.push(await mark(progress, { lastsMs: -1 }))
  t.ok(counts.length > 3, `${counts}`)
  t.equal(
    counts.reduce((sum, count) => sum + count),
    POSTS,
    'none is corrected twice',
  )
  t.strictSame(await marked(), ids)
})

t.test('nothing is noted where an account is moved during the walk, or version 1.0 may still run', async (t) => {
  const { db, organizationId, other, ids, mixed, move, marked, isUnmarked, mark } = await createScene(t)
  let isMoved = false
  const rest = async () => {
    if (isMoved) return
    isMoved = true
    await move(other, organizationId)
  }
  await mark({}, { rest })
  t.equal(await isUnmarked(), true, 'an account was moved')

  // Version 1.0 writes no positions.
  await db.updateTable('postTargets').set({ position: null }).where('postId', '=', mixed).execute()
  await mark({}, { before: new Date(Date.now() - 86_400_000) })
  t.strictSame([await marked(), await isUnmarked()], [[...ids, mixed].sort(), true])
  t.ok(firstIdAt(new Date(Date.now() + 60_000)) > mixed)
  await mark({}, { before: new Date(Date.now() + 60_000) })
  t.equal(await isUnmarked(), false, 'its last post is older')
})
