import type { Account, PostType, PostWarning } from '../../../../clients/sdk/index.ts'
import { typingEnds, useKept, useLoad } from '../hooks.ts'
import { html } from '../html.ts'
import { Issues } from '../issues.ts'
import { capital, say, sayElements, sentences } from '../language.ts'
import { Empty, Loading } from '../parts.ts'
import { usePeople } from '../people.ts'
import { issuesOf } from '../preview/preview.ts'
import { Problem } from '../problem.ts'
import { useAccountNames, useCan, useSession } from '../session.ts'
import { AccountChoice } from './account-choice.ts'
import { Actions } from './actions.ts'
import { type Draft, hasFiles, newDraft, toBody } from './draft.ts'
import { type ChangeFiles, Files, FitFields } from './files.ts'
import { GivenTime } from './given-time.ts'
import { OnAccount } from './on-account.ts'
import { StoredNote } from './reopen.ts'
import { useRetry } from './retry.ts'
import { useStore } from './store.ts'
import { Timing } from './timing.ts'
import { Uploads, useUploads } from './uploads.ts'

const words = sentences.compose

export function Compose() {
  const { client, platforms } = useSession()
  const canPublish = useCan('posts:publish')
  const nameAccounts = useAccountNames()
  const canUpload = useCan('media:write')
  const canPick = useCan('media:read')
  const [draft, changeKept] = useKept<Draft>('compose', newDraft())
  // An upload or a request may end after another draft was begun or opened.
  const setDraft = (change: (draft: Draft) => Draft) =>
    changeKept((kept) => (kept.key === draft.key ? change(kept) : kept))
  const accounts = usePeople()
  const { uploads, isUploading } = useUploads(draft.key)
  const isListed = (id: string) => accounts.value?.some((account) => account.id === id) ?? true
  const accountIds = draft.accountIds.filter(isListed)
  const change = (changes: Partial<Draft>) => setDraft((draft) => ({ ...draft, ...changes }))
  const { stored } = draft
  const isOut = stored?.status === 'published'
  const setAltText = (id: string, text: string) =>
    setDraft((draft) => ({ ...draft, altTexts: { ...draft.altTexts, [id]: text } }))
  const filesProps = { altTexts: draft.altTexts, setAltText: isOut ? undefined : setAltText, draftKey: draft.key }
  const changeFiles = (change: ChangeFiles) => setDraft((draft) => ({ ...draft, files: change(draft.files) }))

  const body = toBody({ ...draft, accountIds })
  const check = useLoad(
    async (signal) => {
      if (body.accountIds.length === 0) return undefined
      await typingEnds(signal)
      return client.posts.validate(body, { include: ['parts'], signal })
    },
    [client, JSON.stringify(body)],
  )
  const isOfAnother = ({ postId }: PostWarning) => postId === undefined || postId !== stored?.id
  const validation = check.value && { ...check.value, warnings: check.value.warnings.filter(isOfAnother) }

  const chosen = (accounts.value ?? []).filter(({ id }) => accountIds.includes(id))
  const storing = useStore({ ...draft, accountIds }, chosen, setDraft)
  const retrying = useRetry({ ...draft, accountIds }, setDraft)
  const { error, isRunning, clear, names } = storing
  const types = new Set(
    chosen.flatMap(({ platform }) => Object.keys(platforms.get(platform)?.postTypes ?? {}) as PostType[]),
  )
  types.add(draft.postType)
  const takesComment = chosen.some(({ platform }) => platforms.get(platform)?.postTypes[draft.postType]?.firstComment)
  const refusal = validation?.create.error
  const isSaid = validation?.violations.some(({ message }) => refusal?.includes(message))
  const isPublishable = validation?.publishable === true
  const isBusy = isRunning || isUploading
  const canStore = validation?.create.status === 201 && !check.isLoading && !check.error && !isBusy
  return html`
    <h1>${words.title}</h1>
    <${GivenTime} draft=${draft} setDraft=${setDraft} />
    ${stored && html`<${StoredNote} stored=${stored} names=${names} />`}
    ${draft.lost && html`<div class="problem tone-unconfirmed" role="status"><strong>${words.lostTitle}</strong>${draft.lost.map((sentence) => html`<p dir="auto">${sentence}</p>`)}</div>`}
    <div class="with-side">
      <section aria-label=${words.post}>
        <${Loading} loaded=${accounts}>
          ${(list: Account[]) =>
            list.length === 0
              ? html`<${Empty}>${sayElements(words.connectFirst, { link: html`<a href="#/accounts">${words.accounts.title}</a>` })}<//>`
              : html`<${AccountChoice} accounts=${list.filter(({ id }) => !isOut || id in stored.retried!)} chosen=${accountIds} onChange=${(accountIds: string[]) => change({ accountIds })} />`}
        <//>
        ${accountIds.length < draft.accountIds.length && html`<p class="warning" role="status">${words.gone}</p>`}
        ${retrying.sentIds.length > 0 && html`<p class="small" role="status" dir="auto">${say(words.retried, { accounts: nameAccounts((accounts.value ?? []).filter(({ id }) => retrying.sentIds.includes(id))) })}</p>`}
        ${types.size > 1 && !isOut && html`<label>${words.type} <select onChange=${(event: Event) => change({ postType: (event.target as HTMLSelectElement).value as PostType })}>${[...types].map((type) => html`<option key=${type} value=${type} selected=${type === draft.postType}>${capital(sentences.names.postTypes[type])}</option>`)}</select></label>`}
        ${draft.postType === 'thread' && html`<p class="small">${words.thread}</p>`}
        <label>${sentences.shared.post.text} <textarea rows="8" dir="auto" value=${draft.caption} onInput=${(event: Event) => change({ caption: (event.target as HTMLTextAreaElement).value })} /></label>
        ${(takesComment || draft.firstComment) && !isOut && html`<label>${words.comment} <textarea rows="2" dir="auto" value=${draft.firstComment} onInput=${(event: Event) => change({ firstComment: (event.target as HTMLTextAreaElement).value })} /></label>`}
        ${hasFiles(draft) && html`<${FitFields} ...${draft} onChange=${change} />`}
        ${(canUpload || canPick) && html`<${Files} files=${draft.files} onChange=${changeFiles} ...${filesProps} />`}
        ${
          canPublish &&
          !isOut &&
          html`<${Timing} draft=${draft} change=${(changes: Partial<Draft>) => {
            clear()
            change(changes)
          }} />`
        }
        ${check.error && html`<${Problem} error=${check.error} onRetry=${check.reload} />`}
        ${error && html`<${Problem} error=${error} />`}
        <div role="status">
          ${refusal && !isSaid && html`<${Refusal} says=${refusal} isQueued=${draft.isQueued && validation?.create.status === 409} />`}
          <${Issues} issues=${issuesOf(validation, undefined)} />
        </div>
        <${Uploads} uploads=${uploads} />
        <${Actions} ...${{ draft, setDraft, storing, retrying, canStore, isPublishable, isBusy }} />
      </section>
      <aside aria-label=${words.eachAccount}>
        ${chosen.length === 0 && html`<${Empty}>${words.choose}<//>`}
        ${chosen.map(
          (account) =>
            html`<${OnAccount} key=${account.id} account=${account} draft=${draft} validation=${validation} setDraft=${setDraft} ...${filesProps} />`,
        )}
      </aside>
    </div>
  `
}

/** Says that the service would refuse the post. Which account lacks slots stands only in the words of the service. */
const Refusal = ({ says, isQueued }: { says: string; isQueued: boolean }) =>
  isQueued
    ? html`<p class="warning"><span aria-hidden="true">✕</span> ${sayElements(words.noSlot, { link: html`<a href="#/accounts">${words.addSlots}</a>` })}</p>
      <details class="small"><summary>${sentences.problems.details}</summary><p dir="auto">${says}</p></details>`
    : html`<p class="warning" dir="auto"><span aria-hidden="true">✕</span> ${says}</p>`
