import type { Account, PostValidation } from '../../../../clients/sdk/index.ts'
import { html } from '../html.ts'
import { say, sentences } from '../language.ts'
import { Network } from '../parts.ts'
import { nameOf } from '../people.ts'
import { issuesOf, Preview } from '../preview/preview.ts'
import { sayAttention } from '../problem.ts'
import { useCan, useNames, useSession } from '../session.ts'
import { formatInstant, OWN_ZONE } from '../time.ts'
import { type Draft, type Fit, filesOf, hasFiles, isTimed, type Own } from './draft.ts'
import { Fields, fieldOf, type TypedFields } from './fields.ts'
import { type ChangeFiles, type DescribingProps, Files, FitFields } from './files.ts'

const words = sentences.compose.own

interface AccountProps extends DescribingProps {
  account: Account
  draft: Draft
  validation: PostValidation | undefined
  setDraft: (change: (draft: Draft) => Draft) => void
}

/** One account: its preview of the post, and the text, files, time and fields that it alone has. */
export function OnAccount({ account, draft, validation, setDraft, ...filesProps }: AccountProps) {
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
  return html`<section class="card" aria-label=${say(sentences.shared.accounts.on, { account: username, network: useNames()(platform) })}>
    <h2 class="who"><${Network} platform=${platform} isDecoration /> ${useNames()(platform)} <span class="small" dir="auto">${nameOf(account)}</span></h2>
    ${attention && html`<p class="small" dir="auto" title=${attention.message}><span aria-hidden="true">⚠</span> ${sayAttention(attention)}</p>`}
    ${slot && html`<p class="small">${say(words.slot, { time: formatInstant(slot.scheduledAt, OWN_ZONE) })}</p>`}
    ${validation ? html`<${Preview} account=${account} validation=${validation} fit=${{ mediaFit: mediaFit ?? draft.mediaFit, padColor: padColor ?? draft.padColor }} files=${known} issues=${issues.get(false) ?? []} />` : html`<p class="small">${sentences.compose.checking}</p>`}
    ${
      caption === undefined
        ? button(words.otherText, () => setOwn(() => ({ caption: draft.caption })))
        : html`<label>${words.text} <textarea rows="5" dir="auto" value=${caption} onInput=${(event: Event) => setOwn(() => ({ caption: (event.target as HTMLTextAreaElement).value }))} /></label>
          ${button(words.sameText, () => setOwn(() => ({ caption: undefined })))}`
    }
    ${
      canUpload &&
      (partFiles
        ? html`${filesOf(draft, id, partFiles).map((files, part, { length }) => html`<${Files} title=${length > 1 ? say(sentences.compose.files.ofPart, { part: part + 1 }) : sentences.compose.files.title} files=${files} onChange=${changeFiles(part)} ...${filesProps} />`)}
          ${button(words.sameFiles, () => setOwn(() => ({ partFiles: undefined })))}`
        : button(words.otherFiles, () => setOwn(() => ({ partFiles: [draft.files] }))))
    }
    ${hasFiles(draft) && html`<${FitFields} mediaFit=${mediaFit} padColor=${padColor ?? draft.padColor} none=${words.asPost} onChange=${(fit: Fit) => setOwn(() => fit)} />`}
    ${isTimed(draft) && html`<label>${words.time} <input type="datetime-local" value=${time ?? ''} onInput=${(event: Event) => setOwn(() => ({ time: (event.target as HTMLInputElement).value }))} /></label>`}
    ${network && html`<${Fields} network=${network} account=${account} typed=${fields ?? {}} issues=${issues.get(true) ?? []} onChange=${(fields: TypedFields) => setOwn(() => ({ fields }))} />`}
  </section>`
}
