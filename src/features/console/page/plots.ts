import { knownMetrics, METRIC_NAMES, type Metric } from '../../../../schemas/metric-names.ts'
import type { DeliveryMetrics } from '../../../clients/sdk/index.ts'
import { type MeasuredRow, toCsv } from '../../../engine/numbers/csv.ts'
import { html } from './html.ts'
import { capital, formatNumber, label, listOf, say, sayElements, sentences } from './language.ts'
import { Empty } from './parts.ts'
import { useNames } from './session.ts'
import { formatLocal } from './time.ts'

/** Bars of a plot are as narrow as if it had at least as many. */
const BARS_MIN = 14

const { names, shared } = sentences
const words = shared.plots

/** A plot of each known number, as the sum over all deliveries, and what is missing in it. */
export function Plots({ metrics }: { metrics: readonly DeliveryMetrics[] }) {
  const known = knownMetrics(metrics)
  const others = METRIC_NAMES.filter((name) => !known.includes(name))
  const missing = useMissing(metrics)
  return html`
    ${known.length > 0 && html`<div class="plots">${known.map((name) => html`<${Plot} key=${name} name=${name} metrics=${metrics} />`)}</div>`}
    ${known.length === 0 && html`<${Empty}>${words.none}<//>`}
    ${
      metrics.length > 0 &&
      others.length > 0 &&
      html`<details><summary>${say(words.unknown, { numbers: listOf(others.map((name) => names.metrics[name])) })}</summary>
        <ul class="small">${others.map((name) => html`<li>${label(capital(names.metrics[name]), missing(name))}</li>`)}</ul>
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
  const missing = useMissing(metrics)
  const dayOf = ({ day }: { day: string }) => formatLocal(day, { day: 'numeric', month: 'short' })
  const lacks = metrics.some(({ values }) => values[name] === null)
  return html`<figure class="plot">
    <figcaption>${sayElements(words.amount, { amount: html`<strong>${formatNumber(sum)}</strong>`, number: names.metrics[name] })}</figcaption>
    ${
      days.length > 1 &&
      html`<svg viewBox="0 0 ${Math.max(days.length, BARS_MIN) * 4} 24" preserveAspectRatio="none" role="img" aria-label=${say(words.byDay, { number: capital(names.metrics[name]), first: days[0]!.sum, last: days.at(-1)!.sum })}>
        ${days.map(({ day, sum }, index) => {
          const height = (sum / most) * 24
          return html`<rect x=${index * 4} y=${24 - height} width="3" height=${height}>
            <title>${label(formatLocal(day, { dateStyle: 'medium' }), formatNumber(sum))}</title>
          </rect>`
        })}
      </svg>
      <p class="small">${say(shared.range, { from: dayOf(days[0]!), until: dayOf(days.at(-1)!) })}</p>`
    }
    ${lacks && html`<p class="small">${say(words.without, { missing: missing(name) })}</p>`}
  </figure>`
}

/** Says how many posts on each network lack a number, and why. */
function useMissing(metrics: readonly DeliveryMetrics[]): (name: Metric) => string {
  const nameOf = useNames()
  return (name) => {
    const lacks = metrics.flatMap(({ platform, unavailable }) => {
      const reason = unavailable.find(({ metric }) => metric === name)?.reason
      return reason ? [{ network: nameOf(platform), reason: names.reasons[reason] }] : []
    })
    const same = [...Map.groupBy(lacks, ({ network, reason }) => `${network} ${reason}`).values()]
    return same.map((own) => say(words.missing, { ...own[0]!, count: own.length })).join(shared.semicolon)
  }
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
  return html`<button type="button" onClick=${save}>${words.save}</button>`
}
