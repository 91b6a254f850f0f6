import { useCallback, useRef, useState } from 'preact/hooks'
import type {
  ApiKey,
  ConnectedApp,
  Event,
  FoundDelivery,
  Webhook,
  WebhookDelivery,
} from '../../../../clients/sdk/index.ts'
import { Face } from '../face.ts'
import { useLoad } from '../hooks.ts'
import { html } from '../html.ts'
import { Confirm, Details, Empty, Rows, StateMark } from '../parts.ts'
import { nameOf, usePeople } from '../people.ts'
import { Problem } from '../problem.ts'
import { useCan, useSession } from '../session.ts'
import { formatInstant, OWN_ZONE } from '../time.ts'
import { toWords } from '../words.ts'

export function Activity() {
  const canHook = useCan('webhooks:manage')
  const canKeys = useCan('keys:manage')
  const [eventCount, setEventCount] = useState(0)
  const count = useCallback((more: number) => setEventCount((count) => count + more), [])
  return html`
    <h1>Activity</h1>
    <div class="with-side">
      <section><${Troubles} eventCount=${eventCount} />${canHook && html`<${Webhooks} />`}${canKeys && html`<${Apps} /><${Keys} />`}</section>
      <aside aria-label="Events"><${Events} onEvents=${count} /></aside>
    </div>
  `
}

/** The deliveries that a person has to look at. */
function Troubles({ eventCount }: { eventCount: number }) {
  const { client } = useSession()
  const { byId } = usePeople()
  const list = useLoad(
    async (signal) =>
      (
        await client.deliveries.list(
          { state: ['failed', 'unconfirmed', 'missed', 'remove_failed'], limit: 50 },
          { signal },
        )
      ).data,
    [client, eventCount],
  )
  return html`<${Rows} title="Failed, missed, unconfirmed and not removed" loaded=${list} none="Everything that was due is out.">
    ${(found: FoundDelivery) => html`<li key=${`${found.postId} ${found.accountId}`}>
      <div>
        <a href="#/posts/${found.postId}" dir="auto">${found.captionExcerpt || 'Without text'}</a>
        <p class="who small"><${Face} id=${found.accountId} platform=${found.platform} username=${found.username} /> <span dir="auto">${nameOf(byId.get(found.accountId) ?? found)}</span></p>
        ${found.error && html`<p class="small" dir="auto">${found.error.message}</p>`}
      </div>
      <${StateMark} state=${found.state} />
    </li>`}
  <//>`
}

const EVENTS_MAX = 100

/** Events as they come. */
function Events({ onEvents }: { onEvents: (count: number) => void }) {
  const { client } = useSession()
  const { byId } = usePeople()
  const [events, setEvents] = useState<Event[]>([])
  const [from] = useState(() => new Date(Date.now() - 86_400_000).toISOString())
  const after = useRef<string | undefined>(undefined)
  const { error, reload } = useLoad(
    async (signal) => {
      const begin = after.current ? { after: after.current } : { from }
      for await (const { data, nextCursor } of client.events.follow(begin, { signal, maxRetries: 0 }).pages()) {
        after.current = nextCursor
        onEvents(data.length)
        if (data.length > 0) setEvents((events) => [...data.toReversed(), ...events].slice(0, EVENTS_MAX))
      }
    },
    [client],
  )
  return html`<h2>Events of the last day</h2>
    ${error && html`<${Problem} error=${error} onRetry=${reload} />`}
    ${!error && events.length === 0 && html`<${Empty}>Waiting for events. They appear here as they come.<//>`}
    <ol class="timeline">${events.map((event) => {
      const { postId, accountId, username } = event.data as { postId?: string; accountId?: string; username?: string }
      const account = byId.get(accountId ?? '')
      const name = account ? nameOf(account) : username
      return html`<li key=${event.id}>
        <time datetime=${event.timestamp}>${formatInstant(event.timestamp, OWN_ZONE)}</time>
        ${postId ? html`<a href="#/posts/${postId}">${toWords(event.type)}</a>` : toWords(event.type)}${name && html` <span dir="auto">${name}</span>`}
      </li>`
    })}</ol>`
}

function Webhooks() {
  const { client } = useSession()
  const list = useLoad(async () => Array.fromAsync(client.webhooks.list()), [client])
  return html`<${Rows} title="Webhooks" loaded=${list} none="No webhook. A program adds one over the API, to be told what happens.">
    ${(webhook: Webhook) => html`<${WebhookRow} key=${webhook.id} webhook=${webhook} reload=${list.reload} />`}
  <//>`
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
  return html`<${Rows} loaded=${log} kind="timeline" none="Nothing was sent to it yet.">
    ${({ eventId, type, state, attempts, queuedAt, response, error }: WebhookDelivery) => html`<li key=${eventId}>
      <time datetime=${queuedAt}>${formatInstant(queuedAt, OWN_ZONE)}</time>
      ${type ?? 'event'}: ${state}, ${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}${response ? `, status ${response.status}` : ''}${error ? `, ${error}` : ''}
    </li>`}
  <//>`
}

function Apps() {
  const { client } = useSession()
  const list = useLoad(async () => Array.fromAsync(client.connectedApps.list()), [client])
  return html`<${Rows} title="Connected apps" loaded=${list} none="No app is connected. An app that connects to /mcp appears here.">
    ${({ id, name, scopes, lastUsedAt }: ConnectedApp) => html`<li key=${id}>
      <div><strong dir="auto">${name}</strong><${Rights} scopes=${scopes} lastUsedAt=${lastUsedAt} /></div>
      <${Confirm} label="Disconnect" isDangerous says="${name} is refused from now on, and its webhooks are deleted. It can ask for access again." act=${() => client.connectedApps.disconnect(id)} onDone=${list.reload} />
    </li>`}
  <//>`
}

function Keys() {
  const { client } = useSession()
  const list = useLoad(async () => Array.fromAsync(client.keys.list()), [client])
  return html`<${Rows} title="Keys" loaded=${list} none="No key.">
    ${({ id, name, start, ...rights }: ApiKey) => html`<li key=${id}>
      <div><strong dir="auto">${name ?? 'Without a name'}</strong> <code>${start}…</code><${Rights} ...${rights} /></div>
      <${Confirm} label="Revoke" isDangerous says="Programs with the key ${name ?? ''} (${start}…) are refused from now on. This cannot be undone." act=${() => client.keys.revoke(id)} onDone=${list.reload} />
    </li>`}
  <//>`
}

type RightsProps = Pick<ApiKey, 'scopes' | 'lastUsedAt'> & Partial<Pick<ApiKey, 'expiresAt'>>

const Rights = ({ scopes, lastUsedAt, expiresAt }: RightsProps) => html`<p class="small">
  ${scopes === null ? 'All rights' : scopes.join(', ')}.
  ${lastUsedAt ? ` Last used ${formatInstant(lastUsedAt, OWN_ZONE)}.` : ' Never used.'}
  ${expiresAt && ` Ends ${formatInstant(expiresAt, OWN_ZONE)}.`}
</p>`
