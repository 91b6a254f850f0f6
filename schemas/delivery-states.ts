export const DELIVERY_STATES = [
  'waiting',
  'queued',
  'publishing',
  'published',
  'failed',
  'unconfirmed',
  'missed',
] as const
