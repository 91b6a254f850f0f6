import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { ForShow } from '../for-show.ts'
import { setQuery, useLoad, useRoute } from '../hooks.ts'
import { html } from '../html.ts'
import { say, sayElements, sentences } from '../language.ts'
import { Empty, Loading, NoteLine } from '../parts.ts'
import { useCan, useSession } from '../session.ts'
import * as dates from '../time.ts'
import { BulkBar } from './bulk-bar.ts'
import { CalendarContext, type CalendarState, NowContext, useCalendar } from './context.ts'
import { Drafts, useDrafts } from './drafts.ts'
import { useSamePosts } from './drawn.ts'
import { entriesIn, groupByDay } from './entries.ts'
import { Filters, readFilters } from './filters.ts'
import { PostList } from './list.ts'
import { useChanges } from './live.ts'
import { Month } from './month.ts'
import { useMoves } from './moves.ts'
import { useSelection } from './selection.ts'
import { Week } from './week.ts'

const words = sentences.calendar
const { steps } = sentences.shared

type View = keyof typeof words.views

/** The view, the days and the time zone that an address names. */
function readView(query: URLSearchParams) {
  const zone = query.get('zone') ?? ''
  const day = query.get('date') ?? ''
  const timeZone = dates.isTimeZone(zone) ? zone : dates.OWN_ZONE
  const asked = query.get('view') ?? ''
  const view: View = asked in words.views ? (asked as View) : 'month'
  const date = dates.isDate(day) ? day : dates.toLocal(new Date(), timeZone).slice(0, 10)
  const weeks = view === 'week' ? [dates.weekOf(date)] : dates.weeksOf(date)
  return { timeZone, view, date, weeks, from: weeks[0]![0]!, until: dates.addDays(weeks.at(-1)![6]!, 1) }
}

type Shown = ReturnType<typeof readView>

export function Calendar() {
  const { query } = useRoute()
  const canSeeFiles = useCan('media:read')
  const shown = readView(query)
  const { timeZone, view } = shown
  const filters = readFilters(query)
  const { state: _, ...ofDrafts } = filters
  const include = ['targets' as const, ...(canSeeFiles ? (['media'] as const) : [])]
  const now = useNow(timeZone)
  const [turn, setTurn] = useState(0)
  const { drafts, ...draftsProps } = useDrafts(ofDrafts, include)
  const reload = () => {
    setTurn((turn) => turn + 1)
    drafts.reload()
  }
  const { move, withdraw, note, setNote } = useMoves(timeZone, reload)
  const selection = useSelection()
  useChanges(reload)
  const moving = useRef(move)
  moving.current = move
  // Thousands of posts are drawn again if it is another one.
  const state = useMemo<CalendarState>(
    () => ({ timeZone, move: (...moved) => moving.current(...moved), selection }),
    [timeZone, selection],
  )
  return html`<${CalendarContext.Provider} value=${state}><${NowContext.Provider} value=${now}>
    <${Head} ...${shown} />
    <${ForShow} />
    <${Filters} query=${query} timeZone=${timeZone} />
    <${NoteLine} note=${note} onEnd=${() => setNote(undefined)} />
    <div class="with-side">
      ${
        view === 'list'
          ? html`<${PostList} key=${JSON.stringify(filters)} filters=${{ ...filters, include }} order=${query.get('order') === 'next' ? 'next' : ''} turn=${turn} />`
          : html`<${Grid} ...${shown} filters=${filters} include=${include} turn=${turn} isNightOpen=${query.get('night') === 'open'} />`
      }
      <${Drafts} drafts=${drafts} ...${draftsProps} onWithdraw=${withdraw} />
    </div>
    ${selection.isOn && html`<${BulkBar} setNote=${setNote} reload=${reload} />`}
  <//><//>`
}

/** The local time, each half minute. */
function useNow(timeZone: string): string {
  const [, tick] = useState(0)
  useEffect(() => {
    const timer = setInterval(() => tick((ticks) => ticks + 1), 30_000)
    return () => clearInterval(timer)
  }, [])
  return dates.toLocal(new Date(), timeZone)
}

function Head({ view, date, from, until }: Shown) {
  const canWrite = useCan('posts:write')
  const { selection } = useCalendar()
  const step = (count: number) =>
    setQuery({ date: view === 'week' ? dates.addDays(date, 7 * count) : dates.addMonths(date, count) })
  const last = dates.addDays(until, -1)
  const titles: Record<View, () => string> = {
    month: () => dates.formatLocal(date, { month: 'long', year: 'numeric' }),
    week: () =>
      say(sentences.shared.range, {
        from: dates.formatLocal(from, { day: 'numeric', month: 'short' }),
        until: dates.formatLocal(last, { day: 'numeric', month: 'short', year: 'numeric' }),
      }),
    list: () => words.allPosts,
  }
  return html`<div class="bar">
    <h1>${titles[view]()}</h1>
    <div class="buttons">
      ${
        view !== 'list' &&
        html`<div class="joined" role="group" aria-label=${steps.time}>
          <button type="button" aria-label=${steps.before} onClick=${() => step(-1)}>‹</button>
          <button type="button" onClick=${() => setQuery({ date: '' })}>${words.today}</button>
          <button type="button" aria-label=${steps.after} onClick=${() => step(1)}>›</button>
        </div>`
      }
      <div class="joined" role="group" aria-label=${words.view}>
        ${Object.entries(words.views).map(([name, label]) => html`<button type="button" aria-pressed=${view === name} onClick=${() => setQuery({ view: name === 'month' ? '' : name })}>${label}</button>`)}
      </div>
      ${canWrite && html`<button type="button" aria-pressed=${selection.isOn} onClick=${() => selection.setOn(!selection.isOn)}>${words.select}</button>`}
      ${canWrite && html`<a class="button primary" href="#/compose">${words.newPost}</a>`}
    </div>
  </div>`
}

interface GridProps extends Shown {
  filters: Record<string, string | undefined>
  include: ('targets' | 'media')[]
  /** Counts the changes after which the posts are read again. */
  turn: number
  isNightOpen: boolean
}

/** A month or a week. */
function Grid({ view, weeks, date, from, until, timeZone, filters, include, turn, isNightOpen }: GridProps) {
  const { client } = useSession()
  const canWrite = useCan('posts:write')
  const posts = useLoad(
    async (signal) => {
      const query = {
        ...(filters as object),
        scheduledFrom: dates.toInstant(`${from}T00:00`, timeZone).toISOString(),
        scheduledBefore: dates.toInstant(`${until}T00:00`, timeZone).toISOString(),
        include,
        limit: 50,
      }
      return Array.fromAsync(client.posts.list(query, { signal }))
    },
    [client, from, until, timeZone, turn, ...Object.values(filters)],
  )
  const same = useSamePosts(posts.value)
  const toEntries = useMemo(() => entriesIn(timeZone, weeks.flat()), [timeZone, from, until])
  const days = useMemo(() => groupByDay(same, toEntries), [same, toEntries])
  return html`<section aria-label=${words.calendar}>
    <${Loading} loaded=${posts}>${() => ''}<//>
    ${
      view === 'week'
        ? html`<${Week} week=${weeks[0]!} days=${days} isNightOpen=${isNightOpen} />`
        : html`<${Month} weeks=${weeks} days=${days} month=${date.slice(0, 7)} />`
    }
    ${posts.value?.length === 0 && html`<${Empty}>${canWrite ? sayElements(words.nothingYet, { link: html`<a href="#/compose">${words.compose}</a>` }) : words.nothing}<//>`}
  </section>`
}
