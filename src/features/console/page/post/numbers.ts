import { knownMetrics } from '../../../../../schemas/metric-names.ts'
import type { DeliveryMetrics, PostTarget } from '../../../../clients/sdk/index.ts'
import { useLoad } from '../hooks.ts'
import { html } from '../html.ts'
import { Details, Loading } from '../parts.ts'
import { formatNumber, Plots, REASONS, SaveCsv } from '../plots.ts'
import { useSession } from '../session.ts'
import { formatInstant, OWN_ZONE } from '../time.ts'

interface NumbersProps {
  metrics: DeliveryMetrics
  target: PostTarget
}

/** The numbers of a published post on one account. A number that the network does not tell is no zero. */
export function Numbers({ metrics, target }: NumbersProps) {
  const { values, fetchedAt, unavailable } = metrics
  const names = knownMetrics([metrics])
  // Numbers that the network never tells say nothing of those that it does.
  const reason = (unavailable.find(({ reason }) => reason !== 'not_offered') ?? unavailable[0])?.reason ?? 'not_read'
  const none = reason === 'not_read' ? 'No numbers yet.' : `No numbers: ${REASONS[reason]}.`
  const missing = unavailable.map(({ metric, reason }) => `${metric}: ${REASONS[reason]}`).join('. ')
  return html`<div class="numbers">
      ${names.map((name) => html`<span><strong>${formatNumber(values[name]!)}</strong> ${name}</span>`)}
      ${fetchedAt && html`<span class="small">read ${formatInstant(fetchedAt, OWN_ZONE)}</span>`}
      ${names.length === 0 && html`<span class="small" title=${missing}>${none}</span>`}
    </div>
    ${names.length > 0 && html`<${Details} title="Numbers by day">${() => html`<${ByDay} metrics=${metrics} target=${target} />`}<//>`}`
}

function ByDay({ metrics: { postId, accountId }, target }: NumbersProps) {
  const { client } = useSession()
  const own = useLoad(
    async (signal) =>
      (await client.posts.metrics(postId, { history: true }, { signal })).data.filter(
        (each) => each.accountId === accountId,
      ),
    [client, postId, accountId],
  )
  const { username, delivery } = target
  return html`<${Loading} loaded=${own}>
    ${(metrics: DeliveryMetrics[]) => html`<${Plots} metrics=${metrics} />
      <${SaveCsv} rows=${metrics.map((each) => ({ ...each, username, externalUrl: delivery.externalUrl }))} name=${`numbers-${postId}`} />`}
  <//>`
}
