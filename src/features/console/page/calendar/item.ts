import { useEffect, useRef } from 'preact/hooks'
import { html } from '../html.ts'
import { isRightToLeft, say, sentences } from '../language.ts'
import { useCan } from '../session.ts'
import * as dates from '../time.ts'
import { Chip } from './chip.ts'
import { useCalendar } from './context.ts'
import { draggable } from './drag.ts'
import { type Entry, picturesOf } from './entries.ts'
import { Pick } from './selection.ts'
import { composeAt, firstTime, isOpen } from './times.ts'

/** One entry on its day. It is dragged to another one unless it is published. */
export function Item({ entry, day }: { entry: Entry; day?: string }) {
  const { timeZone } = useCalendar()
  const canMove = useCan('posts:publish') && entry.post.status !== 'published'
  const { instant } = entry
  const isOnDay = day === undefined || dates.toLocal(new Date(instant), timeZone).startsWith(day)
  const time = isOnDay ? dates.formatTime(instant, timeZone) : dates.formatInstant(instant, timeZone)
  return html`<li ...${draggable(entry, canMove)}>
    <${Pick} entry=${entry} />
    <${Chip} ...${entry} files=${picturesOf(entry)} time=${time} />
  </li>`
}

export const keyOf = ({ post, targets }: Entry) => `${post.id} ${targets[0]?.accountId}`

/** A link to the composer that fills a free day or hour. */
export function Add({ day, hour }: { day: string; hour?: string }) {
  const { timeZone } = useCalendar()
  const canWrite = useCan('posts:write')
  const canPublish = useCan('posts:publish')
  if (!canWrite || !canPublish || !isOpen(timeZone, day, hour)) return null
  const time = firstTime(timeZone, day, hour)
  const title = dates.formatLocal(time, { weekday: 'long', day: 'numeric', month: 'long', ...(hour && CLOCK) })
  return html`<a class="add" draggable="false" tabindex="-1" data-day=${day} data-row=${hour} href=${composeAt(timeZone, time)} aria-label=${say(sentences.calendar.newPostOn, { time: title })}><span aria-hidden="true">+</span></a>`
}

const CLOCK = { hour: 'numeric', minute: '2-digit' } as const

/** The distance to which each arrow key leads in a month, in days. */
const ARROWS: Record<string, number> = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -7, ArrowDown: 7 }

function stepOf(key: string): number | undefined {
  const step = ARROWS[key]
  return step && isRightToLeft && Math.abs(step) === 1 ? -step : step
}

/** Arrow keys move between the free days or hours of a grid. The Tab key finds one of them. */
export function useArrows() {
  const grid = useRef<HTMLElement>(null)
  useEffect(() => {
    const add = grid.current!.querySelector<HTMLElement>('.add[tabindex="0"], .add')
    if (add && !grid.current!.querySelector('.add[tabindex="0"]')) add.tabIndex = 0
  })
  const onKeyDown = (event: KeyboardEvent) => {
    const add = event.target as HTMLElement
    const step = stepOf(event.key)
    if (step === undefined || !add.matches('.add')) return
    const { day = '', row } = add.dataset
    const column = [...grid.current!.querySelectorAll<HTMLElement>(`.add[data-day="${day}"]`)]
    const inColumn = row && Math.abs(step) === 7 ? column[column.indexOf(add) + Math.sign(step)] : undefined
    const onDay = `.add[data-day="${dates.addDays(day, step)}"]${row ? `[data-row="${row}"]` : ''}`
    const next = row && Math.abs(step) === 7 ? inColumn : grid.current!.querySelector<HTMLElement>(onDay)
    if (!next) return
    event.preventDefault()
    add.tabIndex = -1
    next.tabIndex = 0
    next.focus()
  }
  return { ref: grid, onKeyDown }
}
