import t from 'tap'
import { CONTRACT_OPERATIONS, CONTRACT_TESTS, sendThroughClient, sent, throughSdk } from '../helpers/sdk-transport.ts'

// The tests of the contract's endpoints, which run by themselves with `inject`, once more through the SDK.
sendThroughClient(t, throughSdk)
for (const file of CONTRACT_TESTS) {
  // The query makes it a module of its own: the same file also runs by itself in this process.
  await import(`../${file}.test.ts?sdk`)
}

t.test('their requests went through the SDK', async (t) => {
  for (const operation of CONTRACT_OPERATIONS) t.ok(sent[operation], operation)
})
