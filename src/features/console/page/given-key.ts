import { useEffect, useRef } from 'preact/hooks'
import { useLoad } from './hooks.ts'
import { html } from './html.ts'
import { sayElements, sentences } from './language.ts'
import { Loading } from './parts.ts'
import { readNames } from './session.ts'

interface Names {
  userName: string
  keyName: string
}

const words = sentences.shared.givenKey

const ownerOf = ({ userName, keyName }: Names) =>
  sayElements(words.owner, {
    user: html`<strong><bdi>${userName}</bdi></strong>`,
    key: html`<bdi>${keyName}</bdi>`,
  })

interface GivenKeyProps {
  given: string
  /** Undefined while it is loaded. */
  own: Names | undefined
  onChange: () => void
  onKeep: () => void
}

/** Asks whether the key of a link replaces that of the tab. A key pressed on the open page keeps the own one. */
export function GivenKey({ given, own, onChange, onKeep }: GivenKeyProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const other = useLoad(() => readNames(given), [given])
  useEffect(() => dialog.current?.showModal(), [])
  return html`<dialog ref=${dialog} aria-label=${words.title} onClose=${onKeep}>
    <h2>${words.title}</h2>
    ${own && html`<p>${sayElements(words.own, { owner: ownerOf(own) })}</p>`}
    <${Loading} loaded=${other}>${(names: Names) => html`<p>${sayElements(words.linked, { owner: ownerOf(names) })}</p>`}<//>
    <p>${words.help}</p>
    <div class="buttons">
      <button type="button" class="primary" autofocus onClick=${onKeep}>${words.keep}</button>
      <button type="button" class="dangerous" disabled=${!other.value} onClick=${onChange}>${words.change}</button>
    </div>
  </dialog>`
}
