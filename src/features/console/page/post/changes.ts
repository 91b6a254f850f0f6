import { useState } from 'preact/hooks'
import type { DeliveryCheck, Platform, PostDetail, PostTarget, RemovedPost } from '../../../../clients/sdk/index.ts'
import { findEditObstacle, removal } from '../../../../engine/delivery/owner-rules.ts'
import { useAction } from '../hooks.ts'
import { html } from '../html.ts'
import { label, paragraph, say, sentences } from '../language.ts'
import { Confirm } from '../parts.ts'
import { formatDollars } from '../preview/preview.ts'
import { Problem } from '../problem.ts'
import { useAccountNames, useCan, useSession, versionOf } from '../session.ts'
import { partsOf } from '../words.ts'

const words = sentences.post.changes

type Change = Platform['changes']['remove' | 'edit']

/** Why a network leaves a post as it is, in the words of the catalogue; undefined if it changes it. */
function obstacleTo({ possible, reason, minutesMax, exceptions }: Change, post: PostDetail, { delivery }: PostTarget) {
  if (!possible) return reason
  if (!delivery.externalId) return words.noId
  if (minutesMax && Date.parse(delivery.publishedAt ?? '') + minutesMax * 60_000 < Date.now()) {
    return say(words.minutes, { count: minutesMax })
  }
  return exceptions.find(({ kind, postTypes }) => kind !== 'comment' && postTypes?.includes(post.postType))?.reason
}

/** The price and the warning of a change, which a person reads before it. */
const notesOn = ({ usdMicros, warning }: Change) =>
  paragraph(usdMicros ? say(sentences.shared.post.charges, { price: formatDollars(usdMicros) }) : '', warning)

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
    return notes && removed.length > 1 ? label(list([target]), notes) : notes
  }
  const act = async () => setLeft((await client.posts.remove(post.id, versionOf(post))).left)
  const says = paragraph(
    say(words.takeDownHelp, { accounts: list(removed) }),
    ...removed.map(notesOf),
    kept.length > 0 && say(words.stays, { accounts: list(kept) }),
  )
  return html`
    ${canPublish && removed.length > 0 && html`<${Confirm} label=${words.takeDown} isDangerous says=${says} act=${act} onDone=${reload} />`}
    ${left.map(({ accountId, message }) => html`<p class="small" role="status">${label(list(post.targets.filter((target) => target.accountId === accountId)), message)}</p>`)}
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
        html`<${Confirm} label=${words.edit} act=${change} onDone=${reload}
          says=${paragraph(say(words.editHelp, { account: where }), edit.keepsId === false && words.newId, notesOn(edit))}>
          <label>${sentences.shared.post.text} <textarea name="text" rows="6" dir="auto">${delivery.edit?.text ?? partsOf(post, target)[0]}</textarea></label>
        <//>`
      }
      ${post.targets.length > 1 && !obstacles[1] && html`<${Confirm} label=${words.takeDownHere} isDangerous act=${takeDown} onDone=${reload} says=${paragraph(say(words.takeDownHelp, { accounts: where }), notesOn(remove))} />`}
    </div>
    ${[...new Set(obstacles)].map((reason) => reason && html`<p class="small">${reason}</p>`)}
  `
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
    <button type="button" disabled=${isRunning} onClick=${run}>${words.check}</button>
    ${check && html`<p class="small" role="status" dir="auto">${paragraph(words.results[check.result], check.error?.message)}</p>`}
    ${error && html`<${Problem} error=${error} />`}
  `
}
