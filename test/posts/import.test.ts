import t from 'tap'
import { importPosts } from '../../src/features/posts/import.ts'
import { createWorld } from '../helpers/app.ts'
import { untilBlocked } from '../helpers/until.ts'

t.test('an import waits for another one of the same user, and then finds its references', async (t) => {
  const { db, user } = await createWorld(t)
  const ada = await user()
  const post = {
    accountIds: [await ada.account('x')],
    caption: 'hi',
    postType: 'post' as const,
    mediaIds: [],
    accountOverrides: [],
    externalReference: 'row-1',
  }
  const options = { isDryRun: false, gapMs: null }
  const { second } = await db.transaction().execute(async (first) => {
    t.match(await importPosts(first, ada.id, [post], options), [{ outcome: 'created' }])
    const second = importPosts(db, ada.id, [post], options)
    await untilBlocked(db)
    // Inside an object, so that the transaction does not wait for it.
    return { second }
  })
  t.strictSame(await second, [{ outcome: 'existing' }])
})
