import { useEffect, useRef, useState } from 'preact/hooks'
import { type DeliveryState, PreconditionFailed } from '../../../clients/sdk/index.ts'
import { type Loaded, useAction, useTyped } from './hooks.ts'
import { html } from './html.ts'
import { Issues, type IssuesProps } from './issues.ts'
import { sentences } from './language.ts'
import { Problem } from './problem.ts'
import { useNames } from './session.ts'
import { isTimeZone } from './time.ts'
import { SHAPES } from './words.ts'

const words = sentences.shared.actions

export const StateMark = ({ state }: { state: DeliveryState }) => {
  const { word, meaning } = sentences.names.states[state]
  return html`<span class="state tone-${state}" title=${meaning}><span aria-hidden="true">${SHAPES[state]}</span> <span class="word">${word}</span></span>`
}

/** The icon of a network. `isDecoration`: its name stands beside it. */
export function Network({ platform, isDecoration }: { platform: string; isDecoration?: boolean }) {
  const name = useNames()(platform)
  const style = { maskImage: `url(console/icons/${platform}.svg)` }
  return isDecoration
    ? html`<span class="network" aria-hidden="true" style=${style}></span>`
    : html`<span class="network" role="img" aria-label=${name} title=${name} style=${style}></span>`
}

/** A text that somebody else wrote, in its own direction. */
export const Text = ({ text }: { text: string }) => html`<p class="text" dir="auto">${text}</p>`

/** Shows a value as soon as it is loaded; until then that it is being loaded, or has failed. */
export function Loading<Value>({ loaded, children }: { loaded: Loaded<Value>; children: (value: Value) => unknown }) {
  const { value, error, isLoading, reload } = loaded
  return html`
    ${error && html`<${Problem} error=${error} onRetry=${reload} />`}
    ${isLoading && html`<p class="loading ${value === undefined ? '' : 'again'}" role="status">${sentences.shared.loading}</p>`}
    ${value !== undefined && children(value)}
  `
}

interface RowsProps<Item> {
  loaded: Loaded<Item[]>
  /** The sentence in place of an empty list. */
  none: string
  /** The heading of a list that is a part of its page. */
  title?: string
  kind?: 'rows' | 'timeline'
  children: (item: Item) => unknown
}

/** A list of loaded items. */
export function Rows<Item>({ loaded, none, title, kind = 'rows', children }: RowsProps<Item>) {
  const filled = (items: Item[]) => html`<ul class=${kind}>${items.map(children)}</ul>`
  const list = html`<${Loading} loaded=${loaded}>
    ${(items: Item[]) => (items.length === 0 ? html`<${Empty}>${none}<//>` : filled(items))}
  <//>`
  return title ? html`<section class="card"><h2>${title}</h2>${list}</section>` : list
}

interface DetailsProps {
  title: unknown
  /** Whether it opens by itself. */
  isNeeded?: boolean
  children: () => unknown
}

/** Content that is made when somebody asks for it. */
export function Details({ title, isNeeded = false, children }: DetailsProps) {
  const [isOpen, setOpen] = useState(false)
  return html`<details open=${isOpen || isNeeded} onToggle=${(event: { target: HTMLDetailsElement }) => setOpen(event.target.open)}>
    <summary>${title}</summary>
    ${isOpen && children()}
  </details>`
}

export const Empty = ({ children }: { children: unknown }) => html`<p class="empty">${children}</p>`

/** A field for the name of a time zone. It reports an unknown name, and does not pass it on. */
export function ZoneField({
  value,
  onZone,
  isPlain,
}: {
  value: string
  onZone?: (zone: string) => void
  isPlain?: boolean
}) {
  const change = (event: Event) => {
    event.stopPropagation()
    const field = event.target as HTMLInputElement
    field.setCustomValidity(isTimeZone(field.value) ? '' : sentences.shared.zone.invalid)
    if (field.reportValidity()) onZone?.(field.value)
  }
  return html`<label><span class=${isPlain ? 'hidden' : ''}>${sentences.shared.zone.label}</span> <input name="timeZone" list="zones" required ...${useTyped(value)} onChange=${change} /></label>`
}

interface ConfirmProps {
  /** The button that asks. */
  label: string
  /** A sentence about what the action does. */
  says: string
  /** Takes the further fields. */
  act: (fields: FormData) => Promise<unknown>
  /** Called after the action, or with the error that somebody else has changed the post meanwhile. */
  onDone: (error?: PreconditionFailed) => void
  /** Says in words which accounts get a post now, so that a person confirms it; undefined if none does. */
  publishes?: (fields: FormData) => string | undefined
  isDangerous?: boolean
  isDisabled?: boolean
  /** Further fields of the question. */
  children?: unknown
}

/** A button whose dialog says what it does. A second question confirms an action that publishes now. */
export function Confirm({ label, says, act, onDone, publishes, isDangerous, isDisabled, children }: ConfirmProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const [asked, setAsked] = useState<string>()
  const { run, error, isRunning, clear } = useAction(async (form: HTMLFormElement) => {
    const fields = new FormData(form)
    const question = publishes?.(fields)
    if (question && question !== asked) {
      setAsked(question)
      // A key that is held down goes back.
      form.querySelector<HTMLElement>('.buttons button')!.focus()
      return
    }
    await act(fields)
    dialog.current?.close()
    onDone()
  })
  const close = () => {
    clear()
    setAsked(undefined)
    if (error instanceof PreconditionFailed) onDone(error)
  }
  // The second click of a double click confirms nothing.
  const once = (event: MouseEvent) => event.detail > 1 && event.preventDefault()
  return html`
    <button type="button" class=${isDangerous ? 'dangerous' : ''} disabled=${isDisabled} onClick=${() => dialog.current?.showModal()}>${label}</button>
    <dialog ref=${dialog} aria-label=${label} onClose=${close}>
      <form onSubmit=${run} onInput=${() => setAsked(undefined)}>
        <h2>${label}</h2>
        <p>${says}</p>
        ${children}
        ${asked && html`<p class="warning" role="alert"><span aria-hidden="true">⚠</span> ${asked}</p>`}
        ${error && html`<${Problem} error=${error} />`}
        <div class="buttons">
          <button type="button" onClick=${() => dialog.current?.close()}>${words.back}</button>
          <button type="submit" class=${isDangerous ? 'dangerous' : 'primary'} disabled=${isRunning} onClick=${once}>${isRunning ? words.working : asked ? words.publishNow : label}</button>
        </div>
      </form>
    </dialog>
  `
}

export interface Note {
  text: string
  undo?: () => Promise<unknown>
  /** Warnings of the service about the change. */
  warnings?: IssuesProps
  /** More about what was done. */
  details?: unknown
  /** Whether the undo replaces the note by its own. */
  staysAfterUndo?: boolean
}

/** A line that says what was done, and takes it back. It stays, as nobody knows how long somebody reads. */
export function NoteLine({ note, onEnd }: { note: Note | undefined; onEnd: () => void }) {
  const [error, setError] = useState<Error>()
  useEffect(() => setError(undefined), [note])
  const undo = () => note?.undo?.().then(note.staysAfterUndo ? undefined : onEnd, setError)
  return html`<div class="note" role="status" aria-live="polite">
    ${note && html`<span>${note.text}</span> ${note.undo && html`<button type="button" onClick=${undo}>${words.undo}</button>`}`}
    ${note?.details}
    ${note?.warnings && html`<${Issues} ...${note.warnings} />`}
    ${error && html`<${Problem} error=${error} />`}
  </div>`
}
