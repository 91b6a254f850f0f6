export const QUEUE_ORDERS = ['next', 'together', 'front'] as const
