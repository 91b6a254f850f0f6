import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { useRoute } from '../hooks.ts'
import { html } from '../html.ts'
import { sayElements, sentences } from '../language.ts'
import { isTimeZone } from '../time.ts'
import { type Draft, isBlank, newDraft } from './draft.ts'

const words = sentences.compose.given

interface GivenProps {
  draft: Draft
  setDraft: (change: (draft: Draft) => Draft) => void
}

/**
 * Takes the time over that the address gives a new post, as a day of the calendar does. It asks first if the composer
 * has something that is not stored.
 */
export function GivenTime({ draft, setDraft }: GivenProps) {
  const { query } = useRoute()
  const dialog = useRef<HTMLDialogElement>(null)
  const [given, setGiven] = useState<{ time: string; timeZone: string }>()
  const time = query.get('time')
  const timeZone = query.get('zone') ?? ''
  useLayoutEffect(() => {
    if (time === null) return
    history.replaceState(null, '', '#/compose')
    if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d$/.test(time) || !isTimeZone(timeZone)) return
    if (isBlank(draft)) setDraft((draft) => ({ ...draft, time, timeZone, isQueued: false }))
    else setGiven({ time, timeZone })
  }, [time, timeZone])
  useLayoutEffect(() => {
    if (given) dialog.current?.showModal()
  }, [given])
  const begin = () => setDraft(() => ({ ...newDraft(), ...given! }))
  return html`<dialog ref=${dialog} aria-label=${words.title} onClose=${() => setGiven(undefined)}>
    <form method="dialog">
      <h2>${words.title}</h2>
      <p>${sayElements(words.says, { text: html`<q dir="auto">${draft.caption.slice(0, 80) || words.noText}</q>` })}</p>
      <div class="buttons">
        <button class="primary" autofocus>${words.goOn}</button>
        <button class="dangerous" onClick=${begin}>${words.drop}</button>
      </div>
    </form>
  </dialog>`
}
