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
import { label, listOf, paragraph, say, sentences } from '../language.ts'
import { Confirm, Details, Empty, Rows, StateMark } from '../parts.ts'
import { nameOf, usePeople } from '../people.ts'
import { Problem, sayDelivery } from '../problem.ts'
import { useCan, useSession } from '../session.ts'
import { formatInstant, OWN_ZONE } from '../time.ts'
import { toWords } from '../words.ts'

const words = sentences.pages.activity

const eventNames: Record<string, string | undefined> = sentences.names.events
const typeOf = ({ type }: Event) => eventNames[type] ?? toWords(type)

export function Activity() {
  const canHook = useCan('webhooks:manage')
  const canKeys = useCan('keys:manage')
  const [eventCount, setEventCount] = useState(0)
  const count = useCallback((more: number) => setEventCount((count) => count + more), [])
  return html`
    <h1>${words.title}</h1>
    <div class="with-side">
      <section><${Troubles} eventCount=${eventCount} />${canHook && html`<${Webhooks} />`}${canKeys && html`<${Apps} /><${Keys} />`}</section>
      <aside aria-label=${words.events}><${Events} onEvents=${count} /></aside>
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
  return html`<${Rows} title=${words.troubles} loaded=${list} none=${words.noTroubles}>
    ${(found: FoundDelivery) => html`<li key=${`${found.postId} ${found.accountId}`}>
      <div>
        <a href="#/posts/${found.postId}" dir="auto">${found.captionExcerpt || sentences.shared.post.noText}</a>
        <p class="who small"><${Face} id=${found.accountId} platform=${found.platform} username=${found.username} /> <span dir="auto">${nameOf(byId.get(found.accountId) ?? found)}</span></p>
        ${found.error && html`<p class="small" dir="auto" title=${found.error.message}>${sayDelivery(found.error.code)?.[0] ?? found.error.message}</p>`}
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
  return html`<h2>${words.lastDay}</h2>
    ${error && html`<${Problem} error=${error} onRetry=${reload} />`}
    ${!error && events.length === 0 && html`<${Empty}>${words.waiting}<//>`}
    <ol class="timeline">${events.map((event) => {
      const { postId, accountId, username } = event.data as { postId?: string; accountId?: string; username?: string }
      const account = byId.get(accountId ?? '')
      const name = account ? nameOf(account) : username
      return html`<li key=${event.id}>
        <time datetime=${event.timestamp}>${formatInstant(event.timestamp, OWN_ZONE)}</time>
        ${postId ? html`<a href="#/posts/${postId}">${typeOf(event)}</a>` : typeOf(event)}${name && html` <span dir="auto">${name}</span>`}
      </li>`
    })}</ol>`
}

function Webhooks() {
  const { client } = useSession()
  const list = useLoad(async () => Array.fromAsync(client.webhooks.list()), [client])
  return html`<${Rows} title=${words.webhooks} loaded=${list} none=${words.noWebhooks}>
    ${(webhook: Webhook) => html`<${WebhookRow} key=${webhook.id} webhook=${webhook} reload=${list.reload} />`}
  <//>`
}

function WebhookRow({ webhook, reload }: { webhook: Webhook; reload: () => void }) {
  const { client } = useSession()
  const health =
    webhook.state === 'disabled'
      ? words.disabled[webhook.disabledReason ?? 'owner']
      : webhook.failingSince
        ? say(words.failingSince, { time: formatInstant(webhook.failingSince, OWN_ZONE) })
        : words.works
  return html`<li>
    <${Details} title=${html`<span dir="ltr">${webhook.url}</span> <span class=${health === words.works ? 'small' : 'warning'}>${health}</span>`}>
      ${() => html`<${WebhookLog} id=${webhook.id} />`}
    <//>
    <${Confirm} label=${words.test} says=${words.testHelp} act=${() => client.webhooks.test(webhook.id)} onDone=${reload} />
  </li>`
}

function WebhookLog({ id }: { id: string }) {
  const { client } = useSession()
  const log = useLoad(async () => (await client.webhooks.deliveries(id, { limit: 20 })).data, [client, id])
  return html`<${Rows} loaded=${log} kind="timeline" none=${words.nothingSent}>
    ${({ eventId, type, state, attempts, queuedAt, response, error }: WebhookDelivery) => html`<li key=${eventId}>
      <time datetime=${queuedAt}>${formatInstant(queuedAt, OWN_ZONE)}</time>
      ${label(type ?? words.event, logOf({ state, attempts, response, error }))}
    </li>`}
  <//>`
}

function logOf({
  state,
  attempts,
  response,
  error,
}: Pick<WebhookDelivery, 'state' | 'attempts' | 'response' | 'error'>) {
  const facts = [
    sentences.names.webhookStates[state],
    say(words.attempts, { count: attempts }),
    response && say(words.status, { status: String(response.status) }),
    error,
  ]
  return facts.filter(Boolean).join(sentences.shared.comma)
}

function Apps() {
  const { client } = useSession()
  const list = useLoad(async () => Array.fromAsync(client.connectedApps.list()), [client])
  return html`<${Rows} title=${words.apps} loaded=${list} none=${words.noApps}>
    ${({ id, name, scopes, lastUsedAt }: ConnectedApp) => html`<li key=${id}>
      <div><strong dir="auto">${name}</strong><${Rights} scopes=${scopes} lastUsedAt=${lastUsedAt} /></div>
      <${Confirm} label=${sentences.shared.actions.disconnect} isDangerous says=${say(words.disconnectHelp, { app: name })} act=${() => client.connectedApps.disconnect(id)} onDone=${list.reload} />
    </li>`}
  <//>`
}

function Keys() {
  const { client } = useSession()
  const list = useLoad(async () => Array.fromAsync(client.keys.list()), [client])
  return html`<${Rows} title=${words.keys} loaded=${list} none=${words.noKeys}>
    ${({ id, name, start, ...rights }: ApiKey) => html`<li key=${id}>
      <div><strong dir="auto">${name ?? words.noName}</strong> <code dir="ltr">${start}…</code><${Rights} ...${rights} /></div>
      <${Confirm} label=${words.revoke} isDangerous says=${say(words.revokeHelp, { name: name ?? '', start })} act=${() => client.keys.revoke(id)} onDone=${list.reload} />
    </li>`}
  <//>`
}

type RightsProps = Pick<ApiKey, 'scopes' | 'lastUsedAt'> & Partial<Pick<ApiKey, 'expiresAt'>>

const Rights = ({ scopes, lastUsedAt, expiresAt }: RightsProps) => html`<p class="small">
  ${paragraph(
    scopes === null ? words.allRights : say(words.rights, { rights: listOf(scopes) }),
    lastUsedAt ? say(words.lastUsed, { time: formatInstant(lastUsedAt, OWN_ZONE) }) : words.neverUsed,
    expiresAt && say(words.ends, { time: formatInstant(expiresAt, OWN_ZONE) }),
  )}
</p>`
