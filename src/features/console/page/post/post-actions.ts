import type { PatchPost, PostDetail, PostTarget } from '../../../../clients/sdk/index.ts'
import { Reopen } from '../compose/reopen.ts'
import { isDue, isSent, publishesNow } from '../due.ts'
import { calendarAddress } from '../hooks.ts'
import { html } from '../html.ts'
import { keepWarnings } from '../issues.ts'
import { Confirm } from '../parts.ts'
import { useAccountNames, useCan, useSession, versionOf } from '../session.ts'
import { isPast, OWN_ZONE, toInstant, toLocal, toSchedule } from '../time.ts'
import { fromParts, partsOf, toParts } from '../words.ts'
import { TakeDown } from './changes.ts'

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
  const publishSays = [
    `The post goes out to ${sent.length === 1 ? nameAccounts(sent) : `all ${sent.length} accounts`} within seconds.`,
    sent.some(({ scheduledAt }) => scheduledAt) ? ' Times of single accounts do not count any more.' : '',
    cancelled.length > 0 ? ` It stays cancelled for ${nameAccounts(cancelled)}.` : '',
  ].join('')
  const publish = () => client.posts.publish(post.id, versionOf(post))
  return html`<div class="buttons">
    <${Reopen} post=${post} />
    ${
      (isDraft ? canWrite : canPublish) &&
      html`<${Confirm} label="Change the text" act=${changeText} publishes=${textPublishes} onDone=${reload} says="Accounts with a text of their own keep it.${isThread ? ' A line of --- begins the next part.' : ''}">
        <label>Text <textarea name="caption" rows="6" dir="auto">${text}</textarea></label>
      <//>`
    }
    ${
      canPublish &&
      html`<${Confirm} label=${isDraft ? 'Schedule' : 'Change the time'} act=${changeTime} publishes=${timePublishes} onDone=${reload}
          says="The post goes out at this time, to every account without a time of its own.">
          <label>Time in ${zone} <input name="time" type="datetime-local" required defaultValue=${time} /></label>
        <//>
        <${Confirm} label="Publish now" act=${publish} onDone=${reload} says=${publishSays} />`
    }
    ${(isDraft ? canWrite : canPublish) && html`<${Confirm} label="Delete" isDangerous act=${remove} onDone=${leave} says="The post is deleted, and nothing of it is published." />`}
  </div>`
}
