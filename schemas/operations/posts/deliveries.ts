export const DELIVERY_MISSING = ['post_not_found', 'delivery_not_found'] as const
