import { useEffect } from 'preact/hooks'
import { DELIVERY_ERRORS } from '../../../../schemas/delivery-errors.ts'
import type {
  DeliveryMetrics,
  Media,
  PatchPost,
  PostDetail,
  PostTarget,
  PostValidation,
} from '../../../clients/sdk/index.ts'
import { isCancellable, isResolvable, marked, retried } from '../../../engine/delivery/owner-rules.ts'
import { Changes, Check, TakeDown } from './changes.ts'
import { toDraft } from './draft.ts'
import { keep, useLoad } from './hooks.ts'
import { html } from './html.ts'
import { Numbers } from './numbers.ts'
import { Confirm, Loading, Network, type Picture, Pictures, Problem, StateMark, Text } from './parts.ts'
import { Preview, toBody } from './preview.ts'
import { useCan, useNames, useSession, versionOf } from './session.ts'
import { formatInstant, OWN_ZONE, toInstant, toLocal } from './time.ts'
import { fromParts, OUTCOMES, partsOf, STATES, titleOf, toParts, toWords } from './words.ts'

/** Why posts that were stored could not be published, by id. */
export const publishErrors = new Map<string, Error>()

const ownFiles = ({ mediaIds, threadMedia }: PostTarget) => threadMedia?.flat() ?? mediaIds

/** Whether a worker is about to change what a delivery shows. */
function isMoving({ scheduledAt }: PostDetail, { scheduledAt: own, delivery }: PostTarget): boolean {
  const { state, edit, nextAttemptAt } = delivery
  if (state === 'queued') return Date.parse(nextAttemptAt ?? own ?? scheduledAt ?? '') <= Date.now()
  return state === 'publishing' || state === 'removing' || edit?.state === 'pending'
}

export function PostPage({ id }: { id: string }) {
  const { client } = useSession()
  const canSeeFiles = useCan('media:read')
  const post = useLoad((signal) => client.posts.get(id, { signal }), [client, id])
  const { mediaIds = [], targets = [] } = post.value ?? {}
  const fileIds = [...new Set([...mediaIds, ...targets.flatMap((target) => ownFiles(target) ?? [])])]
  const files = useLoad(
    async () => Promise.all((canSeeFiles ? fileIds : []).map((id) => client.media.get(id))),
    [client, canSeeFiles, fileIds.join()],
  )
  const isOpen = post.value !== undefined && post.value.status !== 'published'
  const validation = useLoad(
    async (signal) => (isOpen ? client.posts.validate(toBody(post.value!), { include: ['parts'], signal }) : undefined),
    [client, post.value],
  )
  const metrics = useLoad(
    async (signal) => (post.value?.status === 'published' ? (await client.posts.metrics(id, {}, { signal })).data : []),
    [client, post.value],
  )
  useEffect(() => {
    if (!post.value?.targets.some((target) => isMoving(post.value!, target))) return
    const look = async () => {
      if (document.querySelector('dialog[open]')) return
      const present = await client.posts.get(id).catch(() => undefined)
      if (present && JSON.stringify(present) !== JSON.stringify(post.value)) post.reload()
    }
    const timer = setInterval(look, 1_000)
    return () => clearInterval(timer)
  }, [post.value])
  return html`${!post.value && html`<h1>Post</h1>`}<${Loading} loaded=${post}>
    ${(value: PostDetail) => html`<${Post} post=${value} files=${new Map(files.value?.map((file) => [file.id, file]))}
      validation=${validation.value} metrics=${metrics.value ?? []} reload=${post.reload} />`}
  <//>`
}

interface PostProps {
  post: PostDetail
  files: ReadonlyMap<string, Media>
  validation: PostValidation | undefined
  metrics: DeliveryMetrics[]
  reload: () => void
}

function Post({ post, files, validation, metrics, reload }: PostProps) {
  const timeZone = post.timeZone ?? OWN_ZONE
  const picturesOf = (ids: string[]): Picture[] =>
    ids.map((id) => {
      const { kind = 'image', altText = null, fileName = null } = files.get(id) ?? {}
      return { id, kind, fileName, url: null, altText: post.altTexts?.[id] ?? altText }
    })
  return html`
    <div class="bar">
      <h1>${titleOf(post.targets.map(({ delivery }) => delivery.state))}</h1>
      <${PostActions} post=${post} files=${files} reload=${reload} />
    </div>
    ${post.status === 'draft' && publishErrors.has(post.id) && html`<${Problem} error=${publishErrors.get(post.id)!} />`}
    <dl class="facts">
      ${post.scheduledAt && html`<dt>Time</dt><dd><time datetime=${post.scheduledAt}>${formatInstant(post.scheduledAt, timeZone)}</time> (${timeZone})</dd>`}
      ${post.externalReference && html`<dt>Reference</dt><dd dir="auto">${post.externalReference}</dd>`}
      <dt>Changed</dt><dd>${formatInstant(post.updatedAt, OWN_ZONE)}</dd>
    </dl>
    ${post.targets.map(
      (target) => html`<${Target} key=${target.accountId} post=${post} target=${target} timeZone=${timeZone}
        files=${picturesOf(ownFiles(target) ?? post.mediaIds)} validation=${validation}
        metrics=${metrics.find(({ accountId }) => accountId === target.accountId)} reload=${reload} />`,
    )}
  `
}

