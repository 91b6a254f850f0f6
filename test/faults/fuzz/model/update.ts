import { isDeepStrictEqual } from 'node:util'
import { type Account, actsOf, type Delivery, type FaultFields, newDelivery, type Post } from './state.ts'

/** Changes to a post. An absent key changes nothing. */
export interface Change {
  caption?: string
  firstComment?: string | null
  scheduledAt?: string | null
  externalReference?: string | null
  metadata?: Record<string, string | null> | null
  accounts?: Account[]
  /** For one account of the changed post. Null removes its override. */
  override?: {
    captionOverride?: string | null
    fields?: { [key in keyof FaultFields]: FaultFields[key] | null }
  } | null
}

/** The post after the change, with all of its deliveries as they were; new accounts have new deliveries. */
export function merge(post: Post, { accounts, override, metadata, ...change }: Change): Post {
  const kept = accounts ?? post.deliveries.map(({ account }) => account)
  const deliveries = kept.map(
    (account) => post.deliveries.find((delivery) => delivery.account === account) ?? newDelivery(account),
  )
  const merged = {
    ...post,
    ...change,
    metadata: metadata === undefined ? post.metadata : metadata && withoutNulls({ ...post.metadata, ...metadata }),
    deliveries: deliveries.map((delivery) => ({ ...delivery })),
  }
  if (override !== undefined) Object.assign(merged.deliveries[0]!, mergeOverride(merged.deliveries[0]!, override))
  return merged
}

const withoutNulls = (pairs: Record<string, string | null>) =>
  Object.fromEntries(Object.entries(pairs).filter(([, value]) => value !== null)) as Record<string, string>

function mergeOverride(
  { captionOverride, fields }: Delivery,
  override: NonNullable<Change['override']> | null,
): Pick<Delivery, 'captionOverride' | 'fields'> {
  if (override === null) return { captionOverride: null, fields: null }
  const all = Object.entries({ ...fields, ...override.fields }).filter(([, value]) => value !== null)
  return {
    captionOverride: override.captionOverride === undefined ? captionOverride : override.captionOverride,
    fields: override.fields === undefined ? fields : all.length > 0 ? Object.fromEntries(all) : null,
  }
}

/** Whether other content is sent than before. */
export function isEdited(before: Post, old: Delivery | undefined, after: Post, delivery: Delivery): boolean {
  const contentOf = (post: Post, delivery: Delivery) => [actsOf(post, delivery), delivery.fields ?? {}]
  return !old || !isDeepStrictEqual(contentOf(before, old), contentOf(after, delivery))
}

/** The parts of a post that its owner decides. */
export const ownedParts = ({ deliveries, ...post }: Post) => ({
  ...post,
  targets: deliveries.map(({ account, captionOverride, fields }) => ({ account, captionOverride, fields })),
})
