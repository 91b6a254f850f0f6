import { useState } from 'preact/hooks'
import type { ListedTarget } from '../../../../clients/sdk/index.ts'
import { html } from '../html.ts'
import { Network, type Picture, Pictures, StateMark } from '../parts.ts'
import { useAccountNames, useCan } from '../session.ts'
import * as dates from '../time.ts'
import { partsOf, worstOf } from '../words.ts'
import { type Entry, picturesOf } from './entries.ts'

/** As many as a day of a month shows before the others have to be asked for. */
const SHOWN_MAX = 4

/** The hours of a day of a week. A post is dragged to one of them. */
const HOURS = Array.from({ length: 24 }, (_, hour) => String(hour).padStart(2, '0'))

interface DayProps {
  day: string
  isToday: boolean
  isOther: boolean
  isWhole: boolean
  entries: Entry[]
  timeZone: string
  /** Moves an entry to a day, at its time or within another hour. */
  onMove: (entry: Entry, day: string, hour?: string) => void
}

let dragged: Entry | undefined

export function Day({ day, isToday, isOther, isWhole, entries, timeZone, onMove }: DayProps) {
  const canMove = useCan('posts:publish')
  const [isOpen, setOpen] = useState(false)
  const shown = isOpen || isWhole ? entries : entries.slice(0, SHOWN_MAX)
  /** Whether the day, or an hour of it, is not over. */
  const isOpenTo = (hour = '23') => `${day}T${hour}:59` >= dates.toLocal(new Date(), timeZone)
  const hourAt = ({ target }: Event) => (target as Element).closest<HTMLElement>('[data-hour]')?.dataset.hour
  const over = (event: DragEvent) => dragged && isOpenTo(hourAt(event)) && event.preventDefault()
  const drop = (event: DragEvent) => {
    event.preventDefault()
    if (dragged) onMove(dragged, day, hourAt(event))
  }
  const mark = (event: DragEvent, entry?: Entry) => {
    dragged = entry
    const grid = (event.currentTarget as Element).closest('.grid')
    grid?.classList.toggle('dragging', entry !== undefined)
  }
  const items = (entries: Entry[]) =>
    entries.map((entry) => {
      const canDrag = canMove && entry.post.status !== 'published'
      return html`<li key=${`${entry.post.id} ${entry.targets[0]!.accountId}`} draggable=${canDrag} onDragStart=${(event: DragEvent) => mark(event, canDrag ? entry : undefined)} onDragEnd=${mark}>
        <${Chip} ...${entry} files=${picturesOf(entry)} time=${timeOf(entry)} />
      </li>`
    })
  const hourOf = ({ instant }: Entry) => dates.toLocal(new Date(instant), timeZone).slice(11, 13)
  const timeOf = ({ instant }: Entry) =>
    dates.toLocal(new Date(instant), timeZone).startsWith(day)
      ? dates.formatTime(instant, timeZone)
      : dates.formatInstant(instant, timeZone)
  const lists = Map.groupBy(isWhole ? entries : [], hourOf)
  return html`<div role="listitem" class="day ${isOpenTo() ? '' : 'over'} ${isToday ? 'today' : ''} ${isOther ? 'other' : ''}"
      aria-label="${dates.formatLocal(day, { dateStyle: 'full' })}, ${entries.length} ${entries.length === 1 ? 'post' : 'posts'}"
      onDragOver=${over} onDrop=${drop}>
    <div class="date" aria-hidden="true"><span class="narrow">${dates.formatLocal(day, { weekday: 'short', day: 'numeric', month: 'short' })}</span><span class="wide">${Number(day.slice(8))}</span></div>
    ${
      isWhole
        ? HOURS.map(
            (hour) => html`<ul class="entries hour ${isOpenTo(hour) ? '' : 'over'}" data-hour=${hour}
            aria-label=${dates.formatLocal(`${day}T${hour}:00`, { timeStyle: 'short' })}
            aria-hidden=${!lists.has(hour)}>${items(lists.get(hour) ?? [])}</ul>`,
          )
        : html`<ul class="entries">${items(shown)}</ul>`
    }
    ${shown.length < entries.length && html`<button type="button" class="quiet" onClick=${() => setOpen(true)}>${entries.length - shown.length} more</button>`}
  </div>`
}

/** Whether a delivery is still to go out, to an account that needs its owner. */
const isStopped = ({ attention, delivery: { state } }: ListedTarget) =>
  attention !== undefined && ['waiting', 'queued', 'failed', 'missed'].includes(state)

export function Chip({
  post,
  targets,
  files,
  time,
}: Pick<Entry, 'post' | 'targets'> & { files: Picture[]; time?: string }) {
  const states = targets.map(({ delivery }) => delivery.state)
  const state = worstOf(states)
  const count = states.filter((each) => each === state).length
  const accounts = useAccountNames()(targets.filter(isStopped))
  const [text, ...others] = new Set(targets.map((target) => partsOf(post, target)[0]))
  return html`<a class="chip tone-${state}" href="#/posts/${post.id}">
    <span class="chip-head">
      ${time && html`<time>${time}</time>`} <${StateMark} state=${state} />
      ${count < states.length && html`<span>${count} of ${states.length}</span>`}
      <span class="networks">${[...new Set(targets.map(({ platform }) => platform))].map((platform) => html`<${Network} platform=${platform} />`)}</span>
      ${accounts && html`<span class="warning" title=${`Needs its owner: ${accounts}`}>⚠ <span class="hidden">Needs its owner: ${accounts}</span></span>`}
    </span>
    <span class="chip-text" dir="auto">${(others.length === 0 && text ? text : post.caption).slice(0, 80) || 'Without text'}</span>
    <${Pictures} files=${files} />
  </a>`
}
