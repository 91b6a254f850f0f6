import { knownMetrics } from '../../../../../schemas/metric-names.ts'
import type { DeliveryMetrics, FoundDelivery } from '../../../../clients/sdk/index.ts'
import { AccountFilter } from '../account-filter.ts'
import { Face } from '../face.ts'
import { setQuery, useLoad, useRoute } from '../hooks.ts'
import { html } from '../html.ts'
import { capital, formatNumber, say, sentences } from '../language.ts'
import { Empty, Loading } from '../parts.ts'
import { Plots, SaveCsv } from '../plots.ts'
import { useNames, useSession } from '../session.ts'
import * as dates from '../time.ts'

const words = sentences.pages.numbers
const { accounts, actions, post, steps } = sentences.shared

type Row = DeliveryMetrics & Pick<FoundDelivery, 'username' | 'captionExcerpt' | 'externalUrl'>

/** As many posts stand in the table until somebody wants more. */
const SHOWN = 50

/** The numbers of what was published in a month, on all accounts or one. */
export function Numbers() {
  const { client } = useSession()
  const { query } = useRoute()
  const asked = `${query.get('month')}-01`
  const first = dates.isDate(asked) ? asked : `${dates.toLocal(new Date(), dates.OWN_ZONE).slice(0, 7)}-01`
  const accountId = query.get('accountId') ?? ''
  const rows = useLoad(
    async (signal) => {
      const begin = (date: string) => dates.toInstant(`${date}T00:00`, dates.OWN_ZONE).toISOString()
      const found = {
        state: ['published' as const],
        scheduledFrom: begin(first),
        scheduledBefore: begin(dates.addMonths(first, 1)),
        ...(accountId && { accountId }),
      }
      const [deliveries, metrics] = await Promise.all([
        Array.fromAsync(client.deliveries.list({ ...found, limit: 100 }, { signal })),
        Array.fromAsync(client.deliveries.metrics({ ...found, history: true, limit: 25 }, { signal })),
      ])
      const byDelivery = new Map(metrics.map((each) => [`${each.postId} ${each.accountId}`, each]))
      return deliveries.flatMap(({ postId, accountId, username, captionExcerpt, externalUrl }): Row[] => {
        const own = byDelivery.get(`${postId} ${accountId}`)
        return own ? [{ ...own, username, captionExcerpt, externalUrl }] : []
      })
    },
    [client, first, accountId],
  )
  const step = (count: number) => setQuery({ month: dates.addMonths(first, count).slice(0, 7) })
  return html`
    <div class="bar">
      <h1>${say(words.title, { month: dates.formatLocal(first, { month: 'long', year: 'numeric' }) })}</h1>
      <div class="buttons">
        <div class="joined" role="group" aria-label=${steps.time}>
          <button type="button" aria-label=${steps.before} onClick=${() => step(-1)}>‹</button>
          <button type="button" onClick=${() => setQuery({ month: '' })}>${words.thisMonth}</button>
          <button type="button" aria-label=${steps.after} onClick=${() => step(1)}>›</button>
        </div>
        ${rows.value && rows.value.length > 0 && html`<${SaveCsv} rows=${rows.value} name=${`numbers-${first.slice(0, 7)}`} />`}
      </div>
    </div>
    <form class="filters" role="search" onSubmit=${(event: Event) => event.preventDefault()}><${AccountFilter} accountId=${accountId} /></form>
    <${Loading} loaded=${rows}>
      ${(rows: Row[]) =>
        rows.length === 0
          ? html`<${Empty}>${words.none}<//>`
          : html`<${Plots} metrics=${rows} /><${Table} key=${`${first} ${accountId}`} rows=${rows} sort=${query.get('sort') ?? ''} shown=${Number(query.get('shown')) || SHOWN} />`}
    <//>
  `
}

/** The posts with their numbers. A press on a number's name puts those first that have most of it. */
function Table({ rows, sort, shown }: { rows: Row[]; sort: string; shown: number }) {
  const nameOf = useNames()
  const names = knownMetrics(rows)
  const sorted = names.find((name) => name === sort)
  const ordered = sorted
    ? rows.toSorted((a, b) => (b.values[sorted] ?? -1) - (a.values[sorted] ?? -1))
    : rows.toSorted((a, b) => Date.parse(b.publishedAt ?? '') - Date.parse(a.publishedAt ?? ''))
  const head = (
    name: string,
    label: string,
  ) => html`<th scope="col" aria-sort=${(sorted ?? '') === name ? 'descending' : undefined}>
    <button type="button" class="quiet" onClick=${() => setQuery({ sort: name })}>${label}${(sorted ?? '') === name ? html` <span aria-hidden="true">↓</span>` : ''}</button>
  </th>`
  return html`<div class="scrolls" tabindex="0" role="region" aria-label=${post.posts}>
    <table class="measured">
      <thead><tr><th scope="col">${words.post}</th>${head('', words.published)}${names.map((name) => head(name, capital(sentences.names.metrics[name])))}</tr></thead>
      <tbody>${ordered.slice(0, shown).map(
        (row) => html`<tr key=${`${row.postId} ${row.accountId}`}>
          <th scope="row"><${Face} id=${row.accountId} platform=${row.platform} username=${row.username} label=${say(accounts.onRow, { account: row.username, network: nameOf(row.platform) })} /> <a href="#/posts/${row.postId}" dir="auto">${row.captionExcerpt || post.noText}</a></th>
          <td>${row.publishedAt && dates.formatInstant(row.publishedAt, dates.OWN_ZONE)}</td>
          ${names.map((name) => html`<td class="number">${row.values[name] === null ? html`<span title=${words.unknown}>–</span>` : formatNumber(row.values[name])}</td>`)}
        </tr>`,
      )}</tbody>
    </table>
  </div>
  ${rows.length > shown && html`<button type="button" onClick=${() => setQuery({ shown: String(shown + SHOWN) })}>${actions.morePosts}</button>`}`
}
