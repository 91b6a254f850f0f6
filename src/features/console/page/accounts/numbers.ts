import type { DeliveryMetrics } from '../../../../clients/sdk/index.ts'
import { useLoad } from '../hooks.ts'
import { html } from '../html.ts'
import { say, sentences } from '../language.ts'
import { Empty, Loading } from '../parts.ts'
import { Plots } from '../plots.ts'
import { useSession } from '../session.ts'

const words = sentences.pages.accounts

export const DAYS = 30

/** The sums of an account's posts of the last days, as a plot for each number. */
export function AccountNumbers({ accountId }: { accountId: string }) {
  const { client } = useSession()
  const list = useLoad(
    async (signal) => {
      const scheduledFrom = new Date(Date.now() - DAYS * 86_400_000).toISOString()
      const found = { accountId, state: ['published' as const], history: true, scheduledFrom, limit: 25 }
      return Array.fromAsync(client.deliveries.metrics(found, { signal }))
    },
    [client, accountId],
  )
  return html`<${Loading} loaded=${list}>
    ${(metrics: DeliveryMetrics[]) =>
      metrics.length === 0
        ? html`<${Empty}>${say(words.noNumbers, { count: DAYS })}<//>`
        : html`<${Plots} metrics=${metrics} />`}
  <//>
  <a href="#/numbers?accountId=${accountId}">${words.byMonth}</a>`
}
