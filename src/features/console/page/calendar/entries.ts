import type { ListedPost, ListedTarget } from '../../../../clients/sdk/index.ts'
import type { Picture } from '../pictures.ts'
import { toLocal, toSchedule } from '../time.ts'

/** The deliveries of a post that stand together in the calendar. */
export interface Entry {
  post: ListedPost
  /** When the first of them was published, or else when all of them are due. */
  instant: string
  /** The day on which they stand. */
  day: string
  targets: ListedTarget[]
}

/** The entries of a post. */
type ToEntries = (post: ListedPost) => Entry[]

/**
 * Makes the entries of posts. Deliveries that are due together stand together. Those that were published stand on the
 * day when they were, unless `days` lacks it. A post that is the same object as before has the same entries.
 */
export function entriesIn(timeZone: string, days: readonly string[]): ToEntries {
  const dayOf = (instant: string) => toLocal(new Date(instant), timeZone).slice(0, 10)
  const kept = new WeakMap<ListedPost, Entry[]>()
  const make: ToEntries = (post) => {
    const byDue = Map.groupBy(post.targets ?? [], ({ scheduledAt }) => scheduledAt ?? post.scheduledAt!)
    return [...byDue].flatMap(([due, targets]) => {
      const dueDay = dayOf(due)
      const byDay = Map.groupBy(targets, ({ delivery: { publishedAt } }) => {
        const day = publishedAt && dayOf(publishedAt)
        return day && days.includes(day) ? day : dueDay
      })
      return [...byDay].map(([day, targets]) => {
        const [published] = targets.flatMap(({ delivery: { publishedAt } }) => publishedAt ?? []).sort()
        return { post, instant: published ?? due, day, targets }
      })
    })
  }
  return (post) => {
    const entries = kept.get(post) ?? make(post)
    kept.set(post, entries)
    return entries
  }
}

/** The entries of posts, by their days. */
export function groupByDay(posts: ListedPost[], toEntries: ToEntries): Map<string, Entry[]> {
  const entries = posts.flatMap(toEntries)
  entries.sort((a, b) => a.instant.localeCompare(b.instant))
  return Map.groupBy(entries, ({ day }) => day)
}

/** A patch that moves the deliveries of an entry. */
export function changeOf({ post, targets }: Entry, time: Date) {
  const own = targets.filter(({ scheduledAt }) => scheduledAt !== null)
  return {
    ...(own.length < targets.length && toSchedule(time, post.timeZone)),
    ...(own.length > 0 && {
      overrides: Object.fromEntries(own.map(({ accountId }) => [accountId, { scheduledAt: time.toISOString() }])),
    }),
  }
}

/** The first file that the first account of an entry gets. */
export const picturesOf = ({ post: { media = [], mediaIds }, targets: [target] }: Entry): Picture[] => {
  const ids = target!.threadMedia?.flat() ?? target!.mediaIds ?? mediaIds
  return media.filter(({ id }) => id === ids[0]).map(({ previewUrl, ...file }) => ({ ...file, url: previewUrl }))
}
