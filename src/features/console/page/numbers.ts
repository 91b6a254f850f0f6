import type { DeliveryMetrics, MetricValues } from '../../../clients/sdk/index.ts'
import { useLoad } from './hooks.ts'
import { html } from './html.ts'
import { Empty, Loading } from './parts.ts'
import { useSession } from './session.ts'
import { formatInstant, formatLocal, OWN_ZONE } from './time.ts'

const REASONS: Record<DeliveryMetrics['unavailable'][number]['reason'], string> = {
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

const known = (values: MetricValues) =>
  Object.entries(values).filter((entry): entry is [string, number] => entry[1] !== null)

/** The numbers of a published post on one account. A number that the network does not tell is no zero. */
export function Numbers({ metrics: { values, fetchedAt, unavailable } }: { metrics: DeliveryMetrics }) {
  const numbers = known(values)
  // Numbers that the network never tells say nothing of those that it does.
  const reason = (unavailable.find(({ reason }) => reason !== 'not_offered') ?? unavailable[0])?.reason ?? 'not_read'
  const none = reason === 'not_read' ? 'No numbers yet.' : `No numbers: ${REASONS[reason]}.`
  const missing = unavailable.map(({ metric, reason }) => `${metric}: ${REASONS[reason]}`).join('. ')
  return html`<div class="numbers">
    ${numbers.map(([name, value]) => html`<span><strong>${value.toLocaleString(navigator.language)}</strong> ${name}</span>`)}
    ${fetchedAt && html`<span class="small">read ${formatInstant(fetchedAt, OWN_ZONE)}</span>`}
    ${numbers.length === 0 && html`<span class="small" title=${missing}>${none}</span>`}
  </div>`
}

const DAYS = 30

/** The sums of an account's posts of the last days, as a plot for each number. */
export function AccountNumbers({ accountId }: { accountId: string }) {
  const { client } = useSession()
  const list = useLoad(async () => {
    const scheduledFrom = new Date(Date.now() - DAYS * 86_400_000).toISOString()
    return Array.fromAsync(client.deliveries.metrics({ accountId, history: true, scheduledFrom, limit: 25 }))
  }, [client, accountId])
  return html`<${Loading} loaded=${list}>
    ${(metrics: DeliveryMetrics[]) => {
      const series = sumByDay(metrics)
      if (series.size === 0) return html`<${Empty}>No numbers of the last ${DAYS} days.<//>`
      return [...series].map(([name, days]) => html`<${Plot} name=${name} days=${days} />`)
    }}
  <//>`
}

/** The sum of each number over all posts, by day. A post keeps its last number until there is another. */
function sumByDay(metrics: DeliveryMetrics[]): Map<string, Map<string, number>> {
  const days = [...new Set(metrics.flatMap(({ history = [] }) => history.map(({ day }) => day)))].sort()
  const series = new Map<string, Map<string, number>>()
  for (const { history = [] } of metrics) {
    const latest = new Map<string, number>()
    for (const day of days) {
      for (const [name, value] of known(history.find((point) => point.day === day)?.values ?? ({} as MetricValues))) {
        latest.set(name, value)
      }
      for (const [name, value] of latest) {
        const sums = series.get(name) ?? new Map(days.map((day) => [day, 0]))
        series.set(name, sums.set(day, sums.get(day)! + value))
      }
    }
  }
  return series
}

function Plot({ name, days }: { name: string; days: Map<string, number> }) {
  const values = [...days.values()]
  const most = Math.max(...values, 1)
  const says = `${name}: ${values.at(-1)!.toLocaleString(navigator.language)}`
  return html`<figure class="plot">
    <svg viewBox="0 0 ${values.length * 4} 24" preserveAspectRatio="none" role="img" aria-label=${says}>
      ${[...days].map(([day, value], index) => {
        const height = (value / most) * 24
        return html`<rect x=${index * 4} y=${24 - height} width="3" height=${height}>
          <title>${formatLocal(day, { dateStyle: 'medium' })}: ${value}</title>
        </rect>`
      })}
    </svg>
    <figcaption class="small">${says}</figcaption>
  </figure>`
}
