import { knownMetrics, METRIC_NAMES, type Metric } from '../../../../schemas/metric-names.ts'
import type { DeliveryMetrics } from '../../../clients/sdk/index.ts'
import { type MeasuredRow, toCsv } from '../../../engine/numbers/csv.ts'
import { html } from './html.ts'
import { Empty } from './parts.ts'
import { useNames } from './session.ts'
import { formatLocal } from './time.ts'
import { toWords } from './words.ts'

/** Bars of a plot are as narrow as if it had at least as many. */
const BARS_MIN = 14

type Reason = DeliveryMetrics['unavailable'][number]['reason']

export const REASONS: Record<Reason, string> = {
  not_offered: 'the network does not tell',
  scope_missing: 'the account has to be connected again for it',
  too_old: 'the post is too old',
  not_public: 'the network does not show it',
  costs: 'it would cost money',
  not_read: 'not read yet',
  retired: 'the network does not tell it any more',
  network_error: 'the network could not tell',
  gone: 'the post is gone',
  not_published: 'nothing of it is published',
  no_id: 'its ID on the network is not known',
  not_connected: 'the account is not connected',
  metrics_off: 'this service does not read them',
}

export const formatNumber = (value: number) => value.toLocaleString(navigator.language)

/** A plot of each known number, as the sum over all deliveries, and what is missing in it. */
export function Plots({ metrics }: { metrics: readonly DeliveryMetrics[] }) {
  const known = knownMetrics(metrics)
  const others = METRIC_NAMES.filter((name) => !known.includes(name))
  return html`
    ${known.length > 0 && html`<div class="plots">${known.map((name) => html`<${Plot} key=${name} name=${name} metrics=${metrics} />`)}</div>`}
    ${known.length === 0 && html`<${Empty}>No numbers yet.<//>`}
    ${
      metrics.length > 0 &&
      others.length > 0 &&
      html`<details><summary>Not known of any post: ${others.map((name) => toWords(name).toLowerCase()).join(', ')}</summary>
        <ul class="small">${others.map((name) => html`<li>${toWords(name)}: <${Missing} name=${name} metrics=${metrics} /></li>`)}</ul>
      </details>`
    }
  `
}

interface PlotProps {
  name: Metric
  metrics: readonly DeliveryMetrics[]
}

function Plot({ name, metrics }: PlotProps) {
  const sum = metrics.reduce((sum, { values }) => sum + (values[name] ?? 0), 0)
  const days = sumByDay(name, metrics)
  const most = Math.max(...days.map(({ sum }) => sum), 1)
  const lacks = metrics.some(({ values }) => values[name] === null)
  return html`<figure class="plot">
    <figcaption><strong>${formatNumber(sum)}</strong> ${toWords(name).toLowerCase()}</figcaption>
    ${
      days.length > 1 &&
      html`<svg viewBox="0 0 ${Math.max(days.length, BARS_MIN) * 4} 24" preserveAspectRatio="none" role="img" aria-label=${`${toWords(name)} by day: ${formatNumber(days[0]!.sum)} to ${formatNumber(days.at(-1)!.sum)}`}>
        ${days.map(({ day, sum }, index) => {
          const height = (sum / most) * 24
          return html`<rect x=${index * 4} y=${24 - height} width="3" height=${height}>
            <title>${formatLocal(day, { dateStyle: 'medium' })}: ${formatNumber(sum)}</title>
          </rect>`
        })}
      </svg>
      <p class="small">${[days[0]!, days.at(-1)!].map(({ day }) => formatLocal(day, { day: 'numeric', month: 'short' })).join(' – ')}</p>`
    }
    ${lacks && html`<p class="small">Without <${Missing} name=${name} metrics=${metrics} />.</p>`}
  </figure>`
}

/** The number of posts on each network that lack a number, and why. */
function Missing({ name, metrics }: PlotProps) {
  const nameOf = useNames()
  const counts = new Map<string, number>()
  for (const { platform, unavailable } of metrics) {
    const reason = unavailable.find(({ metric }) => metric === name)?.reason
    if (!reason) continue
    const why = `on ${nameOf(platform)}: ${REASONS[reason]}`
    counts.set(why, (counts.get(why) ?? 0) + 1)
  }
  return [...counts].map(([why, count]) => `${count} ${count === 1 ? 'post' : 'posts'} ${why}`).join('; ')
}

/** The sum of a number over all deliveries, by day. A delivery keeps its last number until there is another. */
function sumByDay(name: Metric, metrics: readonly DeliveryMetrics[]) {
  const histories = metrics.map(({ history = [] }) => new Map(history.map(({ day, values }) => [day, values[name]])))
  const latest = histories.map(() => 0)
  const days = [...new Set(histories.flatMap((history) => [...history.keys()]))].sort()
  return days.map((day) => {
    for (const [index, history] of histories.entries()) latest[index] = history.get(day) ?? latest[index]!
    return { day, sum: latest.reduce((sum, value) => sum + value, 0) }
  })
}

/** A button that saves numbers for a spreadsheet. */
export function SaveCsv({ rows, name }: { rows: readonly MeasuredRow[]; name: string }) {
  const save = () => {
    const address = URL.createObjectURL(new Blob([toCsv(rows)], { type: 'text/csv' }))
    const link = Object.assign(document.createElement('a'), { href: address, download: `${name}.csv` })
    link.click()
    URL.revokeObjectURL(address)
  }
  return html`<button type="button" onClick=${save}>Save as CSV</button>`
}
