import type { PlatformId } from '../../schemas/platform.ts'
import { check, type Scene } from './scene.ts'

type CheckConditions = (
  ada: Scene['ada'],
  operationId: string,
  method: 'PATCH',
  path: string,
  body?: object,
) => Promise<void>

/** Edits posts that are in each state. */
export async function checkEditing({ db, ada }: Scene, checkConditions: CheckConditions) {
  async function createPublished(
    platform: PlatformId,
    {
      post = {},
      sent = [{ id: '1', url: null }] as object[],
      ...values
    }: Record<string, unknown> & { sent?: object[] } = {},
  ) {
    const accountId = await ada.account(platform)
    const body = typeof post === 'function' ? post(accountId) : post
    const created = await ada.call('POST', '/posts', { accountIds: [accountId], caption: 'hi', ...body })
    const targets = db.updateTable('postTargets').where('postId', '=', created.body.id)
    const stored = { state: 'published', sent: JSON.stringify(sent), publishedAt: new Date(), ...values }
    await targets.set(stored).execute()
    return { accountId, path: `/posts/${created.body.id}/deliveries/${accountId}`, targets }
  }
  const edit = (path: string, body: object = { text: 'hello' }) => ada.call('PATCH', path, body)
  const thread = (account: string) => ({ postType: 'thread', threadParts: { [account]: ['a', 'b'] } })
  for (const [example, platform, values] of [
    ['delivery_not_published', 'mastodon', { sent: [] }],
    ['delivery_not_published_2', 'mastodon', { state: 'queued' }],
    ['delivery_in_progress', 'mastodon', { state: 'publishing' }],
    ['delivery_unconfirmed', 'mastodon', { state: 'unconfirmed', intent: 1, sent: [] }],
    ['delivery_removed', 'mastodon', { state: 'removed' }],
    ['delivery_without_id', 'mastodon', { sent: [{ id: null, url: null }] }],
    ['edit_in_progress', 'mastodon', { edit: JSON.stringify({ id: '1', state: 'pending', error: null }) }],
    ['new_id_not_accepted', 'x', {}],
    ['not_editable', 'tiktok', {}],
    ['not_editable_3', 'mastodon', { post: thread }],
    ['not_editable_4', 'x', { sent: [{ id: '1', url: null, edits: 5 }] }],
  ] as const) {
    const { path } = await createPublished(platform, values as Parameters<typeof createPublished>[1])
    await check('editDelivery', 409, example, edit(path))
  }
  const reddit = await createPublished('reddit')
  await db
    .updateTable('accounts')
    .set({ scopes: ['submit'] })
    .where('id', '=', reddit.accountId)
    .execute()
  await check('editDelivery', 409, 'not_editable_2', edit(reddit.path))

  const { path } = await createPublished('bluesky')
  await check('editDelivery', 400, 'platform_limit', edit(path, { text: 'a'.repeat(301) }))
  await check('editDelivery', 400, 'unchangeableField', edit(path, { fields: { langs: ['en'] } }))
  await checkConditions(ada, 'editDelivery', 'PATCH', path, { text: 'hello' })
  const large = await createPublished('discord')
  await check(
    'editDelivery',
    413,
    'body_too_large_2',
    edit(large.path, { text: 'a', fields: { embeds: 'a'.repeat(2 ** 20 - 100) } }),
  )
  await check('editDelivery', 202, undefined, edit(path))
  await check('getPost', 200, undefined, ada.call('GET', path.split('/deliveries')[0]!))
  const accounts = db.updateTable('accounts').where('id', '=', large.accountId)
  await accounts.set({ disconnectedAt: new Date() }).execute()
  await check('editDelivery', 403, 'no_access', edit(large.path))
}
