import { useContext } from 'preact/hooks'
import type { ListedPost } from '../../../../clients/sdk/index.ts'
import { html } from '../html.ts'
import { say, sentences } from '../language.ts'
import { Confirm, type Note } from '../parts.ts'
import { useCan, useSession } from '../session.ts'
import * as dates from '../time.ts'
import {
  type Change,
  changePosts,
  deletePosts,
  Failures,
  forEachPost,
  type Outcome,
  type Result,
  sayOutcomes,
} from './bulk.ts'
import { NowContext, useCalendar } from './context.ts'
import { refusePast } from './moves.ts'
import { firstTime } from './times.ts'

const words = sentences.calendar.bulk
const { actions } = sentences.shared

interface BarProps {
  setNote: (note: Note) => void
  reload: () => void
}

const isRetried = ({ delivery: { state } }: NonNullable<ListedPost['targets']>[number]) =>
  state === 'failed' || state === 'missed'

/** The actions on all selected posts. The page names those that were not changed. */
export function BulkBar({ setNote, reload }: BarProps) {
  const { client } = useSession()
  const { selection, timeZone } = useCalendar()
  const now = useContext(NowContext)
  const canPublish = useCan('posts:publish')
  const posts = [...selection.posts.values()]
  const retried = posts.filter(({ targets }) => targets?.some(isRetried))
  const { shift, moveTo } = shiftsOf(timeZone)
  const show = (done: Result, outcomes: Outcome[], undo?: () => Promise<unknown>) => {
    setNote({
      text: sayOutcomes(done, outcomes),
      details: html`<${Failures} outcomes=${outcomes} />`,
      ...(undo && { undo, staysAfterUndo: true }),
    })
    reload()
  }
  const finish: typeof show = (...outcome) => {
    show(...outcome)
    selection.setOn(false)
  }
  const change = async (done: Result, toChange: (post: ListedPost) => Change) => {
    const outcomes = await changePosts(client, posts, toChange)
    const changed = outcomes.filter(({ error }) => !error).map(({ post }) => post)
    const undo = async () =>
      show('movedBack', await changePosts(client, changed, ({ id }) => takeBack(toChange(selection.posts.get(id)!))))
    finish(done, outcomes, changed.length > 0 ? undo : undefined)
  }
  const nothing = () => {}
  const isNone = posts.length === 0
  const retry = async ({ id, targets = [] }: ListedPost) => {
    for (const { accountId } of targets.filter(isRetried)) await client.deliveries.retry(id, accountId)
  }
  return html`<div class="bulk" role="group" aria-label=${words.title}>
    <strong role="status">${say(words.selected, { count: posts.length })}</strong>
    <button type="button" class="quiet" onClick=${selection.selectShown}>${words.selectShown}</button>
    ${
      canPublish &&
      html`<${Confirm} label=${words.shift} isDisabled=${isNone} onDone=${nothing} says=${words.shiftHelp}
          act=${(fields: FormData) => change('shifted', shift(Number(fields.get('days'))))}>
          <label>${words.days} <input name="days" type="number" required min="-366" max="366" defaultValue="1" /></label>
        <//>
        <${Confirm} label=${words.moveTo} isDisabled=${isNone} onDone=${nothing} says=${words.moveHelp}
          act=${(fields: FormData) => change('moved', moveTo(String(fields.get('day'))))}>
          <label>${words.day} <input name="day" type="date" required min=${now.slice(0, 10)} /></label>
        <//>
        <${Confirm} label=${actions.retry} isDisabled=${retried.length === 0} onDone=${nothing} says=${say(words.retryHelp, { count: retried.length })}
          act=${async () => finish('retried', await forEachPost(retried, retry))} />`
    }
    <${Confirm} label=${actions.delete} isDangerous isDisabled=${isNone} onDone=${nothing} says=${say(words.deleteHelp, { count: posts.length })}
      act=${async () => finish('deleted', await deletePosts(client, posts))} />
    <button type="button" onClick=${() => selection.setOn(false)}>${words.done}</button>
  </div>`
}

const takeBack = ({ shift }: Change): Change =>
  shift ? { shift: shift.startsWith('-') ? shift.slice(1) : `-${shift}` } : { set: { scheduledAt: null } }

/** Changes of the time of a post, in days of the calendar. */
function shiftsOf(timeZone: string) {
  const shiftLocal = (time: string, days: number) => {
    const local = dates.toLocal(new Date(time), timeZone)
    const { length } = 'YYYY-MM-DD'
    return dates.toInstant(`${dates.addDays(local.slice(0, length), days)}${local.slice(length)}`, timeZone)
  }
  const requireFuture = (time: Date) => refusePast(time, dates.formatInstant(time.toISOString(), timeZone))
  const give = (post: ListedPost, days: number): Change => {
    if (post.status === 'draft') throw new Error(sentences.calendar.moves.noTime)
    if (post.status === 'published') throw new Error(sentences.calendar.moves.published)
    const times = [post.scheduledAt!, ...(post.targets ?? []).flatMap(({ scheduledAt }) => scheduledAt ?? [])]
    for (const time of times) requireFuture(shiftLocal(time, days))
    const zoneMinutes = post.timeZone
      ? 0
      : minutesOfClocks(post.scheduledAt!, shiftLocal(post.scheduledAt!, days), days)
    return { shift: toDuration(days * DAY_MINUTES + zoneMinutes) }
  }
  const shift = (days: number) => (post: ListedPost) => give(post, days)
  const moveTo = (day: string) => (post: ListedPost) => {
    if (post.status === 'draft') {
      const time = dates.toInstant(firstTime(timeZone, day), timeZone)
      requireFuture(time)
      return { set: dates.toSchedule(time, timeZone) }
    }
    const from = dates.toLocal(new Date(post.scheduledAt!), timeZone).slice(0, 10)
    return give(post, Math.round((Date.parse(day) - Date.parse(from)) / 86_400_000))
  }
  return { shift, moveTo }
}

const DAY_MINUTES = 1_440

/** By how much days of the calendar are longer than days of 24 hours, because its clocks were put forward or back. */
const minutesOfClocks = (from: string, to: Date, days: number) =>
  (to.getTime() - Date.parse(from)) / 60_000 - days * DAY_MINUTES

/** An ISO 8601 duration, whose days the service counts on the clocks of a post that has a time zone. */
function toDuration(minutes: number): string {
  const [days, rest] = [Math.floor(Math.abs(minutes) / DAY_MINUTES), Math.abs(minutes) % DAY_MINUTES]
  return `${minutes < 0 ? '-' : ''}P${days}D${rest > 0 ? `T${rest}M` : ''}`
}
