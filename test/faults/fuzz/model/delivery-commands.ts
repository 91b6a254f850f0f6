import fc from 'fast-check'
import { UNKNOWN_ID } from '../ids.ts'
import { command, index, pick, requireError, requireReply, userFor, usually } from './command.ts'
import type { Model } from './model.ts'
import { requireDetail } from './post-commands.ts'
import { send } from './service.ts'
import type { Delivery, Post } from './state.ts'

type Outcome = 'published' | 'not_published'

/** A command on a delivery. Accounts that the post does not go to get 404. */
const onDelivery = (
  name: 'retry' | 'resolve',
  success: 202 | 200,
  apply: (model: Model, post: Post, delivery: Delivery, outcome: Outcome) => number,
) =>
  fc
    .record({
      isOwner: usually,
      post: index,
      delivery: index,
      hasDelivery: usually,
      outcome: fc.constantFrom<Outcome[]>('published', 'not_published'),
    })
    .map((values) =>
      command(name, values, async (model, service) => {
        const { post, delivery } = choose(name, model, values)
        const account = (values.hasDelivery && delivery?.account.id) || UNKNOWN_ID
        const path = `/posts/${post?.id ?? UNKNOWN_ID}/deliveries/${account}/${name}`
        const body = name === 'resolve' ? { outcome: values.outcome } : undefined
        const reply = await send(service, userFor(post, values.isOwner), `${name}Delivery`, path, body)
        if (!post || !values.isOwner) requireReply(reply, 404, { error: 'Post not found' })
        else if (!values.hasDelivery) requireReply(reply, 404, { error: 'Delivery not found' })
        else {
          const status = apply(model, post, delivery!, values.outcome)
          if (status !== success) requireError(status, reply)
          else requireDetail(reply, success, post, service)
        }
      }),
    )

/** Prefers deliveries that the command can change. */
function choose(name: 'retry' | 'resolve', { posts }: Model, values: { post: number; delivery: number }) {
  const isOpen = ({ error, state }: Delivery) => (name === 'retry' ? error !== null : state === 'unconfirmed')
  const open = posts.filter(({ deliveries }) => deliveries.some(isOpen))
  const post = pick(open.length > 0 ? open : posts, values.post)
  const delivery = post && pick([...post.deliveries.filter(isOpen), ...post.deliveries], values.delivery)
  return { post, delivery }
}

export const retry = onDelivery('retry', 202, (model, _post, delivery) => model.retry(delivery))

export const resolve = onDelivery('resolve', 200, (model, post, delivery, outcome) =>
  model.resolve(post, delivery, outcome),
)

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
