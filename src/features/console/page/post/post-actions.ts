import type { PatchPost, PostDetail, PostTarget } from '../../../../clients/sdk/index.ts'
import { Reopen } from '../compose/reopen.ts'
import { isDue, isSent, publishesNow } from '../due.ts'
import { calendarAddress } from '../hooks.ts'
import { html } from '../html.ts'
import { keepWarnings } from '../issues.ts'
import { paragraph, say, sentences } from '../language.ts'
import { Confirm } from '../parts.ts'
import { useAccountNames, useCan, useSession, versionOf } from '../session.ts'
import { isPast, OWN_ZONE, toInstant, toLocal, toSchedule } from '../time.ts'
import { fromParts, partsOf, toParts } from '../words.ts'
import { TakeDown } from './changes.ts'

const words = sentences.post.actions
const { actions } = sentences.shared

interface ActionsProps {
  post: PostDetail
  reload: () => void
}

export function PostActions({ post, reload }: ActionsProps) {
  const { client } = useSession()
  const canWrite = useCan('posts:write')
  const canPublish = useCan('posts:publish')
  const nameAccounts = useAccountNames()
  if (post.status === 'published') {
    return html`<div class="buttons"><${Reopen} post=${post} /><${TakeDown} post=${post} reload=${reload} /></div>`
  }
  const isDraft = post.status === 'draft'
  const change = async (changes: PatchPost) =>
    keepWarnings(await client.posts.update(post.id, changes, versionOf(post)))
  const textOf = (target: PostTarget) => fromParts(partsOf(post, target))
  const isThread = post.postType === 'thread'
  const inCaption = post.targets.find((target) => textOf(target) === post.caption)
  const text = isThread ? textOf(inCaption ?? post.targets[0]!) : post.caption
  /** Says which of these accounts get the post as soon as a change of it is stored. */
  const publishesTo = (targets: PostTarget[], time?: Date) => {
    const due = ({ scheduledAt, delivery }: PostTarget) =>
      isDue(delivery.state, time ?? new Date(scheduledAt ?? post.scheduledAt!))
    return publishesNow(nameAccounts(isDraft && !time ? [] : targets.filter(due)))
  }
  const followers = post.targets.filter((target) =>
    isThread ? textOf(target) === text : target.captionOverride === null,
  )
  const textPublishes = (fields: FormData) => (fields.get('caption') === text ? undefined : publishesTo(followers))
  const changeText = (fields: FormData) => {
    const caption = String(fields.get('caption'))
    const changed = isThread ? followers : []
    const parts = Object.fromEntries(changed.map(({ accountId }) => [accountId, toParts(caption)]))
    return change({ caption, ...(isThread && { threadParts: parts }) })
  }
  const zone = post.timeZone ?? OWN_ZONE
  const time = post.scheduledAt ? toLocal(new Date(post.scheduledAt), zone) : ''
  const readTime = (fields: FormData) =>
    fields.get('time') === time ? new Date(post.scheduledAt!) : toInstant(String(fields.get('time')), zone)
  const timePublishes = (fields: FormData) => {
    const ofPost = post.targets.filter(({ scheduledAt }) => scheduledAt === null)
    return publishesTo(ofPost, readTime(fields))
  }
  const changeTime = (fields: FormData) =>
    change(
      isPast(readTime(fields))
        ? toSchedule(new Date(), zone)
        : { scheduledAt: `${fields.get('time')}:00`, timeZone: zone, ...(post.fold && { fold: post.fold }) },
    )
  const remove = () => client.posts.delete(post.id, versionOf(post))
  const leave = (error?: Error) => (error ? reload() : location.assign(calendarAddress()))
  const [sent, cancelled] = [true, false].map((isWanted) =>
    post.targets.filter(({ delivery }) => isSent(delivery.state) === isWanted),
  ) as [PostTarget[], PostTarget[]]
  const publishSays = paragraph(
    sent.length === 1
      ? say(words.publishTo, { accounts: nameAccounts(sent) })
      : say(words.publishToAll, { count: sent.length }),
    sent.some(({ scheduledAt }) => scheduledAt) && words.ownTimes,
    cancelled.length > 0 && say(words.cancelled, { accounts: nameAccounts(cancelled) }),
  )
  const publish = () => client.posts.publish(post.id, versionOf(post))
  return html`<div class="buttons">
    <${Reopen} post=${post} />
    ${
      (isDraft ? canWrite : canPublish) &&
      html`<${Confirm} label=${words.text} act=${changeText} publishes=${textPublishes} onDone=${reload} says=${paragraph(words.textHelp, isThread && sentences.shared.post.nextPart)}>
        <label>${sentences.shared.post.text} <textarea name="caption" rows="6" dir="auto">${text}</textarea></label>
      <//>`
    }
    ${
      canPublish &&
      html`<${Confirm} label=${isDraft ? actions.schedule : words.time} act=${changeTime} publishes=${timePublishes} onDone=${reload}
          says=${words.timeHelp}>
          <label>${say(words.timeIn, { zone })} <input name="time" type="datetime-local" required defaultValue=${time} /></label>
        <//>
        <${Confirm} label=${actions.publishNow} act=${publish} onDone=${reload} says=${publishSays} />`
    }
    ${(isDraft ? canWrite : canPublish) && html`<${Confirm} label=${actions.delete} isDangerous act=${remove} onDone=${leave} says=${words.deleteHelp} />`}
  </div>`
}
