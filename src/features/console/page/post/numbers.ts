import { knownMetrics } from '../../../../../schemas/metric-names.ts'
import type { DeliveryMetrics, PostTarget } from '../../../../clients/sdk/index.ts'
import { useLoad } from '../hooks.ts'
import { html } from '../html.ts'
import { formatNumber, label, say, sayElements, sentences } from '../language.ts'
import { Details, Loading } from '../parts.ts'
import { Plots, SaveCsv } from '../plots.ts'
import { useSession } from '../session.ts'
import { formatInstant, OWN_ZONE } from '../time.ts'

const words = sentences.post.numbers
const { names } = sentences
const { plots } = sentences.shared

interface NumbersProps {
  metrics: DeliveryMetrics
  target: PostTarget
}

/** The numbers of a published post on one account. A number that the network does not tell is no zero. */
export function Numbers({ metrics, target }: NumbersProps) {
  const { values, fetchedAt, unavailable } = metrics
  const known = knownMetrics([metrics])
  // Numbers that the network never tells say nothing of those that it does.
  const reason = (unavailable.find(({ reason }) => reason !== 'not_offered') ?? unavailable[0])?.reason ?? 'not_read'
  const none = reason === 'not_read' ? plots.none : say(plots.noneBecause, { reason: names.reasons[reason] })
  const missing = unavailable.map(({ metric, reason }) => label(names.metrics[metric], names.reasons[reason]))
  return html`<div class="numbers">
      ${known.map((name) => html`<span>${sayElements(plots.amount, { amount: html`<strong>${formatNumber(values[name]!)}</strong>`, number: names.metrics[name] })}</span>`)}
      ${fetchedAt && html`<span class="small">${say(words.read, { time: formatInstant(fetchedAt, OWN_ZONE) })}</span>`}
      ${known.length === 0 && html`<span class="small" title=${missing.join(sentences.shared.semicolon)}>${none}</span>`}
    </div>
    ${known.length > 0 && html`<${Details} title=${words.byDay}>${() => html`<${ByDay} metrics=${metrics} target=${target} />`}<//>`}`
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
