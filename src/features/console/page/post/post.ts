import { useEffect } from 'preact/hooks'
import type {
  DeliveryMetrics,
  Media,
  PostDetail,
  PostTarget,
  PostValidation,
  PostWarning,
} from '../../../../clients/sdk/index.ts'
import { Face } from '../face.ts'
import { useLoad } from '../hooks.ts'
import { html } from '../html.ts'
import { Issues, keptWarnings } from '../issues.ts'
import { label, paragraph, say, sayElements, sentences } from '../language.ts'
import { Loading, StateMark, Text } from '../parts.ts'
import { nameOf, usePeople } from '../people.ts'
import { Pictures } from '../pictures.ts'
import type { ShownFile } from '../preview/files.ts'
import { Preview, toBody } from '../preview/preview.ts'
import { Problem, sayAttention, sayDelivery } from '../problem.ts'
import { useAccountNames, useCan, useNames, useSession } from '../session.ts'
import { formatInstant, OWN_ZONE } from '../time.ts'
import { partsOf, titleOf, toWords } from '../words.ts'
import { Check } from './changes.ts'
import { DeliveryActions } from './delivery-actions.ts'
import { Explanation } from './explanation.ts'
import { Numbers } from './numbers.ts'
import { PostActions } from './post-actions.ts'

const { names, post: words } = sentences
const lineWords = words.timeline
const outcomes: Record<string, string | undefined> = names.outcomes

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
  return html`${!post.value && html`<h1>${sentences.shared.shell.post}</h1>`}<${Loading} loaded=${post}>
    ${(value: PostDetail) => html`<${Post} post=${value} files=${new Map(files.value?.map((file) => [file.id, file]))}
      validation=${validation.value} metrics=${metrics.value ?? []} reload=${post.reload} />`}
  <//>`
}

export interface PostProps {
  post: PostDetail
  files: ReadonlyMap<string, Media>
  validation: PostValidation | undefined
  metrics: DeliveryMetrics[]
  reload: () => void
}

function Post({ post, files, validation, metrics, reload }: PostProps) {
  const timeZone = post.timeZone ?? OWN_ZONE
  const picturesOf = (ids: string[]): ShownFile[] =>
    ids.map((id) => {
      const file = files.get(id) ?? { kind: 'image', altText: null, fileName: null }
      return { ...file, id, url: null, altText: post.altTexts?.[id] ?? file.altText }
    })
  const nameAccounts = useAccountNames()
  const nameOf = (id: string) => nameAccounts(post.targets.filter(({ accountId }) => accountId === id))
  // The validation shows its own warnings below.
  const isBelow = ({ message }: PostWarning) => validation?.warnings.some((warning) => warning.message === message)
  const told = validation || post.status === 'published' ? keptWarnings(post.id).filter((each) => !isBelow(each)) : []
  return html`
    <div class="bar">
      <h1>${titleOf(post.targets.map(({ delivery }) => delivery.state))}</h1>
      <${PostActions} post=${post} reload=${reload} />
    </div>
    ${post.status === 'draft' && publishErrors.has(post.id) && html`<${Problem} error=${publishErrors.get(post.id)!} />`}
    ${
      told.length > 0 &&
      html`<div class="problem tone-unconfirmed" role="status"><strong>${words.lastChange}</strong><${Issues} issues=${told} nameOf=${nameOf} /></div>`
    }
    <dl class="facts">
      ${post.scheduledAt && html`<dt>${words.time}</dt><dd>${sayElements(words.timeIn, { time: html`<time datetime=${post.scheduledAt}>${formatInstant(post.scheduledAt, timeZone)}</time>`, zone: timeZone })}</dd>`}
      ${post.externalReference && html`<dt>${words.reference}</dt><dd dir="auto">${post.externalReference}</dd>`}
      <dt>${words.changed}</dt><dd>${formatInstant(post.updatedAt, OWN_ZONE)}</dd>
    </dl>
    <div class="targets">${post.targets.map(
      (target) => html`<${Target} key=${target.accountId} post=${post} target=${target} timeZone=${timeZone}
        files=${picturesOf(ownFiles(target) ?? post.mediaIds)} validation=${validation}
        metrics=${metrics.find(({ accountId }) => accountId === target.accountId)} reload=${reload} />`,
    )}</div>
  `
}

/** Whether the account of a delivery is still needed. */
const isUnsettled = (state: PostTarget['delivery']['state']) => !['published', 'cancelled', 'removed'].includes(state)

interface TargetProps extends Pick<PostProps, 'post' | 'validation' | 'reload'> {
  target: PostTarget
  files: ShownFile[]
  metrics: DeliveryMetrics | undefined
  timeZone: string
}

