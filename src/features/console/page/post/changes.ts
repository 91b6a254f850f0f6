import { useState } from 'preact/hooks'
import type { DeliveryCheck, Platform, PostDetail, PostTarget, RemovedPost } from '../../../../clients/sdk/index.ts'
import { findEditObstacle, removal } from '../../../../engine/delivery/owner-rules.ts'
import { useAction } from '../hooks.ts'
import { html } from '../html.ts'
import { Confirm } from '../parts.ts'
import { formatDollars } from '../preview.ts'
import { Problem } from '../problem.ts'
import { useAccountNames, useCan, useSession, versionOf } from '../session.ts'
import { partsOf } from '../words.ts'

type Change = Platform['changes']['remove' | 'edit']

/** Why a network leaves a post as it is, in the words of the catalogue; undefined if it changes it. */
function obstacleTo({ possible, reason, minutesMax, exceptions }: Change, post: PostDetail, { delivery }: PostTarget) {
  if (!possible) return reason
  if (!delivery.externalId) return 'Its id on the network is not known: change it there.'
  if (minutesMax && Date.parse(delivery.publishedAt ?? '') + minutesMax * 60_000 < Date.now()) {
    return `The network allows it for ${minutesMax} minutes only.`
  }
  return exceptions.find(({ kind, postTypes }) => kind !== 'comment' && postTypes?.includes(post.postType))?.reason
}

/** The price and the warning of a change, which a person reads before it. */
const notesOn = ({ usdMicros, warning }: Change) =>
  `${usdMicros ? ` The network charges ${formatDollars(usdMicros)}.` : ''}${warning ? ` ${warning}` : ''}`

const isOut = ({ delivery: { acts } }: PostTarget) => acts.some(({ removedAt }) => !removedAt)

const isRemovable = (target: PostTarget) =>
  target.delivery.state !== 'removing' && 'state' in removal({ state: target.delivery.state, isOut: isOut(target) })

/** Takes a post down from every account whose network deletes it. */
export function TakeDown({ post, reload }: { post: PostDetail; reload: () => void }) {
  const { client, platforms } = useSession()
  const canPublish = useCan('posts:publish')
  const list = useAccountNames()
  const [left, setLeft] = useState<RemovedPost['left']>([])
  const targetsOf = (isRemoved: boolean) =>
    post.targets.filter((target) => {
      const remove = platforms.get(target.platform)?.changes.remove
      return isRemovable(target) && remove && (obstacleTo(remove, post, target) === undefined) === isRemoved
    })
  const removed = targetsOf(true)
  const kept = targetsOf(false)
  const notesOf = (target: PostTarget) => {
    const notes = notesOn(platforms.get(target.platform)!.changes.remove)
    return notes && removed.length > 1 ? ` ${list([target])}:${notes}` : notes
  }
  const act = async () => setLeft((await client.posts.remove(post.id, versionOf(post))).left)
  const says = `The post is deleted from ${list(removed)}, with its comments there. This cannot be undone.${removed.map(notesOf).join('')}${kept.length > 0 ? ` It stays on ${list(kept)}.` : ''}`
  return html`
    ${canPublish && removed.length > 0 && html`<${Confirm} label="Take down" isDangerous says=${says} act=${act} onDone=${reload} />`}
    ${left.map(({ accountId, message }) => html`<p class="small" role="status">${list(post.targets.filter((target) => target.accountId === accountId))}: ${message}</p>`)}
  `
}

/** Edits what was published to one account, and takes it down there, or says why its network does not. */
export function Changes({ post, target, reload }: { post: PostDetail; target: PostTarget; reload: () => void }) {
  const { client, platforms } = useSession()
  const changes = platforms.get(target.platform)?.changes
  const { accountId, threadParts, delivery } = target
  const where = useAccountNames()([target])
  if (!changes || !isRemovable(target)) return null
  const { edit, remove } = changes
  const isEditable =
    !findEditObstacle({ state: delivery.state, isOut: isOut(target) }) &&
    delivery.edit?.state !== 'pending' &&
    (threadParts ?? []).length < 2
  const canEdit = isEditable && (!edit.possible || edit.what.includes('text'))
  const obstacles = [canEdit && obstacleTo(edit, post, target), obstacleTo(remove, post, target)]
  const change = (fields: FormData) => {
    const body = { text: String(fields.get('text')), ...(edit.keepsId === false && { acceptNewId: true }) }
    return client.deliveries.edit(post.id, accountId, body, versionOf(post))
  }
  const takeDown = () => client.deliveries.remove(post.id, accountId, versionOf(post))
  return html`
    <div class="buttons">
      ${
        canEdit &&
        !obstacles[0] &&
        html`<${Confirm} label="Edit" act=${change} onDone=${reload}
          says="The post of ${where} gets this text. Files and comments stay as they are.${edit.keepsId === false ? ' It becomes a new post there, with another address.' : ''}${notesOn(edit)}">
          <label>Text <textarea name="text" rows="6" dir="auto">${delivery.edit?.text ?? partsOf(post, target)[0]}</textarea></label>
        <//>`
      }
      ${post.targets.length > 1 && !obstacles[1] && html`<${Confirm} label="Take down here" isDangerous act=${takeDown} onDone=${reload} says="The post is deleted from ${where}, with its comments there. This cannot be undone.${notesOn(remove)}" />`}
    </div>
    ${[...new Set(obstacles)].map((reason) => reason && html`<p class="small">${reason}</p>`)}
  `
}

const RESULTS: Record<DeliveryCheck['result'], string> = {
  shown: 'The network shows it.',
  not_shown: 'The network did not show it this time, and is asked again within 15 minutes.',
  gone: 'The network does not show it any more.',
  unknown: 'The network did not tell.',
}

/** Asks the network whether it still shows a post. */
export function Check({ postId, accountId, reload }: { postId: string; accountId: string; reload: () => void }) {
  const { client } = useSession()
  const [check, setCheck] = useState<DeliveryCheck>()
  const { run, error, isRunning } = useAction(async () => {
    setCheck(await client.deliveries.check(postId, accountId))
    reload()
  })
  return html`
    <button type="button" disabled=${isRunning} onClick=${run}>Check whether it is still there</button>
    ${check && html`<p class="small" role="status" dir="auto">${RESULTS[check.result]} ${check.error?.message ?? ''}</p>`}
    ${error && html`<${Problem} error=${error} />`}
  `
}
