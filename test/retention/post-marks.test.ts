import { sql } from 'kysely'
import t, { type Test } from 'tap'
import { newId } from '../../db/id.ts'
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
  /** A step of a sweep, an hour after the last move or `isSoon`. `lastsMs`: a step of -1 ends after each statement. */
  const mark = async (
    progress: MarkProgress = {},
    { lastsMs = 60_000, isSoon = false, rest = async () => {} } = {},
  ) => {
    const hourAgo = sql`now() - interval '1 hour'`
    if (!isSoon)
      await sql`
        update organizations set posts_unmarked_since = ${hourAgo} where posts_unmarked_since > ${hourAgo}`.execute(db)
    return markPosts(db, new Pace({ lastsMs, share: 0.5, rest }), progress)
  }
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

t.test('a walk during which an account is moved is repeated', async (t) => {
  const { account, move, marked, isUnmarked, mark } = await createScene(t)
  let isMoved = false
  const rest = async () => {
    if (isMoved || (await marked()).length < POSTS) return
    isMoved = true
    await move(account, null)
  }
  t.strictSame([await mark({}, { rest }), await isUnmarked()], [POSTS, true])
  t.equal(await mark(), POSTS)
  t.strictSame([await marked(), await isUnmarked()], [[], false])
})

t.test('a post whose request began before its account was moved is marked', async (t) => {
  const { db, ada, organizationId, other, ids, mixed, move, marked, mark } = await createScene(t)
  const id = newId()
  await db.transaction().execute(async (request) => {
    const post = { id, userId: ada.id, caption: 'hi', postType: 'post', status: 'draft' }
    await request.insertInto('posts').values(post).execute()
    const target = { userId: ada.id, postId: id, accountId: other, platform: 'bluesky', position: 1 }
    await request.insertInto('postTargets').values(target).execute()
    await move(other, organizationId)
    t.equal(await mark({}, { isSoon: true }), 0)
  })
  await mark()
  t.strictSame(await marked(), [...ids, mixed, id].sort())
})
