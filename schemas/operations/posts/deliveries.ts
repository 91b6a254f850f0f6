import { errorOf } from '../../errors.ts'

export const DELIVERY_MISSING = ['post_not_found', 'delivery_not_found'] as const

export const NOT_REMOVED = [
  'delivery_not_published',
  'delivery_not_published.queued',
  'delivery_in_progress',
  'delivery_unconfirmed',
  'delivery_without_id',
  errorOf('not_removable', 'TikTok lets no app delete a post: delete it in TikTok.'),
  errorOf('not_removable.scope', 'edit', 'reddit'),
] as const
