import { useRef, useState } from 'preact/hooks'
import type { ApiKey, ConnectedApp, Event, FoundDelivery, Webhook, WebhookDelivery } from '../../sdk/index.ts'
import { useLoad } from './hooks.ts'
import { html } from './html.ts'
import { Confirm, Details, Empty, Loading, Network, Problem, StateMark } from './parts.ts'
import { useCan, useSession } from './session.ts'
import { formatInstant, OWN_ZONE } from './time.ts'

export function Activity() {
  const [canHook, canKeys] = [useCan('webhooks:manage'), useCan('keys:manage')]
  return html`
    <h1>Activity</h1>
    <div class="with-side">
      <section><${Troubles} />${canHook && html`<${Webhooks} />`}${canKeys && html`<${Apps} /><${Keys} />`}</section>
      <aside aria-label="Events"><${Events} /></aside>
    </div>
  `
}

/** The deliveries that a person has to look at. */
function Troubles() {
  const { client } = useSession()
  const list = useLoad(
    async (signal) =>
      (await client.deliveries.list({ state: ['failed', 'unconfirmed', 'missed'], limit: 50 }, { signal })).data,
    [client],
  )
  return html`<section class="card"><h2>Failed, missed and unconfirmed</h2>
    <${Loading} loaded=${list}>
      ${(found: FoundDelivery[]) =>
        found.length === 0
          ? html`<${Empty}>Everything that was due is out.<//>`
          : html`<ul class="rows">${found.map(
              ({
                postId,
                accountId,
                platform,
                username,
                captionExcerpt,
                state,
                error,
              }) => html`<li key=${`${postId} ${accountId}`}>
                <div>
                  <${Network} platform=${platform} /> <a href="#/posts/${postId}" dir="auto">${captionExcerpt || 'Without text'}</a>
                  <p class="small" dir="auto">${username}${error && `: ${error.message}`}</p>
                </div>
                <${StateMark} state=${state} />
              </li>`,
            )}</ul>`}
    <//>
  </section>`
}

const EVENTS_MAX = 100

/** Events as they come. */
function Events() {
  const { client } = useSession()
  const [events, setEvents] = useState<Event[]>([])
  const [from] = useState(() => new Date(Date.now() - 86_400_000).toISOString())
  const after = useRef<string | undefined>(undefined)
  const { error, reload } = useLoad(
    async (signal) => {
      const begin = after.current ? { after: after.current } : { from }
      for await (const { data, nextCursor } of client.events.follow(begin, { signal, maxRetries: 0 }).pages()) {
        after.current = nextCursor
        if (data.length > 0) setEvents((events) => [...data.toReversed(), ...events].slice(0, EVENTS_MAX))
      }
    },
    [client],
  )
  return html`<h2>Events of the last day</h2>
    ${error && html`<${Problem} error=${error} onRetry=${reload} />`}
    ${!error && events.length === 0 && html`<${Empty}>Waiting for events. They appear here as they come.<//>`}
    <ol class="timeline">${events.map((event) => {
      const { postId } = event.data as { postId?: string }
      return html`<li key=${event.id}>
        <time datetime=${event.timestamp}>${formatInstant(event.timestamp, OWN_ZONE)}</time>
        ${postId ? html`<a href="#/posts/${postId}">${event.type}</a>` : event.type}
      </li>`
    })}</ol>`
}

function Webhooks() {
  const { client } = useSession()
  const list = useLoad(async () => Array.fromAsync(client.webhooks.list()), [client])
  return html`<section class="card"><h2>Webhooks</h2>
    <${Loading} loaded=${list}>
      ${(webhooks: Webhook[]) =>
        webhooks.length === 0
          ? html`<${Empty}>No webhook.<//>`
          : html`<ul class="rows">${webhooks.map((webhook) => html`<${WebhookRow} key=${webhook.id} webhook=${webhook} reload=${list.reload} />`)}</ul>`}
    <//>
  </section>`
}

function WebhookRow({ webhook, reload }: { webhook: Webhook; reload: () => void }) {
  const { client } = useSession()
  const health =
    webhook.state === 'disabled'
      ? `disabled: ${webhook.disabledReason}`
      : webhook.failingSince
        ? `failing since ${formatInstant(webhook.failingSince, OWN_ZONE)}`
        : 'works'
  return html`<li>
    <${Details} title=${html`<span dir="ltr">${webhook.url}</span> <span class=${health === 'works' ? 'small' : 'warning'}>${health}</span>`}>
      ${() => html`<${WebhookLog} id=${webhook.id} />`}
    <//>
    <${Confirm} label="Test" says="A test event is sent to this address." act=${() => client.webhooks.test(webhook.id)} onDone=${reload} />
  </li>`
}

function WebhookLog({ id }: { id: string }) {
  const { client } = useSession()
  const log = useLoad(async () => (await client.webhooks.deliveries(id, { limit: 20 })).data, [client, id])
  return html`<${Loading} loaded=${log}>
    ${(deliveries: WebhookDelivery[]) =>
      deliveries.length === 0
        ? html`<${Empty}>Nothing was sent to it yet.<//>`
        : html`<ol class="timeline">${deliveries.map(
            ({ eventId, type, state, attempts, queuedAt, response, error }) => html`<li key=${eventId}>
              <time datetime=${queuedAt}>${formatInstant(queuedAt, OWN_ZONE)}</time>
              ${type ?? 'event'}: ${state}, ${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}${response ? `, status ${response.status}` : ''}${error ? `, ${error}` : ''}
            </li>`,
          )}</ol>`}
  <//>`
}

