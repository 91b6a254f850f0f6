import type { AccountOverride, CreatePost } from '../../../schemas/create-post.ts'
import type { Issue } from '../../../schemas/error.ts'
import type { PatchPost } from '../../../schemas/patch-post.ts'
import type { Fold, LocalSchedule } from '../../../schemas/post.ts'
import type { TakenSlot } from '../../../schemas/queue.ts'
import { isLocalTime, parseLocalTime, parseTime, requireYear, timeOf } from '../../../schemas/time.ts'
import { fail, invalidRequest } from '../../base/errors.ts'
import type { Post, Target } from '../../platforms/contract/post.ts'
import { DAY_MS, firstInstant, isTimeZone, nameZone, offsetMsAt, toInstant, unknownZoneMessage } from './time-zone.ts'

/** The times at which a post is published, by account. */
export type Slots = ReadonlyMap<string, Date>

/** When a post is due. */
type PostTime = Pick<Post, 'scheduledAt' | 'localSchedule'>

/** When a target is due. */
type TargetTime = Pick<Target, 'scheduledAt' | 'isInSlot'>

type Failed = { issues: Issue[] }

type RequestedTime = { [K in 'scheduledAt' | 'timeZone' | 'fold']?: CreatePost[K] | undefined }

/** The time at which a post is due for one of its accounts; null for a draft. */
export const dueTime = (post: Pick<Post, 'scheduledAt'>, target: Pick<Target, 'scheduledAt'>): Date | null =>
  target.scheduledAt ?? post.scheduledAt

interface ReadTimes extends PostTime {
  /** The times of accounts that have their own. */
  accountTimes: ReadonlyMap<string, Date>
}

/**
 * Reads the times of a request. Each is an instant, or a local time in the time zone of the post. A request for slots
 * has none: `findQueueIssues` finds those that it must not have.
 */
export function readTimes(body: RequestedTime & Pick<CreatePost, 'accountOverrides' | 'schedule'>): ReadTimes | Failed {
  if (body.schedule) return { ...NO_TIME, accountTimes: NO_TIMES }
  const time = readTime(body)
  if ('issues' in time) return time
  const changes = listReplaced(body.accountOverrides)
  if (changes.length === 0) return { ...time, accountTimes: NO_TIMES }
  const accountTimes = new Map<string, Date>()
  const issues: Issue[] = []
  for (const { accountId, scheduledAt, path } of changes) {
    const read = readAccountTime(time, scheduledAt!, path)
    if ('time' in read) accountTimes.set(accountId, read.time)
    else issues.push(read)
  }
  return issues.length > 0 ? { issues } : { ...time, accountTimes }
}

const NO_TIME: PostTime = { scheduledAt: null, localSchedule: null }
const NO_TIMES: ReadonlyMap<string, Date> = new Map()

export const PAST_TIME = 'scheduledAt is in the past, or that of an account'

/** Whether a part of the post would be published immediately. */
export function isPast(body: RequestedTime & Pick<CreatePost, 'accountOverrides'>): boolean {
  const times = readTimes(body)
  if ('issues' in times || times.scheduledAt === null) return false
  return [times.scheduledAt, ...times.accountTimes.values()].some((time) => time.getTime() < Date.now())
}

interface MergedTimes extends PostTime {
  /** For each of the accounts, in order. */
  targets: TargetTime[]
}

/**
 * The times of a post after a patch, for these accounts alone. If all of them have slots, the first slot is the time
 * of the post.
 */
export function mergeTimes(post: Post, patch: PatchPost, accountIds: readonly string[]): MergedTimes | Failed {
  const time = mergeTime(post, patch)
  if ('issues' in time) return time
  const { accountOverrides, overrides } = patch
  const keepsSlots = patch.scheduledAt === undefined
  const keepsOthers = time.scheduledAt !== null && accountOverrides === undefined && overrides !== null
  const times = new Map<string, TargetTime>(accountIds.map((id) => [id, POST_TIME]))
  for (const { accountId, scheduledAt, isInSlot } of post.targets) {
    const isKept = isInSlot ? keepsSlots : keepsOthers
    if (isKept && times.has(accountId)) times.set(accountId, { scheduledAt, isInSlot })
  }
  const issues: Issue[] = []
  for (const { accountId, scheduledAt, path } of accountOverrides
    ? listReplaced(accountOverrides)
    : listMerged(overrides, times)) {
    const read = scheduledAt === null ? undefined : readAccountTime(time, scheduledAt, path)
    if (read && 'message' in read) issues.push(read)
    else times.set(accountId, { scheduledAt: read?.time ?? null, isInSlot: false })
  }
  if (issues.length > 0) return { issues }
  const merged = { ...time, targets: accountIds.map((accountId) => ({ accountId, ...times.get(accountId)! })) }
  if (!merged.targets.every(({ isInSlot }) => isInSlot)) return merged
  return inSlots(merged, new Map(merged.targets.map((target) => [target.accountId, dueTime(time, target)!])))
}

