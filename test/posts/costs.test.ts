import t from 'tap'
import { createWorld } from '../helpers/app.ts'

t.test('validation says what a post costs on each account, by the prices of the catalogue', async (t) => {
  const { user } = await createWorld(t)
  const ada = await user()
  const [x, bluesky] = [await ada.account('x'), await ada.account('bluesky')]
  const { body: catalogue } = await ada.call('GET', '/platforms')
  const prices = new Map<string, number>()
  for (const { id, prices: each } of catalogue.data) {
    for (const { operation, usdMicros, source } of each) {
      t.equal(id, 'x')
      t.match(source, { url: 'https://docs.x.com/x-api/getting-started/pricing', version: /^\d{4}-\d\d-\d\d$/ })
      prices.set(operation, usdMicros)
    }
  }
  const costsOf = async (body: object) => {
    const { body: validation } = await ada.call('POST', '/posts/validate', { accountIds: [x, bluesky], ...body })
    t.equal(validation.targets[1].cost, undefined, 'posts on Bluesky cost nothing')
    const { usdMicros, items } = validation.targets[0].cost
    t.equal(
      usdMicros,
      items.reduce((sum: number, item: { usdMicros: number }) => sum + item.usdMicros, 0),
    )
    for (const item of items) t.equal(item.usdMicros, item.count * prices.get(item.operation)!)
    return items.map(({ operation, count }: { operation: string; count: number }) => [operation, count])
  }
  t.strictSame(await costsOf({ caption: 'a' }), [['post', 1]])
  t.strictSame(await costsOf({ caption: 'see example.com', firstComment: 'b' }), [
    ['post', 1],
    ['post_with_url', 1],
  ])
  t.strictSame(await costsOf({ postType: 'thread', threadParts: { [x]: ['a', 'https://example.com', 'c'] } }), [
    ['post', 2],
    ['post_with_url', 1],
  ])
  const mediaIds = [await ada.media({ altText: 'a boat' }), await ada.media()]
  t.strictSame(await costsOf({ caption: 'a', mediaIds }), [
    ['post', 1],
    ['alt_text', 1],
  ])
})