function Apps() {
  const { client } = useSession()
  const list = useLoad(async () => Array.fromAsync(client.connectedApps.list()), [client])
  return html`<section class="card"><h2>Connected apps</h2>
    <${Loading} loaded=${list}>
      ${(apps: ConnectedApp[]) =>
        apps.length === 0
          ? html`<${Empty}>No app is connected.<//>`
          : html`<ul class="rows">${apps.map(
              ({ id, name, scopes, lastUsedAt }) => html`<li key=${id}>
                <div>
                  <strong dir="auto">${name}</strong>
                  <p class="small">${scopes.join(', ')}.${lastUsedAt ? ` Last used ${formatInstant(lastUsedAt, OWN_ZONE)}.` : ' Never used.'}</p>
                </div>
                <${Confirm} label="Disconnect" isDangerous says="${name} is refused from now on. It can ask for access again." act=${() => client.connectedApps.disconnect(id)} onDone=${list.reload} />
              </li>`,
            )}</ul>`}
    <//>
  </section>`
}

function Keys() {
  const { client } = useSession()
  const list = useLoad(async () => Array.fromAsync(client.keys.list()), [client])
  return html`<section class="card"><h2>Keys</h2>
    <${Loading} loaded=${list}>
      ${(keys: ApiKey[]) =>
        html`<ul class="rows">${keys.map(
          ({ id, name, start, scopes, lastUsedAt, expiresAt }) => html`<li key=${id}>
            <div>
              <strong dir="auto">${name ?? 'Without a name'}</strong> <code>${start}…</code>
              <p class="small">${scopes === null ? 'All rights' : scopes.join(', ')}.
                ${lastUsedAt ? ` Last used ${formatInstant(lastUsedAt, OWN_ZONE)}.` : ' Never used.'}
                ${expiresAt ? ` Ends ${formatInstant(expiresAt, OWN_ZONE)}.` : ''}</p>
            </div>
            <${Confirm} label="Revoke" isDangerous says="Programs with the key ${name ?? ''} (${start}…) are refused from now on. This cannot be undone." act=${() => client.keys.revoke(id)} onDone=${list.reload} />
          </li>`,
        )}</ul>`}
    <//>
  </section>`
}