const POST_TIME: TargetTime = { scheduledAt: null, isInSlot: false }

/** A post whose accounts publish it in these slots. The time of the post is the first of them. */
export function inSlots<P extends { targets: readonly (TargetTime & { accountId: string })[] }>(post: P, slots: Slots) {
  const firstMs = Math.min(...[...slots.values()].map((time) => time.getTime()))
  const placeTarget = (target: P['targets'][number]): P['targets'][number] => {
    const time = slots.get(target.accountId)!
    return { ...target, scheduledAt: time.getTime() === firstMs ? null : time, isInSlot: true }
  }
  return { ...post, scheduledAt: new Date(firstMs), localSchedule: null, targets: post.targets.map(placeTarget) }
}

/** A duration with a sign. Days are counted on the clocks of a time zone. */
export interface Shift {
  days: number
  ms: number
}

const UNITS_MS = { H: 3_600_000, M: 60_000, S: 1_000 }

/** Reads an ISO 8601 duration of the form `SHIFT`. */
export function readShift(text: string): Shift {
  const sign = text.startsWith('-') ? -1 : 1
  const shift = { days: 0, ms: 0 }
  for (const [, count, unit] of text.matchAll(/(\d+)([WDHMS])/g)) {
    const signed = sign * Number(count)
    if (unit === 'W') shift.days += 7 * signed
    else if (unit === 'D') shift.days += signed
    else shift.ms += signed * UNITS_MS[unit as keyof typeof UNITS_MS]
  }
  return shift
}

/**
 * Moves a post, and its accounts with times of their own. It keeps its time zone, and leaves its slots. Throws 409 for
 * a draft, and 400 for times out of range.
 */
export function shiftTimes(post: Post, shift: Shift): Post {
  const { scheduledAt, localSchedule } = post
  if (scheduledAt === null) throw fail('post_is_draft.unshiftable')
  const timeZone = localSchedule?.timeZone
  const move = (time: Date) => shiftTime(time, shift, timeZone)
  const time = move(scheduledAt)
  return {
    ...post,
    scheduledAt: time,
    localSchedule: timeZone === undefined ? null : showIn(time, timeZone),
    targets: post.targets.map((target) => ({
      ...target,
      scheduledAt: target.scheduledAt && move(target.scheduledAt),
      isInSlot: false,
    })),
  }
}

function shiftTime(time: Date, { days, ms }: Shift, timeZone: string | undefined): Date {
  const startMs = time.getTime()
  const isOnClocks = days !== 0 && timeZone !== undefined
  const movedMs = isOnClocks
    ? firstInstant(startMs + offsetMsAt(startMs, timeZone) + days * DAY_MS, timeZone)
    : startMs + days * DAY_MS
  const moved = requireYear(new Date(movedMs + ms))
  if ('problem' in moved) throw invalidRequest([custom('shift', moved.problem)])
  return moved.time
}

/** An instant as the clocks of a time zone show it. */
function showIn(time: Date, timeZone: string): LocalSchedule {
  const ms = time.getTime()
  const scheduledAtLocal = new Date(ms + offsetMsAt(ms, timeZone)).toISOString().replace(/(?:\.000)?Z$/, '')
  const isMeant = (fold?: Fold) => {
    const read = toInstant(scheduledAtLocal, timeZone, fold)
    return 'time' in read && read.time.getTime() === ms
  }
  const fold = isMeant() ? undefined : isMeant('earlier') ? ('earlier' as const) : ('later' as const)
  return { scheduledAt: time.toISOString(), scheduledAtLocal, timeZone, ...(fold && { fold }) }
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
const listMerged = (overrides: PatchPost['overrides'], times: ReadonlyMap<string, TargetTime>): AccountTime[] =>
  Object.entries(overrides ?? {}).flatMap(([accountId, change]) => {
    const scheduledAt = change === null ? (times.get(accountId)?.isInSlot ? undefined : null) : change.scheduledAt
    return scheduledAt === undefined ? [] : [{ accountId, scheduledAt, path: ['overrides', accountId, 'scheduledAt'] }]
  })

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
