import { useMemo, useState } from 'preact/hooks'
import type { Account, ListedPost, ListedTarget } from '../../../clients/sdk/index.ts'
import { setQuery, useLoad, useRoute, useTyped } from './hooks.ts'
import { html } from './html.ts'
import { Empty, Loading, Network, type Note, NoteLine, type Picture, Pictures, StateMark, ZoneField } from './parts.ts'
import { useCan, useNames, useSession, versionOf } from './session.ts'
import * as dates from './time.ts'
import { partsOf, STATES, worstOf } from './words.ts'

/** The deliveries of a post that go out at the same time. */
interface Entry {
  post: ListedPost
  instant: string
  targets: ListedTarget[]
}

/** As many as a day of a month shows before the others have to be asked for. */
const SHOWN_MAX = 4

/** As many drafts as are shown before more are asked for. */
const DRAFTS_SHOWN = 20

/** A drag has no button to try it again. */
const AGAIN = { maxRetries: 2 }

/** The hours of a day of a week. A post is dragged to one of them. */
const HOURS = Array.from({ length: 24 }, (_, hour) => String(hour).padStart(2, '0'))

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
  const [note, setNote] = useState<Note>()

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
  const days = useMemo(() => groupByDay(posts.value ?? [], timeZone), [posts.value, timeZone])

  const move = async ({ post, instant, targets }: Entry, day: string, hour?: string) => {
    const time = dates.toLocal(new Date(instant), timeZone).slice(11)
    const local = `${day}T${hour ?? time.slice(0, 2)}${time.slice(2)}`
    const to = dates.toInstant(local, timeZone)
    // As it is shown, or as the last move has left it: a change of another tab or program is not overwritten.
    let shown = post.updatedAt
    const change = async (time: Date) => {
      const current = await client.posts.get(post.id, AGAIN)
      if (current.updatedAt !== shown) throw new Error('the post has changed meanwhile, look at it again')
      shown = (await client.posts.update(post.id, changeOf(post, targets, time), { ...versionOf(current), ...AGAIN }))
        .updatedAt
    }
    try {
      await change(to)
      setNote({
        text: `Moved to ${dates.formatLocal(local, { dateStyle: 'full', timeStyle: 'short' })}.`,
        undo: () => change(new Date(instant)).finally(posts.reload),
      })
    } catch (error) {
      setNote({ text: `Not moved: ${(error as Error).message}` })
    }
    posts.reload()
  }

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
    <${NoteLine} note=${note} onEnd=${() => setNote(undefined)} />
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

/** A patch that moves the deliveries of an entry, in the words in which the post has its time. */
function changeOf(post: ListedPost, targets: ListedTarget[], time: Date) {
  const own = targets.filter(({ scheduledAt }) => scheduledAt !== null)
  const scheduledAt = post.timeZone ? `${dates.toLocal(time, post.timeZone)}:00` : time.toISOString()
  const fold = post.timeZone ? dates.foldOf(time, post.timeZone) : undefined
  return {
    ...(own.length < targets.length && { scheduledAt, ...(fold && { fold }) }),
    ...(own.length > 0 && {
      overrides: Object.fromEntries(own.map(({ accountId }) => [accountId, { scheduledAt: time.toISOString() }])),
    }),
  }
}

function groupByDay(posts: ListedPost[], timeZone: string): Map<string, Entry[]> {
  const entries = posts.flatMap((post): Entry[] => {
    const byTime = Map.groupBy(post.targets ?? [], (target) => target.scheduledAt ?? post.scheduledAt!)
    return [...byTime].map(([instant, targets]) => ({ post, instant, targets }))
  })
  entries.sort((a, b) => a.instant.localeCompare(b.instant))
  return Map.groupBy(entries, ({ instant }) => dates.toLocal(new Date(instant), timeZone).slice(0, 10))
}

