import type { LocalSchedule } from '../../../db/queries/posts/columns.ts'
import type { AccountOverride, CreatePost } from '../../../schemas/create-post.ts'
import type { Issue } from '../../../schemas/error.ts'
import type { PatchPost } from '../../../schemas/patch-post.ts'
import type { TakenSlot } from '../../../schemas/queue.ts'
import { isLocalTime, parseLocalTime, parseTime, timeOf } from '../../../schemas/time.ts'
import { isTimeZone, nameZone, toInstant, unknownZoneMessage } from './time-zone.ts'

/** The times at which a post is published, by account. */
export type Slots = ReadonlyMap<string, Date>

/** When a post is due. */
export interface Schedule extends PostTime {
  /** The times of accounts that do not follow that of the post, by id. A draft has none. */
  accountTimes: ReadonlyMap<string, Date>
  /** The ids of accounts whose time is a slot that the queue has chosen. */
  slotted: ReadonlySet<string>
}

interface PostTime {
  /** Null for a draft. */
  scheduledAt: Date | null
  /** The local time of the request; null if it gave an instant. */
  localSchedule: LocalSchedule | null
}

type Failed = { issues: Issue[] }

type RequestedTime = { [K in 'scheduledAt' | 'timeZone' | 'fold']?: CreatePost[K] | undefined }

/** The time at which a post is due for one of its accounts; null for a draft. */
export const timeFor = (
  { scheduledAt, accountTimes }: Pick<Schedule, 'scheduledAt' | 'accountTimes'>,
  accountId: string,
): Date | null => accountTimes.get(accountId) ?? scheduledAt

/**
 * Reads the times of a request. Each is an instant, or a local time in the time zone of the post. A request for slots
 * has none: `findQueueIssues` finds those that it must not have.
 */
export function readSchedule(
  body: RequestedTime & Pick<CreatePost, 'accountOverrides' | 'schedule'>,
): Schedule | Failed {
  if (body.schedule) return { scheduledAt: null, localSchedule: null, ...NO_TIMES }
  const time = readTime(body)
  return 'issues' in time ? time : withAccountTimes(time, NO_TIMES, listReplaced(body.accountOverrides))
}

export const PAST_TIME = 'scheduledAt is in the past, or that of an account'

/** Whether a part of the post would be published immediately. */
export function isPast(post: RequestedTime & Pick<CreatePost, 'accountOverrides'>): boolean {
  const schedule = readSchedule(post)
  if ('issues' in schedule || schedule.scheduledAt === null) return false
  return [schedule.scheduledAt, ...schedule.accountTimes.values()].some((time) => time.getTime() < Date.now())
}

const NO_TIMES = { accountTimes: new Map<string, Date>(), slotted: new Set<string>() }

/**
 * The times of a post after a patch, for these accounts alone. If all of them have slots, the first slot is the time
 * of the post.
 */
export function mergeSchedule(post: Schedule, patch: PatchPost, accountIds: readonly string[]): Schedule | Failed {
  const time = mergeTime(post, patch)
  if ('issues' in time) return time
  const { accountOverrides, overrides } = patch
  const keepsSlots = patch.scheduledAt === undefined
  const keepsOthers = time.scheduledAt !== null && accountOverrides === undefined && overrides !== null
  const slotted = new Set(accountIds.filter((id) => keepsSlots && post.slotted.has(id)))
  const kept = accountIds.flatMap((id) => {
    const isKept = post.slotted.has(id) ? keepsSlots : keepsOthers
    const time = isKept ? post.accountTimes.get(id) : undefined
    return time ? [[id, time] as const] : []
  })
  const changes = accountOverrides ? listReplaced(accountOverrides) : listMerged(overrides, slotted)
  const merged = withAccountTimes(time, { accountTimes: new Map(kept), slotted }, changes)
  const isQueued = 'slotted' in merged && merged.slotted.size === accountIds.length
  return isQueued ? withSlots(new Map(accountIds.map((id) => [id, timeFor(merged, id)!]))) : merged
}

