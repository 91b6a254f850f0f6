export const DELIVERY_STATES = [
  'waiting',
  'queued',
  'publishing',
  'published',
  'failed',
  'cancelled',
  'unconfirmed',
  'missed',
  'removing',
  'removed',
  'remove_failed',
] as const
