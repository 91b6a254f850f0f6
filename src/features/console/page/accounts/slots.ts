import { useState } from 'preact/hooks'
import { type AccountSchedule, NotFound, type Slot, type WeeklySlot } from '../../../../clients/sdk/index.ts'
import { useAction, useLoad } from '../hooks.ts'
import { html } from '../html.ts'
import { Loading, Rows, ZoneField } from '../parts.ts'
import { Problem } from '../problem.ts'
import { unless, useCan, useSession } from '../session.ts'
import { formatInstant, OWN_ZONE } from '../time.ts'

const WEEKDAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const

/** 2024-01-01 was a Monday. */
const nameOf = (weekday: string) =>
  new Intl.DateTimeFormat(navigator.language, { weekday: 'long', timeZone: 'UTC' }).format(
    new Date(Date.UTC(2024, 0, 1 + WEEKDAYS.indexOf(weekday as WeeklySlot['weekday']))),
  )

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
    <p class="small">The next slots</p>
    <${Rows} loaded=${next} kind="timeline" none="There are none. A post that asks for the next one is refused.">
      ${({ scheduledAt, isTaken, postId }: Slot) => html`<li>
        <time datetime=${scheduledAt}>${formatInstant(scheduledAt, schedule.value?.timeZone ?? OWN_ZONE)}</time>
        ${postId ? html`<a href="#/posts/${postId}">taken</a>` : isTaken ? 'taken' : 'free'}
      </li>`}
    <//>
  `
}

interface ScheduleProps {
  accountId: string
  schedule: AccountSchedule
  reload: () => void
}

function Schedule({ accountId, schedule, reload }: ScheduleProps) {
  const { client } = useSession()
  const canChange = useCan('posts:publish')
  const [slots, setSlots] = useState(schedule.slots)
  const { run, error, isRunning } = useAction(async (form: HTMLFormElement) => {
    const timeZone = String(new FormData(form).get('timeZone'))
    await client.accounts.putSchedule(accountId, { timeZone, slots, skip: schedule.skip })
    reload()
  })
  if (!canChange) {
    return html`<ul>${slots.map(({ weekday, time }) => html`<li>${nameOf(weekday)} ${time}</li>`)}</ul>`
  }
  const change = (index: number, changes: Partial<WeeklySlot>) =>
    setSlots(slots.map((slot, each) => (each === index ? { ...slot, ...changes } : slot)))
  return html`<form onSubmit=${run}>
    <${ZoneField} value=${slots.length > 0 ? schedule.timeZone : OWN_ZONE} />
    ${slots.map(
      ({ weekday, time }, index) => html`<div class="fields" key=${index}>
        <label>Day <select value=${weekday} onChange=${(event: Event) => change(index, { weekday: (event.target as HTMLSelectElement).value as WeeklySlot['weekday'] })}>
          ${WEEKDAYS.map((day) => html`<option value=${day} selected=${day === weekday}>${nameOf(day)}</option>`)}
        </select></label>
        <label>Time <input type="time" required value=${time} onChange=${(event: Event) => change(index, { time: (event.target as HTMLInputElement).value })} /></label>
        <button type="button" aria-label="Remove ${nameOf(weekday)} ${time}" onClick=${() => setSlots(slots.filter((_, each) => each !== index))}>Remove</button>
      </div>`,
    )}
    <div class="buttons">
      <button type="button" onClick=${() => setSlots([...slots, { weekday: 'monday', time: '09:00' }])}>Add a slot</button>
      <button class="primary" disabled=${isRunning}>Save the slots</button>
    </div>
    ${error && html`<${Problem} error=${error} />`}
  </form>`
}
