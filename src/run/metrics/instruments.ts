import { Counter, Gauge, Histogram, type Registry } from 'prom-client'

/**
 * The counts and measurements that this process makes itself. No label holds a user, an account, a post or a URL: the
 * number of series must not grow with the data.
 */
export interface Instruments {
  requests: Histogram<'method' | 'route' | 'status'>
  attempts: Counter<'platform' | 'outcome' | 'code'>
  ended: Counter<'platform' | 'state'>
  changes: Counter<'platform' | 'kind' | 'outcome'>
  lateness: Histogram<'platform'>
  networkCalls: Histogram<'platform' | 'result'>
  apiVersionEnds: Gauge<'platform' | 'version'>
  tokenRefreshes: Counter<'platform' | 'outcome'>
  storageErrors: Counter<'operation'>
  eventsNumbered: Counter
  webhookAttempts: Counter<'outcome'>
}

const REQUEST_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10]
const CALL_SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300]
const LATENESS_SECONDS = [1, 2, 5, 10, 30, 60, 300, 900, 3_600, 21_600, 86_400]

export function createInstruments(registry: Registry): Instruments {
  const registers = [registry]
  return {
    requests: new Histogram({
      name: 'postroom_http_request_duration_seconds',
      help: 'HTTP requests: time until the response was sent.',
      labelNames: ['method', 'route', 'status'],
      buckets: REQUEST_SECONDS,
      registers,
    }),
    attempts: new Counter({
      name: 'postroom_delivery_attempts_total',
      help: 'Attempts of deliveries, by outcome and by the code of the error.',
      labelNames: ['platform', 'outcome', 'code'],
      registers,
    }),
    ended: new Counter({
      name: 'postroom_deliveries_ended_total',
      help: 'Deliveries that became published, failed, unconfirmed or missed.',
      labelNames: ['platform', 'state'],
      registers,
    }),
    changes: new Counter({
      name: 'postroom_delivery_changes_total',
      help: 'Removals and edits of published posts that were carried out, or have failed.',
      labelNames: ['platform', 'kind', 'outcome'],
      registers,
    }),
    lateness: new Histogram({
      name: 'postroom_delivery_lateness_seconds',
      help: 'Published deliveries: time from when the post was due until it was published.',
      labelNames: ['platform'],
      buckets: LATENESS_SECONDS,
      registers,
    }),
    networkCalls: new Histogram({
      name: 'postroom_network_call_duration_seconds',
      help: 'HTTP calls to networks: time until the headers of the response, or until the call failed.',
      labelNames: ['platform', 'result'],
      buckets: CALL_SECONDS,
      registers,
    }),
    apiVersionEnds: new Gauge({
      name: 'postroom_network_api_version_end_timestamp_seconds',
      help: "When the version of a network's API ends that this process calls: every post fails from then on.",
      labelNames: ['platform', 'version'],
      registers,
    }),
    tokenRefreshes: new Counter({
      name: 'postroom_token_refreshes_total',
      help: 'Refreshes of access tokens, by outcome.',
      labelNames: ['platform', 'outcome'],
      registers,
    }),
    storageErrors: new Counter({
      name: 'postroom_storage_errors_total',
      help: 'Failed operations on files of media, also while they come in, and on the journal of what was sent.',
      labelNames: ['operation'],
      registers,
    }),
    eventsNumbered: new Counter({
      name: 'postroom_events_numbered_total',
      help: 'Events that got their position, so that readers see them.',
      registers,
    }),
    webhookAttempts: new Counter({
      name: 'postroom_webhook_attempts_total',
      help: 'Attempts to send an event to a webhook, by outcome: delivered, failed, or gone (410).',
      labelNames: ['outcome'],
      registers,
    }),
  }
}
