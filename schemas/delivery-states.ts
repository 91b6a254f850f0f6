/** A post is settled when none of its deliveries is in one of these. */
export const OPEN_STATES = ['waiting', 'queued', 'publishing'] as const

export const DELIVERY_STATES = [
  ...OPEN_STATES,
  'published',
  'failed',
  'cancelled',
  'unconfirmed',
  'missed',
  'removing',
  'removed',
  'remove_failed',
] as const

/** States without a result that wait for the owner. Two partial indexes have them: see `isOneOf`. */
export const NEEDS_OWNER_STATES = ['failed', 'unconfirmed', 'missed'] as const

/** States in which nothing is under way or uncertain, so that retention may delete the delivery. */
export const ENDED_STATES = DELIVERY_STATES.filter(
  (state) => !['unconfirmed', 'removing', ...OPEN_STATES].includes(state),
)