/** The first file that the first account of an entry gets. */
const picturesOf = ({ post: { media = [], mediaIds }, targets: [target] }: Entry): Picture[] => {
  const ids = target!.threadMedia?.flat() ?? target!.mediaIds ?? mediaIds
  return media.filter(({ id }) => id === ids[0]).map(({ previewUrl, ...file }) => ({ ...file, url: previewUrl }))
}

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

function Day({ day, isToday, isOther, isWhole, entries, timeZone, onMove }: DayProps) {
  const canMove = useCan('posts:publish')
  const [isOpen, setOpen] = useState(false)
  const shown = isOpen || isWhole ? entries : entries.slice(0, SHOWN_MAX)
  const drop = (event: DragEvent) => {
    event.preventDefault()
    const list = (event.target as Element).closest<HTMLElement>('[data-hour]')
    if (dragged) onMove(dragged, day, list?.dataset.hour)
  }
  const items = (entries: Entry[]) =>
    entries.map((entry) => {
      const canDrag = canMove && entry.post.status !== 'published'
      return html`<li key=${`${entry.post.id} ${entry.instant}`} draggable=${canDrag} onDragStart=${() => (dragged = entry)} onDragEnd=${() => (dragged = undefined)}>
        <${Chip} ...${entry} files=${picturesOf(entry)} time=${dates.formatTime(entry.instant, timeZone)} />
      </li>`
    })
  const hourOf = ({ instant }: Entry) => dates.toLocal(new Date(instant), timeZone).slice(11, 13)
  const lists = Map.groupBy(isWhole ? entries : [], hourOf)
  return html`<div role="listitem" class="day ${isToday ? 'today' : ''} ${isOther ? 'other' : ''}"
      aria-label="${dates.formatLocal(day, { dateStyle: 'full' })}, ${entries.length} ${entries.length === 1 ? 'post' : 'posts'}"
      onDragOver=${(event: DragEvent) => canMove && event.preventDefault()} onDrop=${drop}>
    <div class="date" aria-hidden="true"><span class="narrow">${dates.formatLocal(day, { weekday: 'short', day: 'numeric', month: 'short' })}</span><span class="wide">${Number(day.slice(8))}</span></div>
    ${
      isWhole
        ? HOURS.map(
            (hour) => html`<ul class="entries hour" data-hour=${hour}
            aria-label=${dates.formatLocal(`${day}T${hour}:00`, { timeStyle: 'short' })}
            aria-hidden=${!lists.has(hour)}>${items(lists.get(hour) ?? [])}</ul>`,
          )
        : html`<ul class="entries">${items(shown)}</ul>`
    }
    ${shown.length < entries.length && html`<button type="button" class="quiet" onClick=${() => setOpen(true)}>${entries.length - shown.length} more</button>`}
  </div>`
}

function Chip({ post, targets, files, time }: Pick<Entry, 'post' | 'targets'> & { files: Picture[]; time?: string }) {
  const states = targets.map(({ delivery }) => delivery.state)
  const state = worstOf(states)
  const count = states.filter((each) => each === state).length
  const needsOwner = targets.some(({ attention }) => attention)
  const [text, ...others] = new Set(targets.map((target) => partsOf(post, target)[0]))
  return html`<a class="chip tone-${state}" href="#/posts/${post.id}">
    <span class="chip-head">
      ${time && html`<time>${time}</time>`} <${StateMark} state=${state} />
      ${count < states.length && html`<span>${count} of ${states.length}</span>`}
      ${needsOwner && html`<span class="warning" title="An account needs its owner">⚠ <span class="hidden">An account needs its owner</span></span>`}
    </span>
    <span class="chip-text" dir="auto">${(others.length === 0 && text ? text : post.caption).slice(0, 80) || 'Without text'}</span>
    <${Pictures} files=${files} />
    <span class="networks">${[...new Set(targets.map(({ platform }) => platform))].map((platform) => html`<${Network} platform=${platform} />`)}</span>
  </a>`
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
