export const DELIVERY_STATES = [
  'waiting',
  'queued',
  'publishing',
  'published',
  'failed',
  'cancelled',
  'unconfirmed',
  'missed',
] as const
