import type { PlatformId } from '../../schemas/platform.ts'
import { check, type Scene } from './scene.ts'

type CheckConditions = (
  ada: Scene['ada'],
  operationId: string,
  method: 'POST',
  path: string,
  body?: object,
) => Promise<void>

/** Takes posts down that are in each state. */
export async function checkRemoving({ db, ada }: Scene, checkConditions: CheckConditions) {
  async function createPublished(platform: PlatformId, values: { state?: string; intent?: number; sent?: object[] }) {
    const { state = 'published', intent = null, sent = [{ id: '1', url: null }] } = values
    const accountId = await ada.account(platform)
    const { body: post } = await ada.call('POST', '/posts', { accountIds: [accountId], caption: 'hi' })
    const targets = db.updateTable('postTargets').where('postId', '=', post.id)
    await targets.set({ state, intent, sent: JSON.stringify(sent), publishedAt: new Date() }).execute()
    return { accountId, post: `/posts/${post.id}`, delivery: `/posts/${post.id}/deliveries/${accountId}` }
  }

  const remove = (path: string) => ada.call('POST', `${path}/remove`)
  for (const [example, platform, values] of [
    ['delivery_not_published', 'mastodon', { sent: [] }],
    ['delivery_not_published_2', 'mastodon', { state: 'queued' }],
    ['delivery_in_progress', 'mastodon', { state: 'publishing' }],
    ['delivery_unconfirmed', 'mastodon', { state: 'unconfirmed', intent: 1, sent: [] }],
    ['delivery_without_id', 'mastodon', { sent: [{ id: null, url: null }] }],
    ['not_removable', 'tiktok', {}],
  ] as const) {
    const { post, delivery } = await createPublished(platform, {
      ...values,
      sent: [...(values.sent ?? [{ id: '1', url: null }])],
    })
    await check('removeDelivery', 409, example, remove(delivery))
    await check('removePost', 409, example, remove(post))
  }
  const reddit = await createPublished('reddit', {})
  await db
    .updateTable('accounts')
    .set({ scopes: ['submit'] })
    .where('id', '=', reddit.accountId)
    .execute()
  await check('removeDelivery', 409, 'not_removable_2', remove(reddit.delivery))
  await check('removePost', 409, 'not_removable_2', remove(reddit.post))

  const { post, delivery } = await createPublished('mastodon', {})
  await checkConditions(ada, 'removeDelivery', 'POST', `${delivery}/remove`)
  await check('removeDelivery', 202, undefined, remove(delivery))
  await check('removePost', 202, undefined, remove(post))
  await check('retryDelivery', 409, 'delivery_removed', ada.call('POST', `${delivery}/retry`))
  await check('markDeliveryPublished', 409, 'delivery_removed', ada.call('POST', `${delivery}/mark-published`, {}))
  await check('checkDelivery', 409, 'delivery_removed', ada.call('POST', `${delivery}/check`))
  const other = await createPublished('mastodon', {})
  await checkConditions(ada, 'removePost', 'POST', `${other.post}/remove`)
}
