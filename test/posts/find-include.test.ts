import t from 'tap'
import { createWorld } from '../helpers/app.ts'
import { repeating } from '../helpers/connect-oauth.ts'
import { storeManyPosts } from '../helpers/many-posts.ts'

t.test(
  'include=deliveries counts the deliveries of each post by state; without it, a post has no such key',
  async (t) => {
    const { db, user } = await createWorld(t)
    const ada = repeating(await user())
    const posts = new Map((await storeManyPosts(db, ada, 60, 7)).map((post) => [post.id, post]))
    for (const query of ['limit=60', 'limit=50&state=failed', 'limit=50&sort=updatedAt']) {
      const plain = (await ada.call('GET', `/posts?${query}`)).body
      t.ok(plain.data.length > 0)
      const { status, body } = await ada.call('GET', `/posts?${query}&include=deliveries`)
      t.equal(status, 200, query)
      const expected = plain.data.map((post: { id: string }) => {
        const states = posts.get(post.id)!.targets.map(({ state }) => state)
        return {
          ...post,
          deliveries: Object.fromEntries(
            states.map((state) => [state, states.filter((each) => each === state).length]),
          ),
        }
      })
      t.strictSame(body, { ...plain, data: expected }, query)
    }
  },
)

t.test('include=targets shows the deliveries of each post as getPost does, without their history', async (t) => {
  const { db, user } = await createWorld(t)
  const ada = repeating(await user())
  await storeManyPosts(db, ada, 20, 8)
  const { body } = await ada.call('GET', '/posts?include=targets&include=deliveries&limit=50')
  t.equal(body.data.length, 20)
  for (const post of body.data) {
    const detail = (await ada.call('GET', `/posts/${post.id}`)).body
    const targets = detail.targets.map(
      ({ delivery: { history, ...delivery }, ...target }: { delivery: { history: unknown } }) => ({
        ...target,
        delivery,
      }),
    )
    t.strictSame(post.targets, targets)
    const counted = Object.values(post.deliveries as Record<string, number>).reduce((sum, count) => sum + count, 0)
    t.equal(counted, targets.length)
  }
})

t.test('the accounts of a post have the order of accountIds', async (t) => {
  const { user } = await createWorld(t)
  const ada = repeating(await user())
  const [first, second, third] = [await ada.account(), await ada.account('x'), await ada.account('mastodon')]
  for (const accountIds of [
    [third, first, second],
    [second, third, first, second],
  ]) {
    const { body } = await ada.call('POST', '/posts', { accountIds, caption: 'hi' })
    const shown = (await ada.call('GET', `/posts/${body.id}`)).body.targets
    const [listed] = (await ada.call('GET', '/posts?include=targets&limit=1')).body.data
    for (const targets of [shown, listed.targets]) {
      t.strictSame(
        targets.map(({ accountId }: { accountId: string }) => accountId),
        [...new Set(accountIds)],
      )
    }
  }
})
