import type { Service } from './service.ts'
import { type Account, type Delivery, FUTURE, type NewPost, type Post, statusOf } from './state.ts'

/*
 * Bodies that the model predicts, and bodies of responses in the same form. Values that only the service knows, such as
 * times and ids of the network, are replaced by their type. The document's schemas check the values themselves.
 */

/** A post as lists contain it. */
export function expectedPost(post: Post, { users }: Service) {
  const { id, owner, caption, firstComment, postType, scheduledAt, externalReference, metadata, mediaIds } = post
  return {
    id,
    userId: users[owner]!.id,
    caption,
    firstComment,
    postType,
    status: statusOf(post),
    scheduledAt,
    mediaIds,
    ...(externalReference !== null && { externalReference }),
    ...(metadata !== null && { metadata }),
  }
}

export function comparablePost(
  { createdAt: _, updatedAt: __, ...post }: Record<string, unknown>,
  model: { scheduledAt: string | null } | undefined,
) {
  return model?.scheduledAt === 'now' && post.scheduledAt !== null ? { ...post, scheduledAt: 'now' } : post
}

/** A post with its targets and deliveries. */
export function expectedDetail(post: Post, service: Service) {
  const targets = post.deliveries.map((delivery) => ({
    accountId: delivery.account.id,
    platform: 'sandbox',
    username: delivery.account.username,
    captionOverride: delivery.captionOverride,
    fields: delivery.fields,
    threadParts: delivery.threadParts,
    mediaIds: null,
    scheduledAt: null,
    delivery: expectedDelivery(delivery),
    ...expectedAttention(delivery.account),
  }))
  return { ...expectedPost(post, service), targets }
}

/** The attention of an account in a post, whose credentials may be gone. */
function expectedAttention({ attention, isConnected }: Account) {
  const code = attention ?? (isConnected ? null : 'not_connected')
  return code === null ? {} : { attention: code }
}

/** A post with its targets, deliveries and warnings. */
export const expectedUpdated = (post: Post, service: Service) => ({
  ...expectedDetail(post, service),
  warnings: [
    ...(isPast(post) ? [['past_time', null]] : []),
    ...post.deliveries.flatMap(({ account }) =>
      'attention' in expectedAttention(account) ? [['account_attention', account.id]] : [],
    ),
  ],
})

// biome-ignore lint/suspicious/noExplicitAny: the body of a response
export const comparableUpdated = ({ warnings, ...post }: any, model: Post) => ({
  ...comparableDetail(post, model),
  ...comparableCreated({ warnings }),
})

/** Whether it is scheduled for a time before the run. A post that was published by request is due since then. */
const isPast = ({ scheduledAt }: { scheduledAt: Post['scheduledAt'] }) =>
  scheduledAt !== null && scheduledAt !== 'now' && scheduledAt !== FUTURE

/** A created post. Accounts are in the order of the request. */
export const expectedCreated = (id: string, { scheduledAt, accounts }: NewPost) => ({
  id,
  status: scheduledAt === null ? 'draft' : 'scheduled',
  warnings: [
    ...(isPast({ scheduledAt }) ? [['past_time', null]] : []),
    ...accounts.filter(({ attention }) => attention).map(({ id }) => ['account_attention', id]),
  ],
})

/** The model does not compare posts with each other: test/posts/nearby.test.ts does. */
const ABOUT_OTHERS = ['repeated_text', 'close_posts', 'daily_limit']

// biome-ignore lint/suspicious/noExplicitAny: the body of a response
export const comparableCreated = ({ warnings = [], ...created }: any) => ({
  ...created,
  warnings: warnings
    // biome-ignore lint/suspicious/noExplicitAny: the body of a response
    .map(({ code, accountId = null }: any) => [code, accountId])
    .filter(([code]: [string]) => !ABOUT_OTHERS.includes(code)),
})

const expectedDelivery = ({ state, attempts, sent, error, history }: Delivery) => ({
  state,
  attempts,
  error,
  history,
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
  targets: targets.map(({ delivery, attention, ...target }: any) => ({
    ...target,
    delivery: comparableDelivery(delivery),
    ...(attention && { attention: attention.code }),
  })),
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

/** An account as `user` sees it. */
export const expectedAccount = (
  { id, owner, username, displayName, attention, isShared }: Account,
  user: number,
  { users, organization }: Service,
) => ({
  id,
  platform: 'sandbox',
  username,
  ...(displayName !== undefined && { displayName }),
  ...(attention && { attention }),
  ...(isShared && { organizationId: organization }),
  ownerId: users[owner]!.id,
  isOwner: owner === user,
  canDisconnect: owner === user,
})

export const comparableAccount = ({ attention, ...account }: Record<string, { code: string }>) => ({
  ...account,
  ...(attention && { attention: attention.code }),
})
