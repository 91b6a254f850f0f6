import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { useRoute } from '../hooks.ts'
import { html } from '../html.ts'
import { isTimeZone } from '../time.ts'
import { type Draft, isBlank, newDraft } from './draft.ts'

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
  return html`<dialog ref=${dialog} aria-label="Begin a new post?" onClose=${() => setGiven(undefined)}>
    <form method="dialog">
      <h2>Begin a new post?</h2>
      <p>The composer has a post that is not stored: <q dir="auto">${draft.caption.slice(0, 80) || 'without text'}</q></p>
      <div class="buttons">
        <button class="primary" autofocus>Go on with it</button>
        <button class="dangerous" onClick=${begin}>Drop it, and begin a new one</button>
      </div>
    </form>
  </dialog>`
}
