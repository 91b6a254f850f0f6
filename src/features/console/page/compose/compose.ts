import { useState } from 'preact/hooks'
import type { Account, PostType, PostValidation, PostWarning } from '../../../../clients/sdk/index.ts'
import { typingEnds, useKept, useLoad } from '../hooks.ts'
import { html } from '../html.ts'
import { Issues } from '../issues.ts'
import { Confirm, Empty, Loading, Network, ZoneField } from '../parts.ts'
import { issuesOf, Preview } from '../preview.ts'
import { Problem } from '../problem.ts'
import { useCan, useNames, useSession } from '../session.ts'
import { formatInstant, OWN_ZONE } from '../time.ts'
import { toWords } from '../words.ts'
import { type Draft, type Fit, filesOf, hasFiles, isTimed, newDraft, type Own, toBody } from './draft.ts'
import { Fields, fieldOf, type TypedFields } from './fields.ts'
import { type ChangeFiles, Files, FitFields, type Sending, type SendingProps } from './files.ts'
import { StoredNote } from './reopen.ts'
import { showPost, useStore } from './store.ts'

export function Compose() {
  const { client, platforms } = useSession()
  const canPublish = useCan('posts:publish')
  const canUpload = useCan('media:write')
  const [draft, setDraft] = useKept<Draft>('compose', newDraft())
  const accounts = useLoad(async () => Array.fromAsync(client.accounts.list()), [client])
  const [sending, setSending] = useState<Sending>()
  const isListed = (id: string) => accounts.value?.some((account) => account.id === id) ?? true
  const accountIds = draft.accountIds.filter(isListed)
  const change = (changes: Partial<Draft>) => setDraft((draft) => ({ ...draft, ...changes }))
  const setAltText = (id: string, text: string) =>
    setDraft((draft) => ({ ...draft, altTexts: { ...draft.altTexts, [id]: text } }))
  const filesProps = { altTexts: draft.altTexts, setAltText, sending, setSending }
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
  const { stored } = draft
  const isOfAnother = ({ postId }: PostWarning) => postId === undefined || postId !== stored?.id
  const validation = check.value && { ...check.value, warnings: check.value.warnings.filter(isOfAnother) }

  const chosen = (accounts.value ?? []).filter(({ id }) => accountIds.includes(id))
  const storing = useStore({ ...draft, accountIds }, chosen, setDraft)
  const { run, error, isRunning, clear, sayDue, publish, withdraw, sent, names } = storing
  const isStoredTimed = stored?.status === 'scheduled'
  const due = sayDue()
  const toggle = (id: string) => {
    change({ accountIds: accountIds.includes(id) ? accountIds.filter((each) => each !== id) : [...accountIds, id] })
  }
  const types = new Set(chosen.flatMap(({ platform }) => Object.keys(platforms.get(platform)?.postTypes ?? {})))
  types.add(draft.postType)
  const takesComment = chosen.some(({ platform }) => platforms.get(platform)?.postTypes[draft.postType]?.firstComment)
  const refusal = validation?.create.error
  const isSaid = validation?.violations.some(({ message }) => refusal?.includes(message))
  const isScheduled = draft.isQueued || draft.time !== ''
  const canStore = validation?.create.status === 201 && !check.isLoading && !check.error && !isRunning && !sending
  return html`
    <h1>Compose</h1>
    ${stored && html`<${StoredNote} stored=${stored} names=${names} />`}
    ${draft.lost && html`<div class="problem tone-unconfirmed" role="status"><strong>Not everything could be taken over</strong>${draft.lost.map((sentence) => html`<p dir="auto">${sentence}</p>`)}</div>`}
    <div class="with-side">
      <section aria-label="Post">
        <${Loading} loaded=${accounts}>
          ${(list: Account[]) =>
            list.length === 0
              ? html`<${Empty}>Connect an account first: <a href="#/accounts">Accounts</a>.<//>`
              : html`<fieldset class="choices"><legend>Accounts</legend>
                ${list.map(
                  ({ id, platform, username, displayName, attention }) => html`<label class="check">
                    <input type="checkbox" checked=${draft.accountIds.includes(id)} onChange=${() => toggle(id)} />
                    <${Network} platform=${platform} /> <span dir="auto">${displayName ?? username}</span>
                    ${attention && html`<span class="warning" title=${attention.message}>⚠<span class="hidden"> ${attention.message}</span></span>`}
                  </label>`,
                )}
              </fieldset>`}
        <//>
        ${accountIds.length < draft.accountIds.length && html`<p class="warning" role="status">An account that was chosen is not connected any more. The post goes out without it.</p>`}
        ${types.size > 1 && html`<label>Type <select onChange=${(event: Event) => change({ postType: (event.target as HTMLSelectElement).value as PostType })}>${[...types].map((type) => html`<option key=${type} value=${type} selected=${type === draft.postType}>${toWords(type)}</option>`)}</select></label>`}
        ${draft.postType === 'thread' && html`<p class="small">A line of --- begins the next part. Files belong to the first one. An account may have its own in each part.</p>`}
        <label>Text <textarea rows="8" dir="auto" value=${draft.caption} onInput=${(event: Event) => change({ caption: (event.target as HTMLTextAreaElement).value })} /></label>
        ${(takesComment || draft.firstComment) && html`<label>First comment, or none <textarea rows="2" dir="auto" value=${draft.firstComment} onInput=${(event: Event) => change({ firstComment: (event.target as HTMLTextAreaElement).value })} /></label>`}
        ${hasFiles(draft) && html`<${FitFields} ...${draft} onChange=${change} />`}
        ${canUpload && html`<${Files} files=${draft.files} onChange=${changeFiles} ...${filesProps} />`}
        ${
          canPublish &&
          html`<${Timing} draft=${draft} change=${(changes: Partial<Draft>) => {
            clear()
            change(changes)
          }} />`
        }
        ${check.error && html`<${Problem} error=${check.error} onRetry=${check.reload} />`}
        ${error && html`<${Problem} error=${error} />`}
        ${stored && storing.isOvertaken && html`<${Confirm} label="Store this instead" isDangerous isDisabled=${!canStore} act=${storing.overwrite} publishes=${sayDue} onDone=${(error?: Error) => error || showPost(stored.id)} says="The post gets what is typed here, in place of what somebody else has typed meanwhile." />`}
        ${
          storing.isReused &&
          html`<p class="warning" role="status">An earlier text of this post is stored already. <button type="button" onClick=${() => {
            storing.renew()
            clear()
          }}>Make this one another post</button></p>`
        }
        <div role="status">
          ${refusal && !isSaid && html`<${Refusal} says=${refusal} isQueued=${draft.isQueued && validation?.create.status === 409} />`}
          <${Issues} issues=${issuesOf(validation, undefined)} />
        </div>
        <div class="buttons">
          ${
            due
              ? html`<${Confirm} label="Publish now" isDisabled=${!canStore} act=${publish} onDone=${() => {}} says=${due} />`
              : (isScheduled || !isStoredTimed) &&
                html`<button type="button" class="primary" disabled=${!canStore} onClick=${run}>${isScheduled ? (isStoredTimed ? 'Save the changes' : 'Schedule') : 'Save the draft'}</button>`
          }
          ${canPublish && !isScheduled && html`<${Confirm} label="Publish now" isDisabled=${!canStore || !validation?.publishable} act=${publish} onDone=${() => {}} says="The post goes out to ${sent.length} ${sent.length === 1 ? 'account' : 'accounts'} within seconds." />`}
          ${isStoredTimed && html`<${Confirm} label="Back to draft" isDisabled=${isRunning || sending} act=${withdraw} onDone=${() => {}} says="The post gets what is typed here, but no time. Nothing of it is sent before somebody schedules or publishes it.${names.cancelled && ` It is then sent to ${names.cancelled} too, for which it is cancelled now.`}" />`}
          <${Confirm} label="Start again" says="What is typed and chosen on this page is dropped." act=${async () => setDraft(newDraft)} onDone=${() => {}} />
        </div>
      </section>
      <aside aria-label="Each account">
        ${chosen.length === 0 && html`<${Empty}>Choose accounts to see here what each of them gets.<//>`}
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
    ? html`<p class="warning"><span aria-hidden="true">✕</span> An account has no free slot. <a href="#/accounts">Add slots</a>, or choose a time.</p>
      <details class="small"><summary>Details</summary><p dir="auto">${says}</p></details>`
    : html`<p class="warning" dir="auto"><span aria-hidden="true">✕</span> ${says}</p>`

