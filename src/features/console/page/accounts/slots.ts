import { useState } from 'preact/hooks'
import { type AccountSchedule, NotFound, type Slot, type WeeklySlot } from '../../../../clients/sdk/index.ts'
import { useAction, useLoad } from '../hooks.ts'
import { html } from '../html.ts'
import { say, sentences } from '../language.ts'
import { Loading, Rows, ZoneField } from '../parts.ts'
import { Problem } from '../problem.ts'
import { unless, useCan, useSession } from '../session.ts'
import { addDays, formatInstant, formatLocal, OWN_ZONE } from '../time.ts'

const words = sentences.pages.slots

const WEEKDAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const

/** 2024-01-01 was a Monday. */
const nameOf = (weekday: string) =>
  formatLocal(addDays('2024-01-01', WEEKDAYS.indexOf(weekday as WeeklySlot['weekday'])), { weekday: 'long' })

const clockOf = (time: string) => formatLocal(`2024-01-01T${time}`, { timeStyle: 'short' })

/** The weekly times of an account, and the next ones with the posts that take them. */
export function Slots({ accountId }: { accountId: string }) {
  const { client } = useSession()
  const none = { timeZone: OWN_ZONE, slots: [], skip: [] }
  // An account without a schedule has none to read.
  const schedule = useLoad<AccountSchedule>(
    () => client.accounts.getSchedule(accountId).catch(unless(NotFound, none)),
    [client, accountId],
  )
  const next = useLoad<Slot[]>(
    async () => (await client.accounts.slots(accountId, { limit: 6 }).catch(unless(NotFound, { data: [] }))).data,
    [client, accountId],
  )
  const reload = () => {
    schedule.reload()
    next.reload()
  }
  return html`
    <${Loading} loaded=${schedule}>
      ${(value: AccountSchedule) => html`<${Schedule} key=${JSON.stringify(value)} accountId=${accountId} schedule=${value} reload=${reload} />`}
    <//>
    <p class="small">${words.next}</p>
    <${Rows} loaded=${next} kind="timeline" none=${words.none}>
      ${({ scheduledAt, isTaken, postId }: Slot) => html`<li>
        <time datetime=${scheduledAt}>${formatInstant(scheduledAt, schedule.value?.timeZone ?? OWN_ZONE)}</time>
        ${postId ? html`<a href="#/posts/${postId}">${words.taken}</a>` : isTaken ? words.taken : words.free}
      </li>`}
    <//>
  `
}

interface ScheduleProps {
  accountId: string
  schedule: AccountSchedule
  reload: () => void
}

const keyOf = ({ weekday, time }: WeeklySlot) => `${WEEKDAYS.indexOf(weekday)} ${time}`

/** The slots of both lists, in the order of a week. None is there twice. */
const join = (slots: WeeklySlot[], more: WeeklySlot[]): WeeklySlot[] =>
  [...new Map([...slots, ...more].map((slot) => [keyOf(slot), slot]))]
    .sort(([a], [b]) => a.localeCompare(b))
    .map(([, slot]) => slot)

function Schedule({ accountId, schedule, reload }: ScheduleProps) {
  const { client } = useSession()
  const canChange = useCan('posts:publish')
  const [slots, setSlots] = useState(join(schedule.slots, []))
  const { run, error, isRunning } = useAction(async (form: HTMLFormElement) => {
    const timeZone = String(new FormData(form).get('timeZone'))
    await client.accounts.putSchedule(accountId, { timeZone, slots, skip: schedule.skip })
    reload()
  })
  const remove = (slot: WeeklySlot) => setSlots(slots.filter((each) => each !== slot))
  const list = html`<ul class="slots">
    ${[...Map.groupBy(slots, ({ weekday }) => weekday)].map(
      ([weekday, own]) => html`<li key=${weekday}><strong>${nameOf(weekday)}</strong>
        ${own.map((slot) => html`<span class="slot" key=${slot.time}>${clockOf(slot.time)}${canChange && html`<button type="button" class="quiet" aria-label=${say(words.remove, { day: nameOf(weekday), time: clockOf(slot.time) })} onClick=${() => remove(slot)}>✕</button>`}</span>`)}
      </li>`,
    )}
  </ul>`
  if (!canChange) return list
  return html`<form onSubmit=${run}>
    <${ZoneField} value=${slots.length > 0 ? schedule.timeZone : OWN_ZONE} />
    ${list}
    <${NewSlots} slots=${slots} onAdd=${(more: WeeklySlot[]) => setSlots(join(slots, more))} />
    <button class="primary" disabled=${isRunning}>${words.save}</button>
    ${error && html`<${Problem} error=${error} />`}
  </form>`
}

/** Adds each of some times on each of some days. What is there already is not added again. */
function NewSlots({ slots, onAdd }: { slots: WeeklySlot[]; onAdd: (slots: WeeklySlot[]) => void }) {
  const [days, setDays] = useState<WeeklySlot['weekday'][]>(WEEKDAYS.slice(0, 5))
  const [times, setTimes] = useState(['09:00'])
  const chosen = days.flatMap((weekday) => times.flatMap((time) => (time ? [{ weekday, time }] : [])))
  const isNew = (slot: WeeklySlot) => !slots.some((each) => keyOf(each) === keyOf(slot))
  const added = join(chosen, []).filter(isNew)
  const toggle = (day: WeeklySlot['weekday']) =>
    setDays(days.includes(day) ? days.filter((each) => each !== day) : [...days, day])
  const typeTime = (index: number) => (event: Event) =>
    setTimes(times.with(index, (event.target as HTMLInputElement).value))
  return html`<div class="new-slots">
    <fieldset><legend>${words.days}</legend>${WEEKDAYS.map((day) => html`<label class="check"><input type="checkbox" checked=${days.includes(day)} onChange=${() => toggle(day)} /> ${nameOf(day)}</label>`)}</fieldset>
    <div class="fields">
      ${times.map((time, index) => html`<label key=${index}>${times.length > 1 ? say(words.timeOf, { number: index + 1 }) : words.time} <input type="time" value=${time} onInput=${typeTime(index)} /></label>`)}
      <button type="button" onClick=${() => setTimes([...times, ''])}>${words.anotherTime}</button>
    </div>
    <div class="buttons">
      <button type="button" disabled=${added.length === 0} onClick=${() => onAdd(added)}>${say(words.add, { count: added.length })}</button>
      ${chosen.length > added.length && html`<span class="small" role="status">${say(words.there, { count: chosen.length - added.length })}</span>`}
    </div>
  </div>`
}
