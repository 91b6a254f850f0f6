import t, { type Test } from 'tap'
import { createNetworkWorld } from '../helpers/network-world.ts'
import { jpeg } from '../helpers/upload.ts'

const SECOND = 1_000

async function createScene(t: Test) {
  const world = await createNetworkWorld(t)
  const account = await world.connect('instagram')
  /** Works until the delivery is finished. */
  const finish = async (id: string) => {
    for (let round = 0; round < 60; round++) {
      await world.work(30 * SECOND)
      const delivery = await world.readDelivery(id)
      if (delivery.state !== 'queued') return delivery
    }
    throw new Error('the delivery does not end')
  }
  return { ...world, account, finish }
}

t.test('Instagram: images are fetched from the service, and the comment follows', async (t) => {
  const { account, post, uploadFile, finish, instagram } = await createScene(t)
  const mediaIds = [await uploadFile(await jpeg(40, 30, 1), 'A lighthouse'), await uploadFile(await jpeg(40, 30, 2))]
  const id = await post({ accountIds: [account], caption: 'Two', mediaIds, firstComment: 'First!' })
  const delivery = await finish(id)
  const [shown] = instagram.posts
  t.hasStrict(shown, { media_type: 'CAROUSEL_ALBUM', caption: 'Two' })
  t.hasStrict(delivery, { state: 'published', externalId: shown!.id, externalUrl: shown!.permalink, error: null })
  t.hasStrict(instagram.comments, [{ postId: shown!.id, text: 'First!' }])
})

t.test('Instagram: the type of the post decides what is published', async (t) => {
  const { account, post, uploadFile, finish, instagram } = await createScene(t)
  const mediaIds = [await uploadFile(await jpeg(40, 30))]
  t.hasStrict(await finish(await post({ accountIds: [account], postType: 'story', mediaIds })), { state: 'published' })
  t.hasStrict(instagram.posts, [{ media_product_type: 'STORY' }])
})
