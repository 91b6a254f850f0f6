import t from 'tap'
import { sendThroughClient, sent, throughSdk } from '../helpers/sdk-transport.ts'

// The tests of the contract's endpoints, which run by themselves with `inject`, once more through the SDK.
sendThroughClient(t, throughSdk)
for (const file of [
  'posts/create',
  'posts/create-errors',
  'posts/create-media',
  'posts/list',
  'posts/delete',
  'accounts/list',
]) {
  // The query makes it a module of its own: the same file also runs by itself in this process.
  await import(`../${file}.test.ts?sdk`)
}

t.test('their requests went through the SDK', async (t) => {
  for (const operation of ['createPost', 'listPosts', 'deletePost', 'listAccounts']) t.ok(sent[operation], operation)
})
