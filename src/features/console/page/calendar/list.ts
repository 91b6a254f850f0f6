import type { VNode } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import type { ListedPost, ListPostsQuery } from '../../../../clients/sdk/index.ts'
import { setQuery, usePages } from '../hooks.ts'
import { html } from '../html.ts'
import { sentences } from '../language.ts'
import { Empty, Loading } from '../parts.ts'
import { useSession } from '../session.ts'
import * as dates from '../time.ts'
import { useCalendar } from './context.ts'
import type { Entry } from './entries.ts'
import { Item } from './item.ts'

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
  const drawn = useDrawn(timeZone)
  return html`<section aria-label=${sentences.shared.post.posts} class="post-list">
    <label class="inline">${words.order} <select onChange=${(event: Event) => setQuery({ order: (event.target as HTMLSelectElement).value })}>
      ${Object.entries(ORDERS).map(([value, label]) => html`<option value=${value} selected=${value === order}>${label}</option>`)}
    </select></label>
    <${Loading} loaded=${posts}>
      ${({ items, cursor }: NonNullable<typeof posts.value>) => html`
        ${items.length === 0 && html`<${Empty}>${words.none}<//>`}
        ${[...Map.groupBy(items, (post) => drawn(post).day)].map(
          ([day, own]) => html`<section key=${day} aria-label=${dates.formatLocal(day, { dateStyle: 'full' })}>
            <h2>${dates.formatLocal(day, { dateStyle: 'full' })}</h2>
            <ul class="entries">${own.map((post) => drawn(post).item)}</ul>
          </section>`,
        )}
        ${cursor && html`<button type="button" onClick=${posts.more}>${sentences.shared.actions.morePosts}</button>`}`}
    <//>
  </section>`
}

/** The day and the element of each post. One that is drawn already is left alone when more posts are read. */
function useDrawn(timeZone: string) {
  const kept = useMemo(() => new WeakMap<ListedPost, { day: string; item: VNode }>(), [timeZone])
  return (post: ListedPost) => {
    const found = kept.get(post) ?? {
      day: dates.toLocal(new Date(post.scheduledAt!), timeZone).slice(0, 10),
      item: html`<${Item} key=${post.id} entry=${toEntry(post)} />`,
    }
    kept.set(post, found)
    return found
  }
}

const today = (timeZone: string) => dates.toLocal(new Date(), timeZone).slice(0, 10)

/** All deliveries of a post together, at its own time. */
export const toEntry = (post: ListedPost): Entry => ({
  post,
  instant: post.scheduledAt ?? '',
  day: '',
  targets: post.targets ?? [],
})
