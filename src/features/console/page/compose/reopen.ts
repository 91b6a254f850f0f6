import { NotFound, type PostDetail, type PostTarget } from '../../../../clients/sdk/index.ts'
import { isSent } from '../due.ts'
import { keep, readKept, useAction } from '../hooks.ts'
import { html } from '../html.ts'
import { Confirm } from '../parts.ts'
import { Problem } from '../problem.ts'
import { unless, useAccountNames, useCan, useSession } from '../session.ts'
import { isBlank, newDraft, type Stored } from './draft.ts'
import { fileIdsOf, isDivided, retriedOf, toDraft, toStored, withTimes } from './stored.ts'

/** Buttons that open a post in the composer: to change it, and as a new post. */
export function Reopen({ post }: { post: PostDetail }) {
  const { client } = useSession()
  const canWrite = useCan('posts:write')
  const canPublish = useCan('posts:publish')
  const canSeeFiles = useCan('media:read')
  const nameAccounts = useAccountNames()
  const fileIds = fileIdsOf(post)
  const isOut = post.status === 'published'
  const again = retriedOf(post)
  const failed = again.filter(({ delivery }) => isSent(delivery.state))
  if (!canWrite || (fileIds.length > 0 && !canSeeFiles)) return null
  const readFiles = async () => {
    const files = await Promise.all(fileIds.map((id) => client.media.get(id).catch(unless(NotFound, undefined))))
    return new Map(files.flatMap((file) => (file ? [[file.id, file]] : [])))
  }
  const open = async () => {
    const files = await readFiles()
    if (files.size < fileIds.length) throw new Error('A file of the post is not yours, so the composer cannot show it.')
    if (isDivided(post)) throw new Error('A part of the thread has a line of ---, which would divide it here.')
    const draft = isOut ? toDraft(post, files, again) : withTimes(toDraft(post, files), post)
    const accountIds = isOut ? failed.map(({ accountId }) => accountId) : draft.accountIds
    keep('compose', { ...draft, accountIds, stored: toStored(post, draft) })
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
    ${(isOut ? failed.length > 0 && canPublish : post.status === 'draft' || canPublish) && html`<${Open} label=${isOut ? 'Correct and retry' : 'Open in the composer'} act=${open} />`}
    <${Open} label=${isOut ? 'Use again' : 'Duplicate'} act=${copy} />
  `
}

/** A button that fills the composer and shows it. It asks before it drops something. */
function Open({ label, act }: { label: string; act: () => Promise<void> }) {
  const leave = () => location.assign('#/compose')
  const { run, error, isRunning } = useAction(async () => {
    await act()
    leave()
  })
  if (!isBlank({ ...newDraft(), ...readKept('compose') })) {
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
  status === 'published'
    ? html`<p class="small">Accounts that have <a href="#/posts/${id}">the post</a> keep it as it is. The others get what you type here, without another time or first comment.</p>`
    : html`<p class="small">What you store here changes <a href="#/posts/${id}">${status === 'draft' ? 'the draft' : 'the scheduled post'}</a>.</p>
      ${unsent && html`<p class="warning" dir="auto">It was not published to ${unsent}. A change of its content or time sends it there again, at its time.</p>`}
      ${cancelled && html`<p class="small" dir="auto">It stays cancelled for ${cancelled}.</p>`}`
