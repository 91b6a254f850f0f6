import { OperatorError } from '../../base/errors.ts'
import { type CreatePost, type Event, Postroom } from '../../clients/sdk/index.ts'
import { readClientConfig } from '../../run/config/config.ts'
import type { Io, Json } from '../action.ts'
import { print } from '../output.ts'
import { TRIGGERED_TYPES } from '../triggered-types.ts'

type Triggered = (typeof TRIGGERED_TYPES)[number]

/** The longest time until a worker has published a post and numbered its events. */
const EVENT_MAX_MS = 60_000

/** A sandbox account, and posts on it. */
interface Scene {
  client: Postroom
  accountId: string
  /** Creates a post, and returns its id. */
  post(body: Partial<CreatePost>): Promise<string>
  /** Creates a post that is due, and returns its id when nothing of it is going to be sent. */
  sent(fault?: string): Promise<string>
}

/** Each makes an event of its type happen. */
const ACTS: Record<Triggered, (scene: Scene) => Promise<unknown>> = {
  'post.created': ({ post }) => post({}),
  'post.updated': async ({ client, post }) => client.posts.update(await post({}), { caption: 'Changed' }),
  'post.deleted': async ({ client, post }) => client.posts.delete(await post({})),
  'post.settled': ({ sent }) => sent(),
  'delivery.published': ({ sent }) => sent(),
  'delivery.failed': ({ sent }) => sent('content_refused'),
  'delivery.unconfirmed': ({ sent }) => sent('unknown'),
  'delivery.cancelled': async ({ client, accountId, post }) =>
    client.deliveries.cancel(await post({ scheduledAt: new Date(Date.now() + 86_400_000).toISOString() }), accountId),
  'delivery.removed': async ({ client, accountId, sent }) => client.deliveries.remove(await sent(), accountId),
  'delivery.edited': async ({ client, accountId, sent }) =>
    client.deliveries.edit(await sent(), accountId, { text: 'Edited' }),
  'delivery.resolved': async ({ client, accountId, sent }) =>
    client.deliveries.resolve(await sent('unknown'), accountId, { outcome: 'published' }),
  'delivery.retried': async ({ client, accountId, sent }) =>
    client.deliveries.retry(await sent('content_refused'), accountId),
  'account.updated': ({ client, accountId }) =>
    client.accounts.update(accountId, { displayName: `Sandbox ${new Date().toISOString()}` }),
}

/** Makes an event of the type happen in the sandbox, and prints it. */
export async function trigger(io: Io, type: string, { json = false }: Json): Promise<void> {
  const act = ACTS[type as Triggered]
  if (!act) throw new OperatorError(`"${type}" is not one of ${TRIGGERED_TYPES.join(', ')}`)
  const { url, key } = readClientConfig(io.env)
  const client = new Postroom({ baseUrl: url, key })
  const { nextCursor: after } = await client.events.list({ after: 'now' })
  await act(await createScene(client, type))
  print(io, await readFirst(client, { after, types: [type as Triggered] }), { json }, (event) =>
    JSON.stringify(event, null, 2),
  )
}

async function createScene(client: Postroom, type: string): Promise<Scene> {
  const { data } = await client.accounts.list({ platform: 'sandbox' })
  const { id: accountId } =
    data[0] ?? (await client.accounts.connect({ platform: 'sandbox', credentials: { username: 'trigger' } }))
  const post = async (body: Partial<CreatePost>) =>
    (await client.posts.create({ accountIds: [accountId], caption: `Made by postroom trigger ${type}`, ...body })).id
  const sent = async (fault?: string) => {
    const id = await post({
      scheduledAt: new Date().toISOString(),
      ...(fault && { accountOverrides: [{ accountId, fields: { fault } }] }),
    })
    await client.posts.waitUntilSettled(id, { timeoutMs: EVENT_MAX_MS })
    return id
  }
  return { client, accountId, post, sent }
}

/** The first event of the type. Other requests with the same key may have caused it. */
async function readFirst(client: Postroom, query: { after: string; types: [Triggered] }): Promise<Event> {
  const signal = AbortSignal.timeout(EVENT_MAX_MS)
  try {
    for await (const event of client.events.follow(query, { signal })) return event
  } catch (error) {
    if (!signal.aborted) throw error
  }
  throw new OperatorError(`No ${query.types[0]} within ${EVENT_MAX_MS / 1000} seconds: does a worker run?`)
}
