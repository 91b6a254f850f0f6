import { type Media, NotFound, type PostDetail, type PostTarget } from '../../../../clients/sdk/index.ts'
import { keep, readKept, useAction } from '../hooks.ts'
import { html } from '../html.ts'
import { Confirm } from '../parts.ts'
import { Problem } from '../problem.ts'
import { unless, useAccountNames, useCan, useSession, versionOf } from '../session.ts'
import { OWN_ZONE, toLocal } from '../time.ts'
import { fromParts, partsOf, toParts } from '../words.ts'
import { type Draft, newDraft, type Own, type Stored, timesOf } from './draft.ts'
import { toTyped } from './fields.ts'

const ownFiles = ({ threadMedia, mediaIds }: PostTarget) => threadMedia ?? (mediaIds && [mediaIds])

const fileIdsOf = ({ mediaIds, targets }: PostDetail) => [
  ...new Set([mediaIds, ...targets.map((target) => ownFiles(target)?.flat() ?? [])].flat()),
]

/** Buttons that open a post in the composer: to change it, and as a new post. */
export function Reopen({ post }: { post: PostDetail }) {
  const { client } = useSession()
  const canWrite = useCan('posts:write')
  const canPublish = useCan('posts:publish')
  const canSeeFiles = useCan('media:read')
  const nameAccounts = useAccountNames()
  const fileIds = fileIdsOf(post)
  if (!canWrite || (fileIds.length > 0 && !canSeeFiles)) return null
  const readFiles = async () => {
    const files = await Promise.all(fileIds.map((id) => client.media.get(id).catch(unless(NotFound, undefined))))
    return new Map(files.flatMap((file) => (file ? [[file.id, file]] : [])))
  }
  const open = async () => {
    const files = await readFiles()
    if (files.size < fileIds.length) throw new Error('A file of the post is not yours, so the composer cannot show it.')
    if (isDivided(post)) throw new Error('A part of the thread has a line of ---, which would divide it here.')
    const draft = withTimes(toDraft(post, files), post)
    keep('compose', { ...draft, stored: toStored(post, draft) })
  }
  const copy = async () => {
    const [files, accounts] = await Promise.all([readFiles(), Array.fromAsync(client.accounts.list())])
    const isListed = ({ accountId }: PostTarget) => accounts.some(({ id }) => id === accountId)
    const gone = nameAccounts(post.targets.filter((target) => !isListed(target)))
    const missing = fileIds.length - files.size
    const wasDeleted = post.targets.some(({ delivery }) => delivery.error?.code === 'media_deleted')
    const lost = [
      ...(gone ? [`Not connected any more: ${gone}.`] : []),
      ...(missing > 0 ? [`${missing} of ${fileIds.length} files cannot be used any more.`] : []),
      ...(wasDeleted ? ['A file was deleted after the post had been made.'] : []),
      ...(isDivided(post) ? ['A line of --- in a part now divides it.'] : []),
    ]
    keep('compose', { ...toDraft(post, files, post.targets.filter(isListed)), ...(lost.length > 0 && { lost }) })
  }
  return html`
    ${(post.status === 'draft' || (post.status === 'scheduled' && canPublish)) && html`<${Open} label="Open in the composer" act=${open} />`}
    <${Open} label=${post.status === 'published' ? 'Use again' : 'Duplicate'} act=${copy} />
  `
}

/** Whether nothing is typed or chosen in the composer. */
function isComposerBlank(): boolean {
  const blank = newDraft()
  return JSON.stringify({ ...blank, ...readKept('compose'), key: blank.key }) === JSON.stringify(blank)
}

/** A button that fills the composer and shows it. It asks before it drops something. */
function Open({ label, act }: { label: string; act: () => Promise<void> }) {
  const leave = () => location.assign('#/compose')
  const { run, error, isRunning } = useAction(async () => {
    await act()
    leave()
  })
  if (!isComposerBlank()) {
    return html`<${Confirm} label=${label} act=${act} onDone=${leave} says="What is typed in the composer now and not stored is dropped." />`
  }
  return html`<button type="button" disabled=${isRunning} onClick=${run}>${label}</button>${error && html`<${Problem} error=${error} />`}`
}

interface NoteProps {
  stored: Stored
  /** The accounts for which it is cancelled, and those to which it could not be sent. */
  names: { cancelled: string; unsent: string }
}

/** A line above the composer about the post that it changes, and about the deliveries that a change affects. */
export const StoredNote = ({ stored: { id, status }, names: { cancelled, unsent } }: NoteProps) =>
  html`<p class="small">What you store here changes <a href="#/posts/${id}">${status === 'draft' ? 'the draft' : 'the scheduled post'}</a>.</p>
    ${unsent && html`<p class="warning" dir="auto">It was not published to ${unsent}. A change of its content or time sends it there again, at its time.</p>`}
    ${cancelled && html`<p class="small" dir="auto">It stays cancelled for ${cancelled}.</p>`}`

const textOf = (post: PostDetail, target: PostTarget) => fromParts(partsOf(post, target))

/** Whether a part of the thread would become several where parts are typed as one text. */
const isDivided = (post: PostDetail) =>
  post.postType === 'thread' &&
  post.targets.some((target) => toParts(textOf(post, target)).join('\0') !== partsOf(post, target).join('\0'))

/** A stored post as it would be typed for some of its accounts, with the known ones of its files. */
function toDraft(post: PostDetail, known: ReadonlyMap<string, Media>, targets = post.targets): Draft {
  const { postType, mediaFit = null, padColor = null, firstComment, altTexts } = post
  const toFiles = (ids: string[]) => ids.flatMap((id) => known.get(id) ?? [])
  const caption = postType === 'thread' ? textOf(post, post.targets[0]!) : post.caption
  const toOwn = (target: PostTarget): Own => {
    const { fields, mediaFit = null, padColor = null } = target
    const text = textOf(post, target)
    return {
      mediaFit,
      padColor,
      caption: text === caption ? undefined : text,
      partFiles: ownFiles(target)?.map(toFiles),
      ...(fields && { fields: toTyped(fields) }),
    }
  }
  return {
    ...newDraft(),
    accountIds: targets.map(({ accountId }) => accountId),
    postType,
    caption,
    files: toFiles(post.mediaIds),
    altTexts,
    firstComment: firstComment ?? '',
    mediaFit,
    padColor,
    own: Object.fromEntries(targets.map((target) => [target.accountId, toOwn(target)])),
  }
}

/** A draft with the times of the post, in its time zone. */
function withTimes(draft: Draft, { scheduledAt, timeZone = OWN_ZONE, targets }: PostDetail): Draft {
  const typed = (time: string | null) => (time ? toLocal(new Date(time), timeZone) : '')
  const own = targets.map(({ accountId, scheduledAt }) => [
    accountId,
    { ...draft.own[accountId], time: typed(scheduledAt) },
  ])
  return { ...draft, time: typed(scheduledAt), timeZone, own: Object.fromEntries(own) }
}

/** The stored post that a draft changes. */
export const toStored = (post: PostDetail, draft: Draft): Stored => ({
  id: post.id,
  ...versionOf(post),
  status: post.status === 'draft' ? 'draft' : 'scheduled',
  times: timesOf(draft),
  states: Object.fromEntries(post.targets.map(({ accountId, delivery }) => [accountId, delivery.state])),
  fields: Object.fromEntries(post.targets.map(({ accountId, fields }) => [accountId, fields])),
})
