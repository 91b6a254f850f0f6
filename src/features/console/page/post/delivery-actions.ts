import type { PostDetail, PostTarget } from '../../../../clients/sdk/index.ts'
import { isCancellable, isResolvable, marked, retried } from '../../../../engine/delivery/owner-rules.ts'
import { isDue, publishesNow } from '../due.ts'
import { html } from '../html.ts'
import { keepWarnings } from '../issues.ts'
import { Confirm } from '../parts.ts'
import { useAccountNames, useCan, useSession, versionOf } from '../session.ts'
import { OWN_ZONE, toInstant, toLocal } from '../time.ts'
import { Changes } from './changes.ts'

/** The actions that a delivery takes. A worker has not taken one without attempts. */
const actionsOf = (delivery: PostTarget['delivery']) => ({
  retry: 'state' in retried({ ...delivery, isEarly: delivery.attempts === 0 }, false),
  cancel: isCancellable(delivery.state),
  resolve: isResolvable(delivery.state),
  mark: 'state' in marked(delivery),
})

export function DeliveryActions({
  post,
  target,
  reload,
}: {
  post: PostDetail
  target: PostTarget
  reload: () => void
}) {
  const { client } = useSession()
  const canPublish = useCan('posts:publish')
  const timeZone = post.timeZone ?? OWN_ZONE
  const own = target.scheduledAt ? new Date(target.scheduledAt) : null
  const typed = own ? toLocal(own, timeZone) : ''
  const readTime = (fields: FormData) => {
    const time = String(fields.get('time'))
    return time === typed ? own : time ? toInstant(time, timeZone) : null
  }
  const isDueAt = (time: Date | null) => isDue(delivery.state, time ?? new Date(post.scheduledAt!))
  const changeTime = async (fields: FormData) => {
    const time = readTime(fields)
    const scheduledAt = (time && isDueAt(time) ? new Date() : time)?.toISOString() ?? null
    keepWarnings(await client.posts.update(post.id, { overrides: { [accountId]: { scheduledAt } } }, versionOf(post)))
  }
  const { accountId, delivery } = target
  const where = useAccountNames()([target])
  const can = actionsOf(delivery)
  const { deliveries } = client
  const address = html`<label>Its address there, or none <input name="url" type="url" maxlength="2048" /></label>`
  const urlOf = (fields: FormData) => (fields.get('url') ? { url: String(fields.get('url')) } : {})
  const resolve = (outcome: 'published' | 'not_published', fields: FormData) =>
    deliveries.resolve(post.id, accountId, { outcome, ...urlOf(fields) })
  const mark = (fields: FormData) => deliveries.markPublished(post.id, accountId, urlOf(fields), versionOf(post))
  if (!canPublish) return null
  return html`<div class="buttons">
    ${
      canPublish &&
      post.status === 'scheduled' &&
      (target.scheduledAt || post.targets.length > 1) &&
      html`<${Confirm} label="Its own time" act=${changeTime} onDone=${reload} publishes=${(fields: FormData) => isDueAt(readTime(fields)) && publishesNow(where)}
          says="The post goes out to ${where} at this time. Without one, it goes out at that of the post.">
          <label>Time in ${timeZone}, or none <input name="time" type="datetime-local" defaultValue=${typed} /></label>
        <//>`
    }
    ${can.retry && html`<${Confirm} label="Retry" says="What is missing is sent to ${where} within seconds." act=${() => deliveries.retry(post.id, accountId, {}, versionOf(post))} onDone=${reload} />`}
    ${can.cancel && html`<${Confirm} label="Cancel" says="It is not sent to ${where}. The other accounts stay as they are." act=${() => deliveries.cancel(post.id, accountId, versionOf(post))} onDone=${reload} />`}
    ${
      can.resolve &&
      html`<${Confirm} label="It is there" says="You have looked: ${where} shows the post. It counts as published." act=${(fields: FormData) => resolve('published', fields)} onDone=${reload}>${address}<//>
        <${Confirm} label="It is not there" says="You have looked: ${where} does not show the post. It counts as failed, and can be retried." act=${(fields: FormData) => resolve('not_published', fields)} onDone=${reload} />`
    }
    ${can.mark && !can.resolve && html`<${Confirm} label="Published by hand" says="You have published it on ${where} yourself. Postroom does not send it." act=${mark} onDone=${reload}>${address}<//>`}
  </div>
  <${Changes} post=${post} target=${target} reload=${reload} />`
}
