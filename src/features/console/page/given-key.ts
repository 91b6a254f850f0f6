import { useEffect, useRef } from 'preact/hooks'
import { useLoad } from './hooks.ts'
import { html } from './html.ts'
import { Loading } from './parts.ts'
import { readNames } from './session.ts'

interface Names {
  userName: string
  keyName: string
}

const Owner = ({ userName, keyName }: Names) =>
  html`<strong><bdi>${userName}</bdi></strong> (key <bdi>${keyName}</bdi>)`

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
  return html`<dialog ref=${dialog} aria-label="Use another key?" onClose=${onKeep}>
    <h2>Use another key?</h2>
    ${own && html`<p>You are working as <${Owner} ...${own} />.</p>`}
    <${Loading} loaded=${other}>${(names: Names) => html`<p>The link has a key of <${Owner} ...${names} />.</p>`}<//>
    <p>Change only if you expected this link. Whatever you write afterwards belongs to the owner of its key. What is typed in this tab is forgotten.</p>
    <div class="buttons">
      <button type="button" class="primary" autofocus onClick=${onKeep}>Keep the present key</button>
      <button type="button" class="dangerous" disabled=${!other.value} onClick=${onChange}>Use the key of the link</button>
    </div>
  </dialog>`
}
