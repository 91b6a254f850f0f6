import { useState } from 'preact/hooks'
import type { PatchPost, PostDetail, Postroom, PostTarget, PostWarning } from '../../../../clients/sdk/index.ts'
import { isSent } from '../due.ts'
import { keepWarnings } from '../issues.ts'
import { say, sentences } from '../language.ts'
import type { Note } from '../parts.ts'
import { inWords } from '../problem.ts'
import { useAccountNames, useSession, versionOf } from '../session.ts'
import * as dates from '../time.ts'
import { changeOf, type Entry } from './entries.ts'
import { firstTime } from './times.ts'

const words = sentences.calendar.moves

/** A drag has no button to try it again. */
const AGAIN = { maxRetries: 2 }

/**
 * Changes a post as it is shown, or as the last change has left it: a change of another tab or program is not
 * overwritten. `toChanges` may refuse the post as it is now.
 */
export function changer(client: Postroom, { id, updatedAt }: Entry['post']) {
  let shown = updatedAt
  return async (toChanges: (post: PostDetail) => PatchPost): Promise<PostWarning[]> => {
    const current = await client.posts.get(id, AGAIN)
    if (current.updatedAt !== shown) throw new Error(words.changed)
    const changed = await client.posts.update(id, toChanges(current), { ...versionOf(current), ...AGAIN })
    shown = keepWarnings(changed).updatedAt
    return changed.warnings ?? []
  }
}

/** The change that gives a post its times back. */
export function timesOf({ scheduledAt, timeZone, targets }: Entry['post']): PatchPost {
  const own = (targets ?? []).filter((target) => target.scheduledAt !== null)
  return {
    ...dates.toSchedule(new Date(scheduledAt!), timeZone),
    overrides: Object.fromEntries(own.map(({ accountId, scheduledAt }) => [accountId, { scheduledAt: scheduledAt! }])),
  }
}

/** Refuses a time that has passed, which would publish the post. */
export function refusePast(time: Date, named: string): void {
  if (dates.isPast(time)) throw new Error(say(words.past, { time: named }))
}

/** Moves entries and drafts, says so, and offers to undo it. */
export function useMoves(timeZone: string, reload: () => void) {
  const { client } = useSession()
  const nameAccounts = useAccountNames()
  const [note, setNote] = useState<Note>()
  const nameTime = (time: Date) =>
    dates.formatLocal(dates.toLocal(time, timeZone), { dateStyle: 'full', timeStyle: 'short' })
  const tell = async (entry: Entry, text: string, act: () => Promise<PostWarning[]>, undo?: () => Promise<unknown>) => {
    const nameOf = (id: string) => nameAccounts(entry.targets.filter(({ accountId }) => accountId === id))
    try {
      const issues = await act()
      setNote({ text, warnings: { issues, nameOf }, ...(undo && { undo: () => undo().finally(reload) }) })
    } catch (error) {
      setNote({ text: say(words.failed, { reason: inWords(error as Error) }) })
    }
    reload()
  }
  /** Moves an entry to a day, at its time or within another hour. A draft gets a time there. */
  const move = (entry: Entry, day: string, hour?: string) => {
    const { post } = entry
    const change = changer(client, post)
    const isDraft = post.status === 'draft'
    const from = isDraft ? new Date() : new Date(entry.instant)
    const time = dates.toLocal(from, timeZone).slice(11)
    const local = isDraft ? firstTime(timeZone, day, hour) : `${day}T${hour ?? time.slice(0, 2)}${time.slice(2)}`
    const to = dates.toInstant(local, timeZone)
    const moveTo = (time: Date) =>
      change(() => {
        refusePast(time, nameTime(time))
        return isDraft ? dates.toSchedule(time, timeZone) : changeOf(entry, time)
      })
    const back = isDraft ? () => change(() => ({ scheduledAt: null })) : () => moveTo(from)
    const text = say(isDraft ? words.scheduled : words.moved, { time: nameTime(to) })
    return tell(entry, text, () => moveTo(to), isDraft || !dates.isPast(from) ? back : undefined)
  }
  /** Takes the post of an entry back to the drafts. */
  const withdraw = (entry: Entry) => {
    const { post } = entry
    const change = changer(client, post)
    const toDraft = (present: PostDetail): PatchPost => {
      const cancelled = present.targets.filter(({ delivery }: PostTarget) => !isSent(delivery.state))
      if (cancelled.length > 0) {
        throw new Error(say(words.cancelled, { accounts: nameAccounts(cancelled) }))
      }
      return { scheduledAt: null }
    }
    const times = [post.scheduledAt!, ...(post.targets ?? []).flatMap(({ scheduledAt }) => scheduledAt ?? [])]
    const canUndo = !times.some((time) => dates.isPast(new Date(time)))
    const back = () =>
      change(() => {
        for (const time of times) refusePast(new Date(time), nameTime(new Date(time)))
        return timesOf(post)
      })
    return tell(entry, words.withdrawn, () => change(toDraft), canUndo ? back : undefined)
  }
  return { move, withdraw, note, setNote }
}