/** The times of a post whose accounts publish it in these slots. The time of the post is the first of them. */
export function withSlots(slots: Slots): Schedule {
  const firstMs = Math.min(...[...slots.values()].map((time) => time.getTime()))
  return {
    scheduledAt: new Date(firstMs),
    localSchedule: null,
    accountTimes: new Map([...slots].filter(([, time]) => time.getTime() !== firstMs)),
    slotted: new Set(slots.keys()),
  }
}

/** Slots as the API shows them. */
export const listSlots = (slots: Slots): TakenSlot[] =>
  [...slots].map(([accountId, time]) => ({ accountId, scheduledAt: time.toISOString() }))

/** The time that a request gives for an account; null to follow that of the post. */
interface AccountTime {
  accountId: string
  scheduledAt: string | null
  path: Issue['path']
}

const listReplaced = (overrides: readonly AccountOverride[]): AccountTime[] =>
  overrides.flatMap(({ accountId, scheduledAt }, index) =>
    scheduledAt ? [{ accountId, scheduledAt, path: ['accountOverrides', index, 'scheduledAt'] }] : [],
  )

/** Removing the override of an account takes its own time away, but not its slot, which is no part of an override. */
const listMerged = (overrides: PatchPost['overrides'], slotted: ReadonlySet<string>): AccountTime[] =>
  Object.entries(overrides ?? {}).flatMap(([accountId, change]) => {
    const scheduledAt = change === null ? (slotted.has(accountId) ? undefined : null) : change.scheduledAt
    return scheduledAt === undefined ? [] : [{ accountId, scheduledAt, path: ['overrides', accountId, 'scheduledAt'] }]
  })

function withAccountTimes(
  post: PostTime,
  kept: Pick<Schedule, 'accountTimes' | 'slotted'>,
  changes: readonly AccountTime[],
): Schedule | Failed {
  const issues: Issue[] = []
  const accountTimes = new Map(kept.accountTimes)
  const slotted = new Set(kept.slotted)
  for (const { accountId, scheduledAt, path } of changes) {
    slotted.delete(accountId)
    const read = scheduledAt === null ? undefined : readAccountTime(post, scheduledAt, path)
    if (!read) accountTimes.delete(accountId)
    else if ('time' in read) accountTimes.set(accountId, read.time)
    else issues.push(read)
  }
  if (issues.length > 0) return { issues }
  return { scheduledAt: post.scheduledAt, localSchedule: post.localSchedule, accountTimes, slotted }
}

function readAccountTime(
  { scheduledAt, localSchedule }: PostTime,
  text: string,
  path: Issue['path'],
): { time: Date } | Issue {
  if (scheduledAt === null) {
    return { code: 'custom', path, message: 'Must come with scheduledAt of the post: a draft has no times' }
  }
  if (!isLocalTime(text)) return { time: timeOf(text) }
  const read = localSchedule ? toInstant(text, localSchedule.timeZone, localSchedule.fold) : parseTime(text)
  if ('time' in read) return read
  const mend = localSchedule ? '' : ', or send scheduledAt of the post as a local time with timeZone'
  return invalidTime(`${read.problem}${mend}`, path)
}

/** Reads the time of a post. */
function readTime({ scheduledAt, timeZone, fold }: RequestedTime): PostTime | Failed {
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
function mergeTime(post: PostTime, { scheduledAt, timeZone, fold }: PatchPost): PostTime | Failed {
  if (scheduledAt === undefined && fold === undefined) {
    if (timeZone === undefined) return post
    if (timeZone === null) return { ...post, localSchedule: null }
  }
  const local = post.localSchedule
  const kept = timeZone === null ? undefined : local?.scheduledAtLocal
  const time = scheduledAt === undefined ? kept : (scheduledAt ?? undefined)
  const keptZone = time !== undefined && isLocalTime(time) ? local?.timeZone : undefined
  return readTime({
    scheduledAt: time,
    timeZone: timeZone === undefined ? keptZone : (timeZone ?? undefined),
    fold,
  })
}

/** Mistakes in `timeZone` and `fold` that stand without a local time. */
const findStray = ({ scheduledAt, timeZone, fold }: RequestedTime): Issue[] => [
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

const invalidTime = (message: string, path: Issue['path'] = ['scheduledAt']): Issue => ({
  code: 'invalid_string',
  validation: 'datetime',
  path,
  message,
})
