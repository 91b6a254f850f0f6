import type { Service } from './service.ts'
import { type Account, type Delivery, type Post, statusOf } from './state.ts'

/*
 * Bodies that the model predicts, and bodies of responses in the same form. Values that only the service knows, such as
 * times and ids of the network, are replaced by their type. The document's schemas check the values themselves.
 */

/** A post as lists contain it. */
export function expectedPost(post: Post, { users }: Service) {
  const { id, owner, caption, firstComment, postType, scheduledAt } = post
  return { id, userId: users[owner]!.id, caption, firstComment, postType, status: statusOf(post), scheduledAt }
}

export function comparablePost(
  { createdAt: _, updatedAt: __, ...post }: Record<string, unknown>,
  model: { scheduledAt: string | null } | undefined,
) {
  return model?.scheduledAt === 'now' && post.scheduledAt !== null ? { ...post, scheduledAt: 'now' } : post
}

/** A post with its targets and deliveries. */
export function expectedDetail(post: Post, service: Service) {
  const targets = post.deliveries
    .map((delivery) => ({
      accountId: delivery.account.id,
      platform: 'sandbox',
      username: delivery.account.username,
      captionOverride: delivery.captionOverride,
      fields: delivery.fields,
      threadParts: delivery.threadParts,
      delivery: expectedDelivery(delivery),
    }))
    .sort((a, b) => (a.accountId < b.accountId ? -1 : 1))
  return { ...expectedPost(post, service), mediaIds: post.mediaIds, targets }
}

const expectedDelivery = ({ state, attempts, sent, error, history }: Delivery) => ({
  ...{ state, attempts, error, history },
  publishedAt: sent.length > 0 ? 'string' : null,
  nextAttemptAt: state === 'queued' ? 'string' : null,
  latenessMs: sent.length > 0 ? 'number' : null,
  externalId: sent[0]?.hasId ? 'string' : null,
  acts: sent.map(({ hasId }) => (hasId ? 'string' : null)),
})

// biome-ignore lint/suspicious/noExplicitAny: the body of a response
export const comparableDetail = ({ targets, ...post }: any, model: Post | undefined) => ({
  ...comparablePost(post, model),
  // biome-ignore lint/suspicious/noExplicitAny: the body of a response
  targets: targets.map(({ delivery, ...target }: any) => ({ ...target, delivery: comparableDelivery(delivery) })),
})

// biome-ignore lint/suspicious/noExplicitAny: the body of a response
const comparableDelivery = (delivery: any) => ({
  state: delivery.state,
  attempts: delivery.attempts,
  error: delivery.error?.code ?? null,
  // biome-ignore lint/suspicious/noExplicitAny: the body of a response
  history: delivery.history.map(({ number, act, outcome, error }: any) => {
    return { number, act, outcome, error: error?.code ?? null }
  }),
  publishedAt: typeOrNull(delivery.publishedAt),
  nextAttemptAt: typeOrNull(delivery.nextAttemptAt),
  latenessMs: typeOrNull(delivery.latenessMs),
  externalId: typeOrNull(delivery.externalId),
  acts: delivery.acts.map(({ externalId }: { externalId: string | null }) => typeOrNull(externalId)),
})

const typeOrNull = (value: unknown) => (value === null ? null : typeof value)

export const expectedAccount = ({ id, username, displayName, attention }: Account) => ({
  ...{ id, platform: 'sandbox', username },
  ...(displayName !== undefined && { displayName }),
  ...(attention && { attention }),
})

export const comparableAccount = ({ attention, ...account }: Record<string, { code: string }>) => ({
  ...account,
  ...(attention && { attention: attention.code }),
})