function PostActions({ post, files, reload }: Pick<PostProps, 'post' | 'files' | 'reload'>) {
  const { client } = useSession()
  const canWrite = useCan('posts:write')
  const canPublish = useCan('posts:publish')
  if (post.status === 'published') return html`<${TakeDown} post=${post} reload=${reload} />`
  const isDraft = post.status === 'draft'
  const change = (changes: PatchPost) => client.posts.update(post.id, changes, versionOf(post))
  const textOf = (target: PostTarget) => fromParts(partsOf(post, target))
  const isThread = post.postType === 'thread'
  const inCaption = post.targets.find((target) => textOf(target) === post.caption)
  const text = isThread ? textOf(inCaption ?? post.targets[0]!) : post.caption
  const changeText = (fields: FormData) => {
    const caption = String(fields.get('caption'))
    const changed = post.targets.filter((target) => isThread && textOf(target) === text)
    const parts = Object.fromEntries(changed.map(({ accountId }) => [accountId, toParts(caption)]))
    return change({ caption, ...(isThread && { threadParts: parts }) })
  }
  const changeTime = (fields: FormData) => {
    const scheduledAt = `${fields.get('time')}:00`
    return change({ scheduledAt, timeZone: post.timeZone ?? OWN_ZONE, ...(post.fold && { fold: post.fold }) })
  }
  const remove = () => client.posts.delete(post.id, versionOf(post))
  const leave = (error?: Error) => (error ? reload() : location.assign('#/calendar'))
  const publish = () => client.posts.publish(post.id, versionOf(post))
  const time = post.scheduledAt ? toLocal(new Date(post.scheduledAt), post.timeZone ?? OWN_ZONE) : ''
  const draft = toDraft(post, files)
  const compose = async () => keep('compose', draft!)
  return html`<div class="buttons">
    ${canWrite && draft && html`<${Confirm} label="Open in the composer" act=${compose} onDone=${() => location.assign('#/compose')} says="There, everything of the draft can be changed. What is typed in the composer now and not stored is dropped." />`}
    ${
      (isDraft ? canWrite : canPublish) &&
      html`<${Confirm} label="Change the text" act=${changeText} onDone=${reload} says="Accounts with a text of their own keep it.${isThread ? ' A line of --- begins the next part.' : ''}">
        <label>Text <textarea name="caption" rows="6" dir="auto">${text}</textarea></label>
      <//>`
    }
    ${
      canPublish &&
      html`<${Confirm} label=${isDraft ? 'Schedule' : 'Change the time'} act=${changeTime} onDone=${reload}
          says="The post goes out at this time, to every account without a time of its own.">
          <label>Time in ${post.timeZone ?? OWN_ZONE} <input name="time" type="datetime-local" required defaultValue=${time} /></label>
        <//>
        <${Confirm} label="Publish now" act=${publish} onDone=${reload} says="The post goes out to all ${post.targets.length} accounts within seconds." />`
    }
    ${(isDraft ? canWrite : canPublish) && html`<${Confirm} label="Delete" isDangerous act=${remove} onDone=${leave} says="The post is deleted, and nothing of it is published." />`}
  </div>`
}

interface TargetProps extends Pick<PostProps, 'post' | 'validation' | 'reload'> {
  target: PostTarget
  files: Picture[]
  metrics: DeliveryMetrics | undefined
  timeZone: string
}

function Target({ post, target, files, validation, metrics, timeZone, reload }: TargetProps) {
  const { delivery, platform, username, attention } = target
  const time = target.scheduledAt ?? post.scheduledAt
  const network = useNames()(platform)
  return html`<section class="card" aria-label="${username} on ${network}">
    <div class="bar">
      <h2><${Network} platform=${platform} /> <span dir="auto">${username}</span></h2>
      <${StateMark} state=${delivery.state} />
    </div>
    ${delivery.goneAt && html`<p class="warning"><span aria-hidden="true">⚠</span> The network does not show it any more since ${formatInstant(delivery.goneAt, timeZone)}: it was deleted or hidden there.</p>`}
    <p class="small">${delivery.goneAt ? '' : STATES[delivery.state].meaning}${target.scheduledAt && time ? ` Its time: ${formatInstant(time, timeZone)}.` : ''}</p>
    ${attention && html`<div class="problem"><strong>The account needs its owner</strong><p dir="auto">${attention.message}</p><a href="#/accounts">Open the accounts</a></div>`}
    ${delivery.error && html`<div class="problem tone-${delivery.state === 'published' ? 'failed' : delivery.state}"><strong>${toWords(delivery.error.code)}</strong><p dir="auto">${delivery.error.message}</p>${meaningOf(delivery.error.code)}</div>`}
    ${delivery.edit && html`<${Edit} ...${delivery.edit} />`}
    ${
      validation
        ? html`<${Preview} accountId=${target.accountId} validation=${validation} files=${new Map(files.map((file) => [file.id, file]))} />`
        : html`${partsOf(post, target).map((part) => html`<${Text} text=${part} />`)}
          ${post.firstComment && html`<p class="small">First comment</p><${Text} text=${post.firstComment} />`}
          <${Pictures} files=${files} />`
    }
    ${metrics && delivery.state === 'published' && html`<${Numbers} metrics=${metrics} />`}
    ${(metrics?.fetchedAt || metrics?.nextFetchAt) && delivery.state === 'published' && html`<${Check} postId=${post.id} accountId=${target.accountId} reload=${reload} />`}
    ${delivery.externalUrl && delivery.state !== 'removed' && html`<p><a href=${safe(delivery.externalUrl)} rel="noreferrer" target="_blank">Look at it on ${network}</a></p>`}
    <${Timeline} target=${target} timeZone=${timeZone} />
    <${DeliveryActions} post=${post} target=${target} reload=${reload} />
  </section>`
}

/** The meaning of an error, and what mends it, in the words of the API. */
function meaningOf(code: string) {
  const meaning = Object.hasOwn(DELIVERY_ERRORS, code) && DELIVERY_ERRORS[code]
  return (
    meaning && html`<p class="small">${meaning.replace(/^./, (letter) => letter.toUpperCase()).replaceAll('`', '')}</p>`
  )
}

/** An edit of a published post, until the network has it. */
const Edit = ({ state, text, error }: NonNullable<PostTarget['delivery']['edit']>) =>
  html`<div class="problem tone-${state === 'pending' ? 'publishing' : state}" role="status">
    <strong>${state === 'pending' ? 'An edit is under way' : 'It could not be edited'}</strong>
    ${text !== null && html`<${Text} text=${text} />`}
    ${error && html`<p dir="auto">${error.message}</p>`}
  </div>`

/** The address of a post on its network, if it is one of the web. */
const safe = (url: string) => (/^https?:/i.test(url) ? url : undefined)

function Timeline({ target: { delivery, threadParts }, timeZone }: { target: PostTarget; timeZone: string }) {
  const parts = threadParts?.length ?? 1
  const nameOf = (act: number) => (act > parts ? ', after the post' : parts > 1 ? `, part ${act}` : '')
  const lines = delivery.history.map(({ number, act, startedAt, outcome, error }) => ({
    at: startedAt,
    text: `Attempt ${number}${nameOf(act)}: ${outcome ? (OUTCOMES[outcome] ?? outcome) : 'it is under way'}${error ? `: ${error.message}` : ''}`,
  }))
  const removedAt = delivery.acts.flatMap(({ removedAt }) => removedAt ?? []).sort()
  if (delivery.state === 'removed') lines.push({ at: removedAt.at(-1)!, text: 'It was taken down' })
  const { nextAttemptAt: at, attempts } = delivery
  if (at) lines.push({ at, text: attempts > 0 ? 'The next attempt' : 'The first attempt' })
  if (lines.length === 0) return null
  return html`<ol class="timeline">
    ${lines.map(({ at, text }) => html`<li><time datetime=${at}>${formatInstant(at, timeZone)}</time> <span dir="auto">${text}</span></li>`)}
  </ol>`
}

/** The actions that a delivery takes. A worker has not taken one without attempts. */
const actionsOf = (delivery: PostTarget['delivery']) => ({
  retry: 'state' in retried({ ...delivery, isEarly: delivery.attempts === 0 }, false),
  cancel: isCancellable(delivery.state),
  resolve: isResolvable(delivery.state),
  mark: 'state' in marked(delivery),
})

function DeliveryActions({ post, target, reload }: { post: PostDetail; target: PostTarget; reload: () => void }) {
  const { client } = useSession()
  const canPublish = useCan('posts:publish')
  const timeZone = post.timeZone ?? OWN_ZONE
  const changeTime = (fields: FormData) => {
    const scheduledAt = fields.get('time') ? toInstant(String(fields.get('time')), timeZone).toISOString() : null
    return client.posts.update(post.id, { overrides: { [accountId]: { scheduledAt } } }, versionOf(post))
  }
  const { accountId, username, platform, delivery } = target
  const where = `${username} on ${useNames()(platform)}`
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
      html`<${Confirm} label="Its own time" act=${changeTime} onDone=${reload} says="The post goes out to ${where} at this time. Without one, it goes out at that of the post.">
          <label>Time in ${timeZone}, or none <input name="time" type="datetime-local" defaultValue=${target.scheduledAt ? toLocal(new Date(target.scheduledAt), timeZone) : ''} /></label>
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
