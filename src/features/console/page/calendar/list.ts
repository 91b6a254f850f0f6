import { useMemo, useState } from 'preact/hooks'
import type { ListedPost, ListPostsQuery } from '../../../../clients/sdk/index.ts'
import { setQuery, usePages } from '../hooks.ts'
import { html } from '../html.ts'
import { sentences } from '../language.ts'
import { Empty, Loading } from '../parts.ts'
import { useSession } from '../session.ts'
import * as dates from '../time.ts'
import { useCalendar } from './context.ts'
import { useElements } from './drawn.ts'
import type { Entry } from './entries.ts'
import { Item } from './item.ts'
import { useNear } from './near.ts'
import { useShown } from './selection.ts'

const words = sentences.calendar.list

/** As many posts as are read at once. */
const PAGE = 50

/** A change of a post reads the posts again that are shown, unless they are more than these. */
const REREAD_MAX = 200

const ORDERS = { '': words.latest, next: words.next }

interface ListProps {
  filters: ListPostsQuery
  order: 'next' | ''
  /** Counts the changes after which the posts are read again. */
  turn: number
}

/** The posts of all time that meet the filters, by the days on which they are due. */
export function PostList({ filters, order, turn }: ListProps) {
  const { client } = useSession()
  const { timeZone } = useCalendar()
  const query: ListPostsQuery = {
    ...filters,
    sort: 'scheduledAt',
    limit: PAGE,
    ...(order === 'next' && {
      order: 'asc',
      scheduledFrom: `${dates.toInstant(`${today(timeZone)}T00:00`, timeZone).toISOString()}`,
    }),
  }
  const [readTurn, setReadTurn] = useState(turn)
  const posts = usePages<ListedPost>(
    PAGE,
    (cursor, signal) => client.posts.list({ ...query, ...(cursor && { cursor }) }, { signal }),
    [query],
    readTurn,
  )
  // Many posts are not read again after each change.
  if (readTurn !== turn && (posts.value?.items.length ?? 0) <= REREAD_MAX) setReadTurn(turn)
  const dayOf = useDays(timeZone)
  const element = useElements()
  return html`<section aria-label=${sentences.shared.post.posts} class="post-list">
    <label class="inline">${words.order} <select onChange=${(event: Event) => setQuery({ order: (event.target as HTMLSelectElement).value })}>
      ${Object.entries(ORDERS).map(([value, label]) => html`<option value=${value} selected=${value === order}>${label}</option>`)}
    </select></label>
    <${Loading} loaded=${posts}>
      ${({ items, cursor }: NonNullable<typeof posts.value>) => html`
        ${items.length === 0 && html`<${Empty}>${words.none}<//>`}
        ${divide(items).map(({ first, posts }, index) => {
          const before = items[index * IN_PIECE - 1]
          const isSameDay = before !== undefined && dayOf(before) === dayOf(first)
          const draw = () => html`<${Piece} key=${first.id} posts=${posts} dayOf=${dayOf} isSameDay=${isSameDay} />`
          return element(first.id, [dayOf, isSameDay, ...posts], draw)
        })}
        ${cursor && html`<button type="button" onClick=${posts.more}>${sentences.shared.actions.morePosts}</button>`}`}
    <//>
  </section>`
}

/** As many posts as are drawn and removed together. */
const IN_PIECE = 10

const divide = (items: ListedPost[]) =>
  Array.from({ length: Math.ceil(items.length / IN_PIECE) }, (_, piece) => {
    const posts = items.slice(piece * IN_PIECE, (piece + 1) * IN_PIECE)
    return { first: posts[0]!, posts }
  })

type DayOf = (post: ListedPost) => string

/** Returns a function that finds the day of a post, and keeps it. */
function useDays(timeZone: string): DayOf {
  return useMemo(() => {
    const kept = new WeakMap<ListedPost, string>()
    return (post) => {
      const day = kept.get(post) ?? dates.toLocal(new Date(post.scheduledAt!), timeZone).slice(0, 10)
      kept.set(post, day)
      return day
    }
  }, [timeZone])
}

interface PieceProps {
  posts: ListedPost[]
  dayOf: DayOf
  /** Whether the piece before ends with posts of the same day. */
  isSameDay: boolean
}

/** A piece of the list. Only those near the window are drawn, because the list may have thousands of posts. */
function Piece({ posts, dayOf, isSameDay }: PieceProps) {
  const { ref, isNear, height } = useNear()
  useShown(posts)
  const days = [...Map.groupBy(posts, dayOf)]
  if (!isNear) {
    const expected = `${days.length * DAY_REM + posts.length * POST_REM}rem`
    return html`<div ref=${ref} style=${{ blockSize: height === undefined ? expected : `${height}px` }}></div>`
  }
  return html`<div ref=${ref}>${days.map(
    ([day, own], index) => html`<section key=${day} aria-label=${dates.formatLocal(day, { dateStyle: 'full' })}>
      ${(index > 0 || !isSameDay) && html`<h2>${dates.formatLocal(day, { dateStyle: 'full' })}</h2>`}
      <ul class="entries">${own.map((post) => html`<${Item} key=${post.id} entry=${toEntry(post)} />`)}</ul>
    </section>`,
  )}</div>`
}

/** About the heights of a heading and of a post, before they are drawn. */
const DAY_REM = 2.75
const POST_REM = 3.6

const today = (timeZone: string) => dates.toLocal(new Date(), timeZone).slice(0, 10)

/** All deliveries of a post together, at its own time. */
export const toEntry = (post: ListedPost): Entry => ({
  post,
  instant: post.scheduledAt ?? '',
  day: '',
  targets: post.targets ?? [],
})
