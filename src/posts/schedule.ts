import type { LocalSchedule } from '../../db/queries/posts/columns.ts'
import type { CreatePost } from '../../schemas/create-post.ts'
import type { Issue } from '../../schemas/error.ts'
import type { PatchPost } from '../../schemas/patch-post.ts'
import { isLocalTime, parseLocalTime, parseTime, timeOf } from '../../schemas/time.ts'
import { isTimeZone, nameZone, toInstant, unknownZoneMessage } from './time-zone.ts'

/** When a post is due. */
export interface Schedule {
  /** Null for a draft. */
  scheduledAt: Date | null
  /** The local time of the request; null if it gave an instant. */
  localSchedule: LocalSchedule | null
}

type RequestedSchedule = { [K in 'scheduledAt' | 'timeZone' | 'fold']?: CreatePost[K] | undefined }

/** Reads the time of a request: an instant, or a local time in a time zone. */
export function readSchedule({ scheduledAt, timeZone, fold }: RequestedSchedule): Schedule | { issues: Issue[] } {
  if (scheduledAt === undefined || !isLocalTime(scheduledAt)) {
    const issues = findStray({ scheduledAt, timeZone, fold })
    if (issues.length > 0) return { issues }
    return { scheduledAt: scheduledAt === undefined ? null : timeOf(scheduledAt), localSchedule: null }
  }
  if (timeZone === undefined) {
    const { problem } = parseTime(scheduledAt) as { problem: string }
    return { issues: [invalidTime(`${problem}, or name the zone in timeZone, such as Europe/Berlin`)] }
  }
  if (!isTimeZone(timeZone)) return { issues: [custom('timeZone', unknownZoneMessage(timeZone))] }
  const instant = toInstant(scheduledAt, timeZone, fold)
  if ('problem' in instant) return { issues: [invalidTime(instant.problem)] }
  const { time } = instant
  return {
    scheduledAt: time,
    localSchedule: {
      scheduledAt: time.toISOString(),
      scheduledAtLocal: normalize(scheduledAt),
      timeZone: nameZone(timeZone),
      ...(fold && { fold }),
    },
  }
}

/** The time of a post after a patch. A new local time keeps the zone, and a new zone keeps the local time. */
export function mergeSchedule(
  post: Schedule,
  { scheduledAt, timeZone, fold }: Pick<PatchPost, 'scheduledAt' | 'timeZone' | 'fold'>,
): Schedule | { issues: Issue[] } {
  if (scheduledAt === undefined && fold === undefined) {
    if (timeZone === undefined) return post
    if (timeZone === null) return { ...post, localSchedule: null }
  }
  const local = post.localSchedule
  const kept = timeZone === null ? undefined : local?.scheduledAtLocal
  const time = scheduledAt === undefined ? kept : (scheduledAt ?? undefined)
  const keptZone = time !== undefined && isLocalTime(time) ? local?.timeZone : undefined
  return readSchedule({
    scheduledAt: time,
    timeZone: timeZone === undefined ? keptZone : (timeZone ?? undefined),
    fold,
  })
}

/** Mistakes in `timeZone` and `fold` that stand without a local time. */
const findStray = ({ scheduledAt, timeZone, fold }: RequestedSchedule): Issue[] => [
  ...(timeZone === undefined
    ? []
    : [
        custom(
          'timeZone',
          scheduledAt === undefined
            ? 'Must come with scheduledAt as a local time, such as 2027-01-15T09:30:00'
            : 'Must be absent if scheduledAt ends with Z or an offset: leave out one of the two',
        ),
      ]),
  ...(fold === undefined ? [] : [custom('fold', 'Must come with timeZone, and with scheduledAt as a local time')]),
]

/** A local time with seconds, and with milliseconds if there are any. */
const normalize = (text: string) =>
  (parseLocalTime(text) as { time: Date }).time.toISOString().replace(/(?:\.000)?Z$/, '')

const custom = (key: string, message: string): Issue => ({ code: 'custom', path: [key], message })

const invalidTime = (message: string): Issue => ({
  code: 'invalid_string',
  validation: 'datetime',
  path: ['scheduledAt'],
  message,
})
