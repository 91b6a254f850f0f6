/** Requests as clients write them, and responses as clients read them: the types of `src/sdk`. */
import type { AppQuery } from './app.ts'
import type { CreatePost as ParsedPost } from './create-post.ts'
import type { CreatePosts as ParsedPosts } from './create-posts.ts'
import type * as find from './find.ts'
import type { RotateApiKey as ParsedRotation } from './key.ts'
import type { ListEventsQuery as ParsedEventsQuery } from './list-events.ts'
import type { ListMediaQuery as ParsedMediaQuery, PreviewQuery } from './media.ts'
import type { ListDeliveryMetricsQuery as ParsedMetricsQuery } from './metrics.ts'
import type { ListUsersQuery as ParsedUsersQuery } from './people.ts'
import type { RetryDeliveries as ParsedRetry } from './retry-deliveries.ts'
import type { PutSchedule as ParsedSchedule, ListSlotsQuery as ParsedSlotsQuery } from './schedule.ts'
import type { PageQuery as ParsedPageQuery } from './shared.ts'
import type { RotateWebhookSecret as ParsedSecretRotation, CreateWebhook as ParsedWebhook } from './webhook.ts'
import type { ListWebhookDeliveriesQuery as ParsedWebhookDeliveriesQuery } from './webhook-delivery.ts'

export type * from './account.ts'
export type * from './app.ts'
export type * from './budget.ts'
export type * from './connect.ts'
export type * from './connected-app.ts'
export type * from './connection.ts'
export type * from './cost.ts'
export type * from './create-post.ts'
export type * from './create-posts.ts'
export type * from './delivery.ts'
export type * from './delivery-check.ts'
export type * from './edit-delivery.ts'
export type * from './error.ts'
export type * from './event.ts'
export type * from './field-options.ts'
export type * from './find.ts'
export type * from './key.ts'
export type * from './limit-unit.ts'
export type * from './list-events.ts'
export type * from './media.ts'
export type * from './metrics.ts'
export type * from './patch-post.ts'
export type * from './people.ts'
export type * from './platform.ts'
export type * from './platform-detail.ts'
export type * from './post.ts'
export type * from './post-part.ts'
export type * from './remove-post.ts'
export type * from './retry-deliveries.ts'
export type * from './retry-delivery.ts'
export type * from './sandbox.ts'
export type * from './schedule.ts'
export type { Deleted } from './shared.ts'
export type * from './validate-post.ts'
export type * from './warning.ts'
export type * from './webhook.ts'
export type * from './webhook-delivery.ts'

/** Other schemas give what the validator returns. In a request, properties with a default may be absent. */
type Optional<T, K extends keyof T> = Omit<T, K> & Partial<Pick<T, K>>

export type CreatePost = Optional<ParsedPost, 'caption' | 'postType' | 'mediaIds' | 'accountOverrides'>
export type CreatePosts = Partial<Omit<ParsedPosts, 'posts'>> & { posts: CreatePost[] }
export type PutSchedule = Optional<ParsedSchedule, 'skip'>
export type ListSlotsQuery = Partial<ParsedSlotsQuery>
export type RetryDeliveries = Partial<ParsedRetry>
export type RotateApiKey = Partial<ParsedRotation>
export type PageQuery = Partial<ParsedPageQuery>
export type ListPostsQuery = Partial<find.ListPostsQuery>
export type ListDeliveriesQuery = Partial<find.ListDeliveriesQuery>
export type ListDeliveryMetricsQuery = Partial<ParsedMetricsQuery>
export type ListEventsQuery = Partial<ParsedEventsQuery>
export type GetMediaPreviewQuery = Partial<PreviewQuery>
export type ListMediaQuery = Partial<ParsedMediaQuery>
export type ListUsersQuery = Partial<ParsedUsersQuery>
export type DeleteAppQuery = Partial<AppQuery>
export type CreateWebhook = Optional<ParsedWebhook, 'allUsers' | 'payload'>
export type RotateWebhookSecret = Partial<ParsedSecretRotation>
export type ListWebhookDeliveriesQuery = Partial<ParsedWebhookDeliveriesQuery>
