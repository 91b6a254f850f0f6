import { useContext } from 'preact/hooks'
import type { ListedPost } from '../../../../clients/sdk/index.ts'
import { html } from '../html.ts'
import { say, sentences } from '../language.ts'
import { Confirm, type Note } from '../parts.ts'
import { useCan, useSession, versionOf } from '../session.ts'
import * as dates from '../time.ts'
import { Failures, forEachPost, type Outcome, type Result, sayOutcomes } from './bulk.ts'
import { NowContext, useCalendar } from './context.ts'
import { changer, refusePast, timesOf } from './moves.ts'
import { firstTime } from './times.ts'

const words = sentences.calendar.bulk
const { actions } = sentences.shared

interface BarProps {
  setNote: (note: Note) => void
  reload: () => void
}

const isRetried = ({ delivery: { state } }: NonNullable<ListedPost['targets']>[number]) =>
  state === 'failed' || state === 'missed'

/** The actions on all selected posts. Each post is changed by itself, and the page names those that were not. */
export function BulkBar({ setNote, reload }: BarProps) {
  const { client } = useSession()
  const { selection, timeZone } = useCalendar()
  const now = useContext(NowContext)
  const canPublish = useCan('posts:publish')
  const posts = [...selection.posts.values()]
  const retried = posts.filter(({ targets }) => targets?.some(isRetried))
  const { shift, moveTo } = useShifts(timeZone)
  const run = async (done: Result, chosen: ListedPost[], act: (post: ListedPost) => Promise<Undo | undefined>) => {
    const undos = new Map<string, Undo>()
    const outcomes = await forEachPost(chosen, async (post) => {
      const undo = await act(post)
      if (undo) undos.set(post.id, undo)
    })
    const undo = async () => {
      const again = await forEachPost(
        chosen.filter(({ id }) => undos.has(id)),
        ({ id }) => undos.get(id)!(),
      )
      show(sayOutcomes('movedBack', again), again)
      reload()
    }
    const show = (text: string, outcomes: Outcome[], undo?: () => Promise<unknown>) =>
      setNote({
        text,
        details: html`<${Failures} outcomes=${outcomes} />`,
        ...(undo && { undo, staysAfterUndo: true }),
      })
    show(sayOutcomes(done, outcomes), outcomes, undos.size > 0 ? undo : undefined)
    selection.setOn(false)
    reload()
  }
  const nothing = () => {}
  const isNone = posts.length === 0
  const retry = async ({ id, targets = [] }: ListedPost) => {
    for (const { accountId } of targets.filter(isRetried)) await client.deliveries.retry(id, accountId)
    return undefined
  }
  const remove = async ({ id, updatedAt }: ListedPost) => {
    const current = await client.posts.get(id)
    if (current.updatedAt !== updatedAt) throw new Error(sentences.calendar.moves.changed)
    await client.posts.delete(id, versionOf(current))
    return undefined
  }
  return html`<div class="bulk" role="group" aria-label=${words.title}>
    <strong role="status">${say(words.selected, { count: posts.length })}</strong>
    <button type="button" class="quiet" onClick=${selection.selectShown}>${words.selectShown}</button>
    ${
      canPublish &&
      html`<${Confirm} label=${words.shift} isDisabled=${isNone} onDone=${nothing} says=${words.shiftHelp}
          act=${(fields: FormData) => run('shifted', posts, shift(Number(fields.get('days'))))}>
          <label>${words.days} <input name="days" type="number" required min="-366" max="366" defaultValue="1" /></label>
        <//>
        <${Confirm} label=${words.moveTo} isDisabled=${isNone} onDone=${nothing} says=${words.moveHelp}
          act=${(fields: FormData) => run('moved', posts, moveTo(String(fields.get('day'))))}>
          <label>${words.day} <input name="day" type="date" required min=${now.slice(0, 10)} /></label>
        <//>
        <${Confirm} label=${actions.retry} isDisabled=${retried.length === 0} onDone=${nothing} says=${say(words.retryHelp, { count: retried.length })}
          act=${() => run('retried', retried, retry)} />`
    }
    <${Confirm} label=${actions.delete} isDangerous isDisabled=${isNone} onDone=${nothing} says=${say(words.deleteHelp, { count: posts.length })}
      act=${() => run('deleted', posts, remove)} />
    <button type="button" onClick=${() => selection.setOn(false)}>${words.done}</button>
  </div>`
}

type Undo = () => Promise<unknown>

/** Changes of the time of a post, each of which returns what takes it back. */
function useShifts(timeZone: string) {
  const { client } = useSession()
  const shiftLocal = (time: string, days: number) => {
    const local = dates.toLocal(new Date(time), timeZone)
    const { length } = 'YYYY-MM-DD'
    return dates
      .toInstant(`${dates.addDays(local.slice(0, length), days)}${local.slice(length)}`, timeZone)
      .toISOString()
  }
  const give = async (post: ListedPost, days: number): Promise<Undo | undefined> => {
    if (post.status === 'draft') throw new Error(sentences.calendar.moves.noTime)
    if (post.status === 'published') throw new Error(sentences.calendar.moves.published)
    const shifted = {
      ...post,
      scheduledAt: shiftLocal(post.scheduledAt!, days),
      targets: (post.targets ?? []).map((target) => ({
        ...target,
        scheduledAt: target.scheduledAt && shiftLocal(target.scheduledAt, days),
      })),
    }
    const change = changer(client, post)
    const put = (post: ListedPost) =>
      change(() => {
        const times = [post.scheduledAt!, ...(post.targets ?? []).flatMap(({ scheduledAt }) => scheduledAt ?? [])]
        for (const time of times) refusePast(new Date(time), dates.formatInstant(time, timeZone))
        return timesOf(post)
      })
    await put(shifted)
    return () => put(post)
  }
  const shift = (days: number) => (post: ListedPost) => give(post, days)
  const moveTo = (day: string) => async (post: ListedPost) => {
    if (post.status === 'draft') {
      const change = changer(client, post)
      const time = dates.toInstant(firstTime(timeZone, day), timeZone)
      await change(() => {
        refusePast(time, dates.formatInstant(time.toISOString(), timeZone))
        return dates.toSchedule(time, timeZone)
      })
      return () => change(() => ({ scheduledAt: null }))
    }
    const from = dates.toLocal(new Date(post.scheduledAt!), timeZone).slice(0, 10)
    return give(post, Math.round((Date.parse(day) - Date.parse(from)) / 86_400_000))
  }
  return { shift, moveTo }
}
