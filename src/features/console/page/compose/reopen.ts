import { NotFound, type PostDetail, type PostTarget } from '../../../../clients/sdk/index.ts'
import { isSent } from '../due.ts'
import { keep, readKept, useAction } from '../hooks.ts'
import { html } from '../html.ts'
import { say, sayElements, sentences } from '../language.ts'
import { Confirm } from '../parts.ts'
import { Problem } from '../problem.ts'
import { unless, useAccountNames, useCan, useSession } from '../session.ts'
import { isBlank, newDraft, type Stored } from './draft.ts'
import { fileIdsOf, isDivided, retriedOf, toDraft, toStored, withTimes } from './stored.ts'

const words = sentences.compose.reopen
const note = sentences.compose.stored

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
    if (files.size < fileIds.length) throw new Error(words.foreignFile)
    if (isDivided(post)) throw new Error(words.divided)
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
      ...(gone ? [say(words.gone, { accounts: gone })] : []),
      ...(missing > 0 ? [say(words.filesGone, { missing, count: fileIds.length })] : []),
      ...(wasDeleted ? [words.fileDeleted] : []),
      ...(isDivided(post) ? [words.nowDivided] : []),
    ]
    keep('compose', { ...toDraft(post, files, post.targets.filter(isListed)), ...(lost.length > 0 && { lost }) })
  }
  return html`
    ${(isOut ? failed.length > 0 && canPublish : post.status === 'draft' || canPublish) && html`<${Open} label=${isOut ? words.correct : words.open} act=${open} />`}
    <${Open} label=${isOut ? words.again : words.duplicate} act=${copy} />
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
    return html`<${Confirm} label=${label} act=${act} onDone=${leave} says=${words.drops} />`
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
    ? html`<p class="small">${sayElements(note.out, { link: html`<a href="#/posts/${id}">${note.post}</a>` })}</p>`
    : html`<p class="small">${sayElements(note.changes, { link: html`<a href="#/posts/${id}">${status === 'draft' ? note.draft : note.scheduled}</a>` })}</p>
      ${unsent && html`<p class="warning" dir="auto">${say(note.unsent, { accounts: unsent })}</p>`}
      ${cancelled && html`<p class="small" dir="auto">${say(note.cancelled, { accounts: cancelled })}</p>`}`