function Timing({ draft, change }: { draft: Draft; change: (changes: Partial<Draft>) => void }) {
  return html`<label class="check"><input type="checkbox" checked=${draft.isQueued} onChange=${() => change({ isQueued: !draft.isQueued })} /> In the next free slot of each account</label>
    <div class="fields" hidden=${draft.isQueued}>
      <label>Time, or none for a draft <input type="datetime-local" value=${draft.time} onInput=${(event: Event) => change({ time: (event.target as HTMLInputElement).value })} /></label>
      <${ZoneField} value=${draft.timeZone} onZone=${(timeZone: string) => change({ timeZone })} />
    </div>`
}

interface AccountProps extends SendingProps {
  account: Account
  draft: Draft
  validation: PostValidation | undefined
  setDraft: (change: (draft: Draft) => Draft) => void
}

/** One account: its preview of the post, and the text, files, time and fields that it alone has. */
function OnAccount({ account, draft, validation, setDraft, ...filesProps }: AccountProps) {
  const { id, platform, username, attention } = account
  const canUpload = useCan('media:write')
  const { caption, partFiles, mediaFit, padColor, time, fields } = draft.own[id] ?? {}
  const setOwn = (change: (own: Own) => Own) =>
    setDraft((draft) => ({
      ...draft,
      own: { ...draft.own, [id]: { ...draft.own[id], ...change(draft.own[id] ?? {}) } },
    }))
  const changeFiles = (part: number) => (change: ChangeFiles) =>
    setOwn(({ partFiles = [] }) => {
      const files = filesOf(draft, id, partFiles)
      return { partFiles: files.with(part, change(files[part]!)) }
    })
  const known = new Map([...draft.files, ...(partFiles?.flat() ?? [])].map((file) => [file.id, { ...file, url: null }]))
  const network = useSession().platforms.get(platform)
  const slot = validation?.slots?.find(({ accountId }) => accountId === id)
  const issues = Map.groupBy(issuesOf(validation, id), (issue) => fieldOf(issue, network) !== undefined)
  const button = (label: string, act: () => void) =>
    html`<button type="button" class="quiet" onClick=${act}>${label}</button>`
  return html`<section class="card" aria-label="${username} on ${useNames()(platform)}">
    <h2><${Network} platform=${platform} /> <span dir="auto">${username}</span></h2>
    ${attention && html`<p class="small" dir="auto"><span aria-hidden="true">⚠</span> ${attention.message}</p>`}
    ${slot && html`<p class="small">Its slot: ${formatInstant(slot.scheduledAt, OWN_ZONE)}</p>`}
    ${validation ? html`<${Preview} accountId=${id} validation=${validation} files=${known} issues=${issues.get(false) ?? []} />` : html`<p class="small">Checking…</p>`}
    ${
      caption === undefined
        ? button('Use another text here', () => setOwn(() => ({ caption: draft.caption })))
        : html`<label>Its text <textarea rows="5" dir="auto" value=${caption} onInput=${(event: Event) => setOwn(() => ({ caption: (event.target as HTMLTextAreaElement).value }))} /></label>
          ${button('Use the text of the post', () => setOwn(() => ({ caption: undefined })))}`
    }
    ${
      canUpload &&
      (partFiles
        ? html`${filesOf(draft, id, partFiles).map((files, part, { length }) => html`<${Files} title=${length > 1 ? `Files of part ${part + 1}` : 'Files'} files=${files} onChange=${changeFiles(part)} ...${filesProps} />`)}
          ${button('Use the files of the post', () => setOwn(() => ({ partFiles: undefined })))}`
        : button('Use other files here', () => setOwn(() => ({ partFiles: [draft.files] }))))
    }
    ${hasFiles(draft) && html`<${FitFields} mediaFit=${mediaFit} padColor=${padColor ?? draft.padColor} none="As for the post" onChange=${(fit: Fit) => setOwn(() => fit)} />`}
    ${isTimed(draft) && html`<label>Its own time, or none <input type="datetime-local" value=${time ?? ''} onInput=${(event: Event) => setOwn(() => ({ time: (event.target as HTMLInputElement).value }))} /></label>`}
    ${network && html`<${Fields} network=${network} account=${account} typed=${fields ?? {}} issues=${issues.get(true) ?? []} onChange=${(fields: TypedFields) => setOwn(() => ({ fields }))} />`}
  </section>`
}
