import { deepStrictEqual } from 'node:assert'
import fc from 'fast-check'
import { command, index, pick, requireReply } from './command.ts'
import type { Model } from './model.ts'
import { type Reply, type Service, send } from './service.ts'

/** How a request that creates something is sent. */
export const sendMode = fc.constantFrom(
  ...['without a key', 'without a key', 'without a key'],
  ...['with a key', 'with a key'],
  'twice concurrently',
)

interface CreateRequest {
  user: number
  operationId: string
  path: string
  body: object
}

/**
 * Sends a request that creates something. Under a key, a success is recorded in the model, and of two concurrent
 * requests only one is carried out.
 */
export async function sendCreate(
  mode: string,
  { keyedRequests }: Model,
  service: Service,
  { user, operationId, path, body }: CreateRequest,
): Promise<Reply> {
  if (mode === 'without a key') return send(service, user, operationId, path, body)
  // The key of a rejected request is free, and is used again.
  const key = `key-${keyedRequests.length}`
  const sendOnce = () => send(service, user, operationId, path, body, key)
  const [reply, other] = await Promise.all([sendOnce(), ...(mode === 'twice concurrently' ? [sendOnce()] : [])])
  const { status, body: response } = reply!
  const hasSucceeded = status < 300
  if (hasSucceeded) keyedRequests.push({ user, operationId, path, body, key, status, response })
  if (other) {
    requireReply(other, status, response)
    deepStrictEqual([reply!.isReplayed, other.isReplayed].filter(Boolean).length, hasSucceeded ? 1 : 0)
  } else deepStrictEqual(reply!.isReplayed, false)
  return reply!
}

/** Sends a recorded key again, with the same request or another one. */
export const replay = fc
  .record({ index, what: fc.constantFrom('same', 'same', 'another body', 'another operation') })
  .map((values) =>
    command(
      'replay',
      values,
      async ({ keyedRequests }, service) => {
        const { user, operationId, path, body, key, status, response } = pick(keyedRequests, values.index)!
        if (values.what === 'same') {
          const reordered = Object.fromEntries(Object.entries(body).toReversed())
          const reply = await send(service, user, operationId, path, reordered, key)
          deepStrictEqual(reply, { status, body: response, isReplayed: true })
          return
        }
        const reply =
          values.what === 'another operation'
            ? await send(service, user, 'importMedia', '/media/import', { url: 'https://files.example/1.jpg' }, key)
            : await send(service, user, operationId, path, changed(body), key)
        const error = 'This Idempotency-Key was already used for another request'
        deepStrictEqual(reply, { status: 409, body: { error }, isReplayed: false })
      },
      ({ keyedRequests }) => keyedRequests.length > 0,
    ),
  )

function changed(body: object): object {
  if ('credentials' in body)
    return { ...body, credentials: { ...(body.credentials as object), displayName: 'Another' } }
  if ('posts' in body) return { ...body, posts: (body.posts as object[]).map(changed) }
  return { ...body, caption: 'Another' }
}
