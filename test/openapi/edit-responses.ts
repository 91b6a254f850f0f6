import { ACCOUNT_EXAMPLES } from '../../schemas/account.ts'
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
    values: { state?: string; intent?: number; edit?: string } = {},
    {
      sent = [{ id: '1', url: null }],
      accountId,
      parts,
    }: { sent?: object[]; accountId?: string; parts?: string[] } = {},
  ) {
    const id = accountId ?? (await ada.account(platform))
    const content = parts ? { postType: 'thread', threadParts: { [id]: parts } } : {}
    const created = await ada.call('POST', '/posts', { accountIds: [id], caption: 'hi', ...content })
    const targets = db.updateTable('postTargets').where('postId', '=', created.body.id)
    const stored = { state: 'published', sent: JSON.stringify(sent), publishedAt: new Date(), ...values }
    await targets.set(stored).execute()
    return { accountId: id, path: `/posts/${created.body.id}/deliveries/${id}` }
  }
  const edit = (path: string, body: object = { text: 'hello' }) => ada.call('PATCH', path, body)
  const cases: [string, ...Parameters<typeof createPublished>][] = [
    ['delivery_not_published', 'mastodon', {}, { sent: [] }],
    ['delivery_not_published_2', 'mastodon', { state: 'queued' }],
    ['delivery_in_progress', 'mastodon', { state: 'publishing' }],
    ['delivery_unconfirmed', 'mastodon', { state: 'unconfirmed', intent: 1 }, { sent: [] }],
    ['delivery_removed', 'mastodon', { state: 'removed' }],
    ['delivery_without_id', 'mastodon', {}, { sent: [{ id: null, url: null }] }],
    ['edit_in_progress', 'mastodon', { edit: JSON.stringify({ id: '1', state: 'pending', error: null }) }],
    ['new_id_not_accepted', 'x', {}],
    ['not_editable', 'tiktok', {}],
    ['not_editable_3', 'mastodon', {}, { parts: ['a', 'b'] }],
    ['not_editable_4', 'x', {}, { sent: [{ id: '1', url: null, edits: 5 }] }],
  ]
  for (const [example, ...published] of cases) {
    const { path } = await createPublished(...published)
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
  const [{ id: disconnected }] = ACCOUNT_EXAMPLES
  const orphan = await createPublished('bluesky', {}, { accountId: disconnected })
  const accounts = db.updateTable('accounts').where('id', '=', disconnected)
  await accounts.set({ disconnectedAt: new Date() }).execute()
  await check('editDelivery', 403, 'no_access', edit(orphan.path))
  await accounts.set({ disconnectedAt: null }).execute()
}
