import { useContext, useState } from 'preact/hooks'
import { html } from '../html.ts'
import { formatNumber, say, sentences } from '../language.ts'
import * as dates from '../time.ts'
import { NowContext, useCalendar } from './context.ts'
import { dropPlace } from './drag.ts'
import { useElements, useGradual } from './drawn.ts'
import type { Entry } from './entries.ts'
import { Add, Item, keyOf, useArrows } from './item.ts'
import { useShown } from './selection.ts'
import { isOpen } from './times.ts'

const words = sentences.calendar

/** As many as a day shows before the others have to be asked for. */
const SHOWN_MAX = 4

interface GridProps {
  weeks: string[][]
  days: ReadonlyMap<string, Entry[]>
}

/** A month as its weeks of days. */
export function Month({ weeks, days, month }: GridProps & { month: string }) {
  const all = weeks.flat()
  const shown = shareOut(all, days, SHOWN_MAX)
  const drawn = useGradual(shown.total, all[0]!)
  const element = useElements(all[0])
  return html`<div class="grid month" role="list" ...${useArrows()}>
    ${weeks[0]!.map((day) => html`<div class="weekday" aria-hidden="true">${dates.formatLocal(day, { weekday: 'short' })}</div>`)}
    ${all.map((day) => {
      const entries = days.get(day) ?? NONE
      const isOther = !day.startsWith(month)
      const count = shown.countOn(day, drawn)
      return element(
        day,
        [isOther, count, ...entries],
        () => html`<${Day} key=${day} day=${day} isOther=${isOther} entries=${entries} drawn=${count} />`,
      )
    })}
  </div>`
}

const NONE: Entry[] = []

/** How many entries each of some days shows of those that are drawn until now, from the first day on. */
export function shareOut(all: string[], days: ReadonlyMap<string, Entry[]>, dayMax = Infinity) {
  const before = new Map<string, number>()
  let total = 0
  for (const day of all) {
    before.set(day, total)
    total += Math.min(dayMax, days.get(day)?.length ?? 0)
  }
  const countOn = (day: string, drawn: number) =>
    Math.max(0, Math.min(drawn - before.get(day)!, dayMax, days.get(day)?.length ?? 0))
  return { total, countOn }
}

/** Says which day it is, and how many posts it has. */
export const dayTitle = (day: string, { length }: Entry[]) =>
  say(words.day, { day: dates.formatLocal(day, { dateStyle: 'full' }), count: length })

/** Before which entry the line stands that says what time it is. */
export const LINE = html`<li class="now" aria-hidden="true"></li>`

interface DayProps {
  day: string
  isOther: boolean
  entries: Entry[]
  /** How many of the first ones are drawn by now. */
  drawn: number
}

function Day({ day, isOther, entries, drawn }: DayProps) {
  const { timeZone, move } = useCalendar()
  const now = useContext(NowContext)
  const [isWhole, setWhole] = useState(false)
  const shown = isWhole ? entries : entries.slice(0, drawn)
  useShown(shown.map(({ post }) => post))
  const isToday = now.startsWith(day)
  const isPast = (entry: Entry) => Date.parse(entry.instant) <= Date.now()
  const element = useElements()
  const items = shown.map((entry) =>
    element(keyOf(entry), [entry], () => html`<${Item} key=${keyOf(entry)} entry=${entry} day=${day} />`),
  )
  if (isToday && items.length > 0) items.splice(shown.filter(isPast).length, 0, LINE)
  const place = dropPlace(
    () => isOpen(timeZone, day),
    (entry) => move(entry, day),
  )
  return html`<div role="listitem" class="day ${isOpen(timeZone, day) ? '' : 'over'} ${isToday ? 'today' : ''} ${isOther ? 'other' : ''}"
      aria-label=${dayTitle(day, entries)} ...${place}>
    <${Add} day=${day} />
    <div class="date" aria-hidden="true"><span class="narrow">${dates.formatLocal(day, { weekday: 'short', day: 'numeric', month: 'short' })}</span><span class="wide">${formatNumber(Number(day.slice(8)))}</span></div>
    <ul class="entries">${items}</ul>
    ${entries.length > SHOWN_MAX && html`<button type="button" class="quiet more" aria-expanded=${isWhole} onClick=${() => setWhole(!isWhole)}>${isWhole ? words.fewer : say(words.more, { count: entries.length - SHOWN_MAX })}</button>`}
  </div>`
}
