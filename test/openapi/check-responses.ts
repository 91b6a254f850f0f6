import type { Test } from 'tap'
import type { PlatformId } from '../../schemas/platform.ts'
import { buildApp } from '../../src/run/app.ts'
import { call, mediaOptions, networkOptions } from '../helpers/app.ts'
import { recorded } from '../helpers/log-record.ts'
import { check, type Scene } from './scene.ts'

/** Looks for posts on their networks, with a service that reads numbers. */
export async function checkPresence(t: Test, { db, ada }: Scene) {
  const common = { db, logger: recorded(false), corsOrigins: [], media: mediaOptions('.') }
  const app = await buildApp({ ...common, ...networkOptions(db), postMetrics: 'on' })
  t.teardown(() => app.close())

  async function attempt(
    status: number,
    example: string | undefined,
    platform: PlatformId,
    sent: object[],
    scopes = [''],
  ) {
    const account = await ada.account(platform)
    await db.updateTable('accounts').set({ scopes }).where('id', '=', account).execute()
    const { body: post } = await ada.call('POST', '/posts', { accountIds: [account], caption: example ?? 'hi' })
    const published = { sent: JSON.stringify(sent), publishedAt: sent.length > 0 ? new Date() : null }
    await db.updateTable('postTargets').set(published).where('postId', '=', post.id).execute()
    const path = `/posts/${post.id}/deliveries/${account}/check`
    await check('checkDelivery', status, example, call(app, ada.key, 'POST', path))
    return path
  }

  const sent = [{ id: '1', url: null }]
  await attempt(409, 'delivery_not_published', 'mastodon', [])
  await attempt(409, 'delivery_without_id', 'mastodon', [{ id: null, url: null }])
  await attempt(409, 'metrics_off_2', 'x', sent)
  await attempt(409, 'check_not_offered', 'telegram', sent)
  await attempt(409, 'check_scope_missing', 'tiktok', sent)
  const path = await attempt(200, undefined, 'mastodon', sent)
  await check('checkDelivery', 409, 'metrics_off', ada.call('POST', path))
}
