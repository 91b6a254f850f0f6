import { useRef, useState } from 'preact/hooks'
import type { ListedMedia, Media } from '../../../../clients/sdk/index.ts'
import { html } from '../html.ts'
import { say, sentences } from '../language.ts'
import { Library, SearchField, Shot, useLibrary } from '../media/library.ts'

const words = sentences.compose.picker

/** A button that adds files of the library. */
export function Picker({ onPick }: { onPick: (files: Media[]) => void }) {
  const dialog = useRef<HTMLDialogElement>(null)
  const [isOpen, setOpen] = useState(false)
  const open = () => {
    setOpen(true)
    dialog.current?.showModal()
  }
  const close = () => dialog.current?.close()
  return html`
    <button type="button" onClick=${open}>${words.title}</button>
    <dialog ref=${dialog} class="wide" aria-label=${words.title} onClose=${() => setOpen(false)}>
      ${
        isOpen &&
        html`<${Choice} onBack=${close} onPick=${(files: Media[]) => {
          onPick(files)
          close()
        }} />`
      }
    </dialog>`
}

function Choice({ onBack, onPick }: { onBack: () => void; onPick: (files: Media[]) => void }) {
  const [q, setQ] = useState('')
  const [chosen, setChosen] = useState<readonly Media[]>([])
  const library = useLibrary(q)
  const toggle = (file: Media) => {
    const others = chosen.filter(({ id }) => id !== file.id)
    setChosen(others.length < chosen.length ? others : [...chosen, file])
  }
  const count = chosen.length
  return html`
    <h2>${words.title}</h2>
    <${SearchField} value=${q} onSearch=${setQ} />
    <div class="choosing">
      <${Library} key=${q} library=${library} q=${q} none=${words.none}>
        ${(file: ListedMedia) => html`<label class="pick-file check">
          <input type="checkbox" checked=${chosen.some(({ id }) => id === file.id)} onChange=${() => toggle(file)} />
          <${Shot} file=${file} />
          <span class="small" dir="auto">${file.altText ?? words.noDescription}</span>
        </label>`}
      <//>
    </div>
    <div class="buttons">
      <button type="button" onClick=${onBack}>${sentences.shared.actions.back}</button>
      <button type="button" class="primary" disabled=${count === 0} onClick=${() => onPick([...chosen])}>${say(words.add, { count })}</button>
    </div>`
}
