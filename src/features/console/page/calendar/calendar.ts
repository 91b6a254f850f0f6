import { useMemo, useState } from 'preact/hooks'
import type { Account, ListedPost } from '../../../../clients/sdk/index.ts'
import { setQuery, useLoad, useRoute, useTyped } from '../hooks.ts'
import { html } from '../html.ts'
import { keepWarnings } from '../issues.ts'
import { Empty, Loading, type Note, NoteLine, ZoneField } from '../parts.ts'
import { inWords } from '../problem.ts'
import { useAccountNames, useCan, useNames, useSession, versionOf } from '../session.ts'
import * as dates from '../time.ts'
import { STATES } from '../words.ts'
import { Chip, Day } from './day.ts'
import { changeOf, type Entry, groupByDay } from './entries.ts'

/** As many drafts as are shown before more are asked for. */
const DRAFTS_SHOWN = 20

/** A drag has no button to try it again. */
const AGAIN = { maxRetries: 2 }

export function Calendar() {
  const { client } = useSession()
  const canSeeFiles = useCan('media:read')
  const canWrite = useCan('posts:write')
  const { query } = useRoute()
  const zone = query.get('zone') ?? ''
  const day = query.get('date') ?? ''
  const timeZone = dates.isTimeZone(zone) ? zone : dates.OWN_ZONE
  const view = query.get('view') === 'week' ? 'week' : 'month'
  const today = dates.toLocal(new Date(), timeZone).slice(0, 10)
  const date = dates.isDate(day) ? day : today
  const weeks = view === 'month' ? dates.weeksOf(date) : [dates.weekOf(date)]
  const from = weeks[0]![0]!
  const until = dates.addDays(weeks.at(-1)![6]!, 1)
  const filters = Object.fromEntries(
    ['accountId', 'platform', 'state', 'q'].map((name) => [name, query.get(name) || undefined]),
  )
  const accounts = useLoad(async () => Array.fromAsync(client.accounts.list()), [client])
  const posts = useLoad(
    async (signal) => {
      const include = ['targets' as const, ...(canSeeFiles ? (['media'] as const) : [])]
      const list = client.posts.list(
        {
          ...(filters as object),
          scheduledFrom: dates.toInstant(`${from}T00:00`, timeZone).toISOString(),
          scheduledBefore: dates.toInstant(`${until}T00:00`, timeZone).toISOString(),
          include,
          limit: 50,
        },
        { signal },
      )
      return Array.fromAsync(list)
    },
    [client, from, until, timeZone, ...Object.values(filters)],
  )
  const days = useMemo(
    () => groupByDay(posts.value ?? [], timeZone, weeks.flat()),
    [posts.value, timeZone, from, until],
  )

  const { move, note, clear } = useMove(timeZone, posts.reload)
  const step = (count: number) =>
    setQuery({ date: view === 'month' ? dates.addMonths(date, count) : dates.addDays(date, 7 * count) })
  return html`
    <div class="bar">
      <h1>${view === 'month' ? dates.formatLocal(date, { month: 'long', year: 'numeric' }) : `${dates.formatLocal(from, { day: 'numeric', month: 'short' })} – ${dates.formatLocal(dates.addDays(until, -1), { dateStyle: 'medium' })}`}</h1>
      <div class="buttons">
        <button type="button" aria-label="Before" onClick=${() => step(-1)}>←</button>
        <button type="button" onClick=${() => setQuery({ date: '' })}>Today</button>
        <button type="button" aria-label="After" onClick=${() => step(1)}>→</button>
        <button type="button" aria-pressed=${view === 'month'} onClick=${() => setQuery({ view: '' })}>Month</button>
        <button type="button" aria-pressed=${view === 'week'} onClick=${() => setQuery({ view: 'week' })}>Week</button>
      </div>
    </div>
    <${Filters} accounts=${accounts.value ?? []} query=${query} timeZone=${timeZone} />
    <${NoteLine} note=${note} onEnd=${clear} />
    <div class="with-side">
      <section aria-label="Calendar">
        <${Loading} loaded=${posts}>${() => ''}<//>
        <div class="grid ${view}" role="list">
          ${weeks[0]!.map((day) => html`<div class="weekday" aria-hidden="true">${dates.formatLocal(day, { weekday: 'short' })}</div>`)}
          ${weeks.flat().map(
            (day) => html`<${Day} key=${day} day=${day} isToday=${day === today}
              isOther=${view === 'month' && day.slice(0, 7) !== date.slice(0, 7)}
              entries=${days.get(day) ?? []} isWhole=${view === 'week'} timeZone=${timeZone} onMove=${move} />`,
          )}
        </div>
        ${posts.value?.length === 0 && html`<${Empty}>Nothing is scheduled here. ${canWrite && html`<a href="#/compose">Compose a post</a>.`}<//>`}
      </section>
      <${Drafts} filters=${filters} />
    </div>
  `
}

/** Moves entries, says so, and offers to undo it. */
function useMove(timeZone: string, reload: () => void) {
  const { client } = useSession()
  const nameAccounts = useAccountNames()
  const [note, setNote] = useState<Note>()
  const nameTime = (time: Date) =>
    dates.formatLocal(dates.toLocal(time, timeZone), { dateStyle: 'full', timeStyle: 'short' })
  const move = async (entry: Entry, day: string, hour?: string) => {
    const { post, targets } = entry
    const from = new Date(entry.instant)
    const time = dates.toLocal(from, timeZone).slice(11)
    const to = dates.toInstant(`${day}T${hour ?? time.slice(0, 2)}${time.slice(2)}`, timeZone)
    // As it is shown, or as the last move has left it: a change of another tab or program is not overwritten.
    let shown = post.updatedAt
    const change = async (time: Date) => {
      const current = await client.posts.get(post.id, AGAIN)
      if (current.updatedAt !== shown) throw new Error('the post has changed meanwhile, look at it again')
      if (dates.isPast(time)) throw new Error(`${nameTime(time)} has passed. To publish the post now, open it.`)
      const moved = await client.posts.update(post.id, changeOf(entry, time), { ...versionOf(current), ...AGAIN })
      shown = keepWarnings(moved).updatedAt
      return moved
    }
    const nameOf = (id: string) => nameAccounts(targets.filter(({ accountId }) => accountId === id))
    try {
      const { warnings = [] } = await change(to)
      setNote({
        text: `Moved to ${nameTime(to)}.`,
        warnings: { issues: warnings, nameOf },
        ...(!dates.isPast(from) && { undo: () => change(from).finally(reload) }),
      })
    } catch (error) {
      setNote({ text: `Not moved: ${inWords(error as Error)}` })
    }
    reload()
  }
  return { move, note, clear: () => setNote(undefined) }
}

/** The drafts that match the filters. The filter by state is about deliveries that have a time. */
function Drafts({ filters: { state: _, ...filters } }: { filters: Record<string, string | undefined> }) {
  const { client } = useSession()
  const [shown, setShown] = useState(DRAFTS_SHOWN)
  const drafts = useLoad(
    async (signal) => {
      const query = {
        ...(filters as object),
        status: ['draft' as const],
        include: ['targets' as const],
        limit: DRAFTS_SHOWN,
      }
      const list: ListedPost[] = []
      for await (const post of client.posts.list(query, { signal })) if (list.push(post) > shown) break
      return list
    },
    [client, shown, ...Object.values(filters)],
  )
  return html`<aside aria-label="Drafts">
    <h2>Drafts</h2>
    <${Loading} loaded=${drafts}>
      ${(list: ListedPost[]) =>
        list.length === 0
          ? html`<${Empty}>No drafts.<//>`
          : html`<ul class="entries">${list.slice(0, shown).map((post) => html`<li key=${post.id}><${Chip} post=${post} targets=${post.targets ?? []} files=${[]} /></li>`)}</ul>
            ${list.length > shown && html`<button type="button" class="quiet" onClick=${() => setShown(shown + DRAFTS_SHOWN)}>More drafts</button>`}`}
    <//>
  </aside>`
}

function Filters({ accounts, query, timeZone }: { accounts: Account[]; query: URLSearchParams; timeZone: string }) {
  const change = (event: Event) => {
    const { name, value } = event.target as HTMLInputElement
    setQuery({ [name]: value })
  }
  const nameOf = useNames()
  const platforms = [...new Set(accounts.map(({ platform }) => platform))]
  const option = (name: string, value: string, label: string) =>
    html`<option value=${value} selected=${(query.get(name) ?? '') === value}>${label}</option>`
  return html`<form class="filters" onSubmit=${(event: Event) => event.preventDefault()} onChange=${change}>
    <label>Account <select name="accountId">${option('accountId', '', 'All')}${accounts.map(({ id, username, platform }) => option('accountId', id, `${username} (${nameOf(platform)})`))}</select></label>
    <label>Network <select name="platform">${option('platform', '', 'All')}${platforms.map((platform) => option('platform', platform, nameOf(platform)))}</select></label>
    <label>State <select name="state">${option('state', '', 'All')}${Object.entries(STATES).map(([state, { word }]) => option('state', state, word))}</select></label>
    <label>Words or reference <input name="q" type="search" ...${useTyped(query.get('q') ?? '')} /></label>
    <${ZoneField} value=${timeZone} onZone=${(zone: string) => setQuery({ zone })} />
  </form>`
}
