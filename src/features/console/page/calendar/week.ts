import { useContext, useMemo } from 'preact/hooks'
import { setQuery } from '../hooks.ts'
import { html } from '../html.ts'
import { formatNumber, sentences } from '../language.ts'
import * as dates from '../time.ts'
import { NowContext, useCalendar } from './context.ts'
import { dropPlace } from './drag.ts'
import { useElements, useGradual } from './drawn.ts'
import type { Entry } from './entries.ts'
import { Add, Item, keyOf, useArrows } from './item.ts'
import { dayTitle, shareOut } from './month.ts'
import { useShown } from './selection.ts'
import { isOpen, type Row, rowsOf, rowTitle } from './times.ts'

const words = sentences.calendar

interface WeekProps {
  week: string[]
  days: ReadonlyMap<string, Entry[]>
  isNightOpen: boolean
}

/** A week on one axis of hours. The hours of the night are one row each until somebody unfolds them. */
export function Week({ week, days, isNightOpen }: WeekProps) {
  const rows = useMemo(() => rowsOf(isNightOpen), [isNightOpen])
  const shown = shareOut(week, days)
  const drawn = useGradual(shown.total, week[0]!)
  const element = useElements(week[0])
  const fold = () => setQuery({ night: isNightOpen ? '' : 'open' })
  return html`<div class="grid week" style=${{ '--rows': rows.length + 1 }} ...${useArrows()}>
    <div class="axis">
      <button type="button" class="quiet" aria-expanded=${isNightOpen} aria-label=${words.night} title=${isNightOpen ? words.fold : words.unfold} onClick=${fold}>${isNightOpen ? '▾' : html`<span class="turns">▸</span>`}</button>
      ${rows.map((row) => html`<span class="small" aria-hidden="true">${rowTitle(row)}</span>`)}
    </div>
    <div class="days" role="list">
      ${week.map((day) => {
        const entries = days.get(day) ?? []
        const count = shown.countOn(day, drawn)
        return element(
          day,
          [rows, count, ...entries],
          () => html`<${Day} key=${day} day=${day} rows=${rows} entries=${entries} drawn=${count} />`,
        )
      })}
    </div>
  </div>`
}

const isIn = ({ from, until }: Row, hour: number) => from <= hour && hour < until

interface DayProps {
  day: string
  rows: Row[]
  entries: Entry[]
  /** How many of the first ones are drawn by now. */
  drawn: number
}

function Day({ day, rows, entries, drawn }: DayProps) {
  const { timeZone } = useCalendar()
  const now = useContext(NowContext)
  const element = useElements()
  const isToday = now.startsWith(day)
  const hourOf = ({ instant }: Entry) => {
    const local = dates.toLocal(new Date(instant), timeZone)
    return local.startsWith(day) ? Number(local.slice(11, 13)) : 0
  }
  const byHour = Map.groupBy(entries.slice(0, drawn), (entry) => rows.find((row) => isIn(row, hourOf(entry)))!.hour)
  return html`<div role="listitem" class="day ${isOpen(timeZone, day) ? '' : 'over'} ${isToday ? 'today' : ''}" aria-label=${dayTitle(day, entries)}>
    <div class="date" aria-hidden="true">${dates.formatLocal(day, { weekday: 'short' })} <b>${formatNumber(Number(day.slice(8)))}</b></div>
    ${rows.map((row) => {
      const isNow = isToday && isIn(row, Number(now.slice(11, 13)))
      const own = byHour.get(row.hour) ?? []
      const draw = () => html`<${Hour} key=${row.hour} day=${day} row=${row} isNow=${isNow} entries=${own} />`
      return element(row.hour, [row, isNow, ...own], draw)
    })}
  </div>`
}

interface HourProps {
  day: string
  row: Row
  isNow: boolean
  entries: Entry[]
}

function Hour({ day, row, isNow, entries }: HourProps) {
  const { timeZone, move } = useCalendar()
  const now = useContext(NowContext)
  useShown(entries.map(({ post }) => post))
  const { from, until, hour } = row
  const last = String(until - 1).padStart(2, '0')
  /** Whether an entry keeps its time within folded hours. */
  const isAtNight = ({ post, instant }: Entry) =>
    post.status !== 'draft' && isIn(row, Number(dates.toLocal(new Date(instant), timeZone).slice(11, 13)))
  const place = dropPlace(
    () => isOpen(timeZone, day, last),
    (entry) => move(entry, day, isAtNight(entry) ? undefined : hour),
  )
  const passed = (Number(now.slice(11, 13)) + Number(now.slice(14, 16)) / 60 - from) / (until - from)
  return html`<div class="hour ${isOpen(timeZone, day, last) ? '' : 'over'}" data-hour=${hour} ...${place}>
    <${Add} day=${day} hour=${hour} />
    ${entries.length > 0 && html`<ul class="entries" aria-label=${rowTitle(row)}>${entries.map((entry) => html`<${Item} key=${keyOf(entry)} entry=${entry} day=${day} />`)}</ul>`}
    ${isNow && html`<span class="now" aria-hidden="true" style=${{ insetBlockStart: `${passed * 100}%` }}></span>`}
  </div>`
}
