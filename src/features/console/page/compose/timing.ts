import { html } from '../html.ts'
import { sentences } from '../language.ts'
import { ZoneField } from '../parts.ts'
import type { Draft } from './draft.ts'

const words = sentences.compose.timing

export function Timing({ draft, change }: { draft: Draft; change: (changes: Partial<Draft>) => void }) {
  return html`<label class="check"><input type="checkbox" checked=${draft.isQueued} onChange=${() => change({ isQueued: !draft.isQueued })} /> ${words.queue}</label>
    <div class="fields" hidden=${draft.isQueued}>
      <label>${words.time} <input type="datetime-local" value=${draft.time} onInput=${(event: Event) => change({ time: (event.target as HTMLInputElement).value })} /></label>
      <${ZoneField} value=${draft.timeZone} onZone=${(timeZone: string) => change({ timeZone })} />
    </div>`
}
