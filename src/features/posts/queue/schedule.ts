import type { Db } from '../../../../db/client.ts'
import { isId } from '../../../../db/id.ts'
import type { KeyRights } from '../../../../db/queries/keys.ts'
import {
  findSchedule,
  listTakenSlots,
  lockSchedule,
  type ReachableSchedule,
  storeSchedule,
} from '../../../../db/queries/schedules.ts'
import { inTransaction } from '../../../../db/transaction.ts'
import type { Issue } from '../../../../schemas/error.ts'
import { HORIZON_DAYS } from '../../../../schemas/errors.ts'
import {
  type AccountSchedule,
  type ListSlotsQuery,
  type PutSchedule,
  type SlotList,
  WEEKDAYS,
  type WeeklySlot,
} from '../../../../schemas/schedule.ts'
import { hasScope } from '../../../../schemas/scopes.ts'
import { parseTime, timeOf } from '../../../../schemas/time.ts'
import { fail, invalidRequest, PreconditionFailed } from '../../../base/errors.ts'
import { etagOfText, type IfMatch } from '../../../base/http/preconditions.ts'
import { isListed } from '../../../base/http/rights.ts'
import { DAY_MS, isTimeZone, nameZone, offsetMsAt, unknownZoneMessage } from '../time-zone.ts'
import { listInstants, MINUTE_MS } from './instants.ts'

export interface Caller {
  userId: string
  keyId: string
  rights: KeyRights
}

/** The database reorders the keys of a slot, which the ETag therefore leaves out. */
export const etagOfSchedule = ({ timeZone, slots, skip }: AccountSchedule): string =>
  etagOfText(JSON.stringify([timeZone, slots.map(({ weekday, time }) => [weekday, time]), skip]))

/** The schedule of an account that the caller may post to, and its account. Throws 404 without one. */
export async function requireSchedule(
  db: Db,
  { userId, rights }: Caller,
  id: string,
): Promise<ReachableSchedule & { schedule: AccountSchedule }> {
  const found = isId(id) && isListed(rights, id) ? await findSchedule(db, { userId, id }) : undefined
  if (!found) throw fail('account_not_found')
  if (!found.schedule) throw fail('schedule_not_found', id)
  return found as ReachableSchedule & { schedule: AccountSchedule }
}

/**
 * Stores the schedule of an account. Throws 400 with details for mistakes that the schema does not see, and 412 for
 * another schedule than the caller has seen.
 */
export async function putSchedule(
  db: Db,
  caller: Caller,
  id: string,
  { timeZone, slots, skip }: PutSchedule,
  isMatch: IfMatch | undefined,
): Promise<AccountSchedule> {
  const issues = [
    ...(isTimeZone(timeZone) ? [] : [custom(['timeZone'], unknownZoneMessage(timeZone))]),
    ...findRepeated(
      'slots',
      slots.map(({ weekday, time }) => `${weekday} ${time}`),
    ),
    ...skip.flatMap((date, index) => findDateIssue(date, ['skip', index])),
    ...findRepeated('skip', skip),
  ]
  if (issues.length > 0) throw invalidRequest(issues)
  const schedule = { timeZone: nameZone(timeZone), slots: slots.toSorted(compareSlots), skip: skip.toSorted() }
  const { userId, keyId, rights } = caller
  await inTransaction(db, async (db) => {
    if (isMatch) {
      const { schedule: seen } = await requireSchedule(db, caller, id)
      requireMatch((await lockSchedule(db, id)) ?? seen, isMatch)
    }
    const isStored = isId(id) && isListed(rights, id) && (await storeSchedule(db, { userId, id, keyId }, schedule))
    if (!isStored) throw fail('account_not_found')
  })
  return schedule
}

/** Returns the ETag of the schedule. Throws 412 if `If-Match` names another one. */
export function requireMatch(schedule: AccountSchedule, isMatch: IfMatch | undefined): string {
  const etag = etagOfSchedule(schedule)
  if (isMatch && !isMatch(etag)) throw new PreconditionFailed(etag, 'precondition_failed.schedule')
  return etag
}

const custom = (path: Issue['path'], message: string): Issue => ({ code: 'custom', path, message })

function findRepeated(key: string, values: readonly string[]): Issue[] {
  const seen = new Set<string>()
  return values.flatMap((value, index) => {
    if (seen.has(value)) return [custom([key, index], `Repeats an earlier item: ${value}`)]
    seen.add(value)
    return []
  })
}

function findDateIssue(date: string, path: Issue['path']): Issue[] {
  const parsed = parseTime(`${date}T00:00:00Z`)
  return 'problem' in parsed ? [{ code: 'invalid_string', validation: 'datetime', path, message: parsed.problem }] : []
}

const compareSlots = (a: WeeklySlot, b: WeeklySlot) =>
  WEEKDAYS.indexOf(a.weekday) - WEEKDAYS.indexOf(b.weekday) || a.time.localeCompare(b.time)

/** The next slots of an account, with the posts that take them. Throws 404 without a schedule. */
export async function listSlots(db: Db, caller: Caller, id: string, query: ListSlotsQuery): Promise<SlotList> {
  const { schedule, now } = await requireSchedule(db, caller, id)
  const { timeZone } = schedule
  const fromMs = Math.max(now.getTime(), query.from === undefined ? 0 : timeOf(query.from).getTime())
  const instants = listInstants(schedule, fromMs, now.getTime() + HORIZON_DAYS * DAY_MS)
    .take(query.limit)
    .toArray()
  const posts = instants.length > 0 ? await findPosts(db, caller, id, instants) : new Map<number, string | null>()
  const data = instants.map((ms) => {
    const postId = posts.get(ms / MINUTE_MS)
    return {
      scheduledAt: new Date(ms).toISOString(),
      scheduledAtLocal: new Date(ms + offsetMsAt(ms, timeZone)).toISOString().slice(0, 19),
      isTaken: postId !== undefined,
      ...(postId && { postId }),
    }
  })
  return { timeZone, data }
}

/** The posts that take these slots, by minute. Null for a post that the caller may not see. */
async function findPosts(db: Db, { userId, rights }: Caller, accountId: string, instants: number[]) {
  const from = new Date(instants[0]!)
  const to = new Date(instants.at(-1)! + MINUTE_MS)
  const taken = await listTakenSlots(db, { accountId, from, to }, { userId, accountIds: rights.accountIds })
  const canRead = hasScope(rights, 'posts:read')
  const posts = new Map<number, string | null>()
  for (const { dueAt, postId } of taken) {
    const minute = Math.floor(Date.parse(dueAt) / MINUTE_MS)
    posts.set(minute, posts.get(minute) ?? (canRead ? postId : null))
  }
  return posts
}
