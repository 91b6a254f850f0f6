import { useState } from 'preact/hooks'
import type { Media, MediaFit } from '../../../../clients/sdk/index.ts'
import { html } from '../html.ts'
import { sentences } from '../language.ts'
import { Pictures } from '../pictures.ts'
import { Problem } from '../problem.ts'
import { useCan, useSession } from '../session.ts'
import type { Fit } from './draft.ts'
import { Picker } from './picker.ts'
import { noteDescription, uploadAll } from './uploads.ts'

const words = sentences.compose.files

export type ChangeFiles = (files: Media[]) => Media[]

/** The draft that has files, and their descriptions for this post alone. */
export interface DescribingProps {
  draftKey: string
  altTexts: Record<string, string> | undefined
  /** Undefined where the descriptions cannot change. */
  setAltText: ((id: string, text: string) => void) | undefined
}

interface FilesProps extends DescribingProps {
  title?: string
  files: Media[]
  /** Changes the files as they are then: an upload takes long, and more is typed and dropped meanwhile. */
  onChange: (change: ChangeFiles) => void
}

/** The files of a post, with a place to drop more of them, and those of the library. */
export function Files({ title = words.title, files, onChange, altTexts, setAltText, draftKey }: FilesProps) {
  const { client, upload } = useSession()
  const canUpload = useCan('media:write')
  const canRead = useCan('media:read')
  const [error, setError] = useState<Error>()
  const add = (list: FileList | null | undefined) =>
    uploadAll(upload, draftKey, list ?? [], (stored) => onChange((files) => [...files, stored]))
  const describe = (file: Media, altText: string) => {
    if (!canUpload || altTexts?.[file.id] !== undefined) return setAltText?.(file.id, altText)
    setError(undefined)
    const stored = client.media.update(file.id, { altText })
    noteDescription(stored)
    stored.then((changed) => onChange((files) => files.map((each) => (each.id === file.id ? changed : each))), setError)
  }
  const drop = (event: DragEvent) => {
    event.preventDefault()
    if (canUpload) void add(event.dataTransfer?.files)
  }
  return html`<fieldset class="drop" onDragOver=${(event: Event) => event.preventDefault()} onDrop=${drop}>
    <legend>${title}</legend>
    <div class="fields">
      ${canUpload && html`<label>${words.drop} <input type="file" multiple accept="image/*,video/*,application/pdf" onChange=${(event: Event) => add((event.target as HTMLInputElement).files)} /></label>`}
      ${canRead && html`<${Picker} onPick=${(chosen: Media[]) => onChange((files) => [...files, ...chosen])} />`}
    </div>
    ${error && html`<${Problem} error=${error} />`}
    <ul class="rows">${files.map(
      (file, index) => html`<li key=${`${file.id} ${index}`}>
        <${Pictures} files=${[{ ...file, url: null }]} />
        <label>${words.shows} <input dir="auto" readonly=${!setAltText && (!canUpload || altTexts?.[file.id] !== undefined)} defaultValue=${altTexts?.[file.id] ?? file.altText ?? ''} onChange=${(event: Event) => describe(file, (event.target as HTMLInputElement).value)} /></label>
        <button type="button" onClick=${() => onChange((files) => files.filter((_, each) => each !== index))}>${sentences.shared.actions.remove}</button>
      </li>`,
    )}</ul>
  </fieldset>`
}

interface FitProps extends Fit {
  /** The choice of an account that follows the post. */
  none?: string
  onChange: (fit: Fit) => void
}

export function FitFields({ mediaFit, padColor, none, onChange }: FitProps) {
  const change = ({ target }: { target: HTMLInputElement }) =>
    onChange(
      target.name === 'padColor'
        ? { padColor: target.value }
        : { mediaFit: (target.value || null) as MediaFit | null, padColor: null },
    )
  return html`<div class="fields" onInput=${change}>
    <label>${words.fit} <select name="mediaFit">${Object.entries({ ...(none && { '': none }), ...words.fits }).map(([fit, label]) => html`<option value=${fit} selected=${fit === (mediaFit ?? (none ? '' : 'exact'))}>${label}</option>`)}</select></label>
    ${mediaFit === 'pad' && html`<label>${words.color} <input name="padColor" type="color" value=${padColor ?? '#ffffff'} /></label>`}
  </div>`
}