function Target({ post, target, files, validation, metrics, timeZone, reload }: TargetProps) {
  const { delivery, platform, username, attention } = target
  const time = target.scheduledAt ?? post.scheduledAt
  const network = useNames()(platform)
  return html`<section class="card" aria-label=${say(sentences.shared.accounts.on, { account: username, network })}>
    <div class="bar">
      <h2 class="who"><${Face} id=${target.accountId} platform=${platform} username=${username} label=${network} /> <span dir="auto">${nameOf(usePeople().byId.get(target.accountId) ?? target)}</span></h2>
      <${StateMark} state=${delivery.state} />
    </div>
    ${delivery.goneAt && html`<p class="warning"><span aria-hidden="true">⚠</span> ${say(words.gone, { time: formatInstant(delivery.goneAt, timeZone) })}</p>`}
    <p class="small">${paragraph(!delivery.goneAt && names.states[delivery.state].meaning, target.scheduledAt && time && say(words.ownTime, { time: formatInstant(time, timeZone) }))}</p>
    ${attention && isUnsettled(delivery.state) && html`<div class="problem"><strong>${words.needsOwner}</strong><p dir="auto" title=${attention.message}>${sayAttention(attention)}</p><a href="#/accounts">${words.openAccounts}</a></div>`}
    ${delivery.error && html`<${Trouble} error=${delivery.error} state=${delivery.state} />`}
    ${delivery.edit && html`<${Edit} ...${delivery.edit} />`}
    ${
      validation
        ? html`<${Preview} account=${{ ...target, id: target.accountId }} validation=${validation} fit=${{ mediaFit: target.mediaFit ?? post.mediaFit, padColor: target.padColor ?? post.padColor }} files=${new Map(files.map((file) => [file.id, file]))} />`
        : html`${partsOf(post, target).map((part) => html`<${Text} text=${part} />`)}
          ${post.firstComment && html`<p class="small">${sentences.shared.post.firstComment}</p><${Text} text=${post.firstComment} />`}
          <${Pictures} files=${files} />`
    }
    ${metrics && delivery.state === 'published' && html`<${Numbers} metrics=${metrics} target=${target} />`}
    ${(metrics?.fetchedAt || metrics?.nextFetchAt) && delivery.state === 'published' && html`<${Check} postId=${post.id} accountId=${target.accountId} reload=${reload} />`}
    ${delivery.externalUrl && delivery.state !== 'removed' && html`<p><a href=${safe(delivery.externalUrl)} rel="noreferrer" target="_blank">${say(words.look, { network })}</a></p>`}
    <${Timeline} target=${target} timeZone=${timeZone} />
    <${Explanation} postId=${post.id} accountId=${target.accountId} timeZone=${timeZone} />
    <${DeliveryActions} post=${post} target=${target} reload=${reload} />
  </section>`
}

type Delivery = PostTarget['delivery']

/** The error of a delivery, its remedy, and the message of the network or the service. */
function Trouble({ error, state }: { error: NonNullable<Delivery['error']>; state: Delivery['state'] }) {
  const [happened, todo] = sayDelivery(error.code) ?? [toWords(error.code), '']
  return html`<div class="problem tone-${state === 'published' ? 'failed' : state}">
    <strong>${happened}</strong>
    ${todo && html`<p>${todo}</p>`}
    <p class="small" dir="auto">${error.message}</p>
  </div>`
}

/** An edit of a published post, until the network has it. */
const Edit = ({ state, text, error }: NonNullable<PostTarget['delivery']['edit']>) =>
  html`<div class="problem tone-${state === 'pending' ? 'publishing' : state}" role="status">
    <strong>${state === 'pending' ? words.editing : words.notEdited}</strong>
    ${text !== null && html`<${Text} text=${text} />`}
    ${error && html`<p dir="auto">${error.message}</p>`}
  </div>`

/** The address of a post on its network, if it is one of the web. */
const safe = (url: string) => (/^https?:/i.test(url) ? url : undefined)

function Timeline({ target: { delivery, threadParts }, timeZone }: { target: PostTarget; timeZone: string }) {
  const parts = threadParts?.length ?? 1
  const nameOf = (number: number, act: number) => {
    if (act > parts) return say(lineWords.attemptAfter, { number })
    return parts > 1 ? say(lineWords.attemptOfPart, { number, part: act }) : say(lineWords.attempt, { number })
  }
  const resultOf = (outcome: string | null, message: string | undefined) => {
    const result = outcome ? (outcomes[outcome] ?? outcome) : lineWords.underWay
    return message ? label(result, message) : result
  }
  const lines = delivery.history.map(({ number, act, startedAt, outcome, error }) => ({
    at: startedAt,
    text: label(nameOf(number, act), resultOf(outcome, error?.message)),
  }))
  const removedAt = delivery.acts.flatMap(({ removedAt }) => removedAt ?? []).sort()
  if (delivery.state === 'removed') lines.push({ at: removedAt.at(-1)!, text: lineWords.takenDown })
  const { nextAttemptAt: at, attempts } = delivery
  if (at) lines.push({ at, text: attempts > 0 ? lineWords.next : lineWords.first })
  if (lines.length === 0) return null
  return html`<ol class="timeline">
    ${lines.map(({ at, text }) => html`<li><time datetime=${at}>${formatInstant(at, timeZone)}</time> <span dir="auto">${text}</span></li>`)}
  </ol>`
}
