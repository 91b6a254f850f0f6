import { deepStrictEqual } from 'node:assert'
import fc from 'fast-check'
import { UNKNOWN_ID } from '../ids.ts'
import { command, index, pick, requireError, requireReply, user, userFor, usually } from './command.ts'
import type { Model } from './model.ts'
import { requireDetail } from './post-commands.ts'
import { type Service, send } from './service.ts'
import type { Delivery, Post } from './state.ts'

type Outcome = 'published' | 'not_published'

interface Action {
  operationId: string
  path: string
  body?: (outcome: Outcome) => object
  success: 202 | 200
  /** Prepares a delivery of the service for the command. */
  prepare?: (service: Service, id: string, account: string) => Promise<unknown>
  /** Whether the command can mostly change the delivery: it prefers these. */
  isOpen: (delivery: Delivery) => boolean
  apply: (model: Model, post: Post, delivery: Delivery, outcome: Outcome) => number
}

/** A command on a delivery. Accounts that the post does not go to get 404. */
const onDelivery = (action: Action) =>
  fc
    .record({
      isOwner: usually,
      post: index,
      delivery: index,
      hasDelivery: usually,
      outcome: fc.constantFrom<Outcome[]>('published', 'not_published'),
    })
    .map((values) =>
      command(action.path, values, async (model, service) => {
        const { post, delivery } = choose(action, model, values)
        const account = (values.hasDelivery && delivery?.account.id) || UNKNOWN_ID
        const path = `/posts/${post?.id ?? UNKNOWN_ID}/deliveries/${account}/${action.path}`
        const body = action.body?.(values.outcome)
        if (post) await action.prepare?.(service, post.id, account)
        const reply = await send(service, userFor(post, values.isOwner), action.operationId, path, body)
        if (!post || !values.isOwner) requireReply(reply, 404, { error: 'Post not found' })
        else if (!values.hasDelivery) requireReply(reply, 404, { error: 'Delivery not found' })
        else {
          const status = action.apply(model, post, delivery!, values.outcome)
          if (status !== action.success) requireError(status, reply)
          else requireDetail(reply, action.success, post, service)
        }
      }),
    )

function choose({ isOpen }: Action, { posts }: Model, values: { post: number; delivery: number }) {
  const open = posts.filter(({ deliveries }) => deliveries.some(isOpen))
  const post = pick(open.length > 0 ? open : posts, values.post)
  const delivery = post && pick([...post.deliveries.filter(isOpen), ...post.deliveries], values.delivery)
  return { post, delivery }
}

export const retry = onDelivery({
  operationId: 'retryDelivery',
  path: 'retry',
  success: 202,
  isOpen: ({ error }) => error !== null,
  apply: (model, post, delivery) => model.retry(post, delivery),
})

/** Retries every delivery of a user that meets filters, which is like retrying each of them, the oldest first. */
export const retryMany = fc
  .record({
    user,
    state: fc.constantFrom<Delivery['state'][][]>(['failed'], ['failed', 'unconfirmed'], ['cancelled'], ['published']),
    errorCode: fc.constantFrom(undefined, undefined, 'cancelled', 'content_refused'),
  })
  .map((values) =>
    command('retryMany', values, async (model, service) => {
      const { user, state, errorCode } = values
      const body = { state, ...(errorCode !== undefined && { errorCode }) }
      const reply = await send(service, user, 'retryDeliveries', '/deliveries/retry', body)
      const found = model
        .postsOf(user)
        .flatMap((post) => post.deliveries.map((delivery) => ({ post, delivery })))
        .filter(({ delivery }) => state.includes(delivery.state) && delivery.error !== null)
        .filter(({ delivery }) => errorCode === undefined || delivery.error === errorCode)
      const isLeft = ({ delivery }: { delivery: Delivery }) =>
        delivery.state !== 'cancelled' && delivery.error === 'cancelled' && errorCode !== 'cancelled'
      const [left, retried] = [found.filter(isLeft), found.filter((each) => !isLeft(each))]
      const names = (items: typeof found) =>
        items.map(({ post, delivery }) => `${post.id} ${delivery.account.id}`).sort()
      const seen = (items: { postId: string; accountId: string }[]) =>
        items.map(({ postId, accountId }) => `${postId} ${accountId}`).sort()
      deepStrictEqual(
        [reply.status, seen(reply.body.retried), seen(reply.body.left), reply.body.nextCursor],
        [200, names(retried), names(left), null],
      )
      for (const { post, delivery } of retried.toReversed()) model.retry(post, delivery)
    }),
  )

export const resolve = onDelivery({
  operationId: 'resolveDelivery',
  path: 'resolve',
  body: (outcome) => ({ outcome }),
  success: 200,
  isOpen: ({ state }) => state === 'unconfirmed',
  // By the database's clock, which is behind that of the workers, its call could arrive for days.
  prepare: ({ world: { db } }, id, account) =>
    db
      .updateTable('postTargets')
      .set({ lostCallAt: null })
      .where('postId', '=', id)
      .where('accountId', '=', account)
      .where('state', '=', 'unconfirmed')
      .execute(),
  apply: (model, post, delivery, outcome) => model.resolve(post, delivery, outcome),
})

export const cancel = onDelivery({
  operationId: 'cancelDelivery',
  path: 'cancel',
  success: 200,
  isOpen: ({ state }) => state === 'queued',
  apply: (model, post, delivery) => model.cancel(post, delivery),
})

export const mark = onDelivery({
  operationId: 'markDeliveryPublished',
  path: 'mark-published',
  body: () => ({}),
  success: 200,
  isOpen: ({ state }) => state === 'failed' || state === 'queued',
  apply: (model, _post, delivery) => model.mark(delivery),
})

/** No time, or more than any backoff. */
const TICKS_MS = [0, 3_700_000]

/** Advances the workers' clock, and lets a worker carry out everything that is due. */
export const tick = fc.constantFrom(...TICKS_MS).map((ms) =>
  command('tick', { ms }, async (model, { world }) => {
    const { time } = world
    time.now = new Date(time.now.getTime() + ms)
    const worker = world.createWorker({ latenessMaxMs: Number.POSITIVE_INFINITY })
    do await worker.idle()
    while ((await worker.claim()) > 0)
    model.tick(ms)
  }),
)
