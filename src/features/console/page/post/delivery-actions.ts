import type { PostDetail, PostTarget } from '../../../../clients/sdk/index.ts'
import { isCancellable, isResolvable, marked, retried } from '../../../../engine/delivery/owner-rules.ts'
import { isDue, publishesNow } from '../due.ts'
import { html } from '../html.ts'
import { keepWarnings } from '../issues.ts'
import { say, sentences } from '../language.ts'
import { Confirm } from '../parts.ts'
import { useAccountNames, useCan, useSession, versionOf } from '../session.ts'
import { OWN_ZONE, toInstant, toLocal } from '../time.ts'
import { Changes } from './changes.ts'

const words = sentences.post.delivery

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
  const address = html`<label>${words.address} <input name="url" type="url" maxlength="2048" /></label>`
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
      html`<${Confirm} label=${words.ownTime} act=${changeTime} onDone=${reload} publishes=${(fields: FormData) => isDueAt(readTime(fields)) && publishesNow(where)}
          says=${say(words.ownTimeHelp, { account: where })}>
          <label>${say(words.timeIn, { zone: timeZone })} <input name="time" type="datetime-local" defaultValue=${typed} /></label>
        <//>`
    }
    ${can.retry && html`<${Confirm} label=${sentences.shared.actions.retry} says=${say(words.retryHelp, { account: where })} act=${() => deliveries.retry(post.id, accountId, {}, versionOf(post))} onDone=${reload} />`}
    ${can.cancel && html`<${Confirm} label=${words.cancel} says=${say(words.cancelHelp, { account: where })} act=${() => deliveries.cancel(post.id, accountId, versionOf(post))} onDone=${reload} />`}
    ${
      can.resolve &&
      html`<${Confirm} label=${words.there} says=${say(words.thereHelp, { account: where })} act=${(fields: FormData) => resolve('published', fields)} onDone=${reload}>${address}<//>
        <${Confirm} label=${words.notThere} says=${say(words.notThereHelp, { account: where })} act=${(fields: FormData) => resolve('not_published', fields)} onDone=${reload} />`
    }
    ${can.mark && !can.resolve && html`<${Confirm} label=${words.byHand} says=${say(words.byHandHelp, { account: where })} act=${mark} onDone=${reload}>${address}<//>`}
  </div>
  <${Changes} post=${post} target=${target} reload=${reload} />`
}
