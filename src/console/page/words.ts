import type { DeliveryState } from '../../sdk/index.ts'

/** A state in words, and as a shape, so that nobody needs to tell colours apart. */
export const STATES: Record<DeliveryState, { word: string; shape: string; meaning: string }> = {
  waiting: { word: 'Draft', shape: '○', meaning: 'Nothing is sent before somebody schedules or publishes the post.' },
  queued: { word: 'Scheduled', shape: '◷', meaning: 'It is sent at its time.' },
  publishing: { word: 'Publishing', shape: '◌', meaning: 'It is being sent.' },
  published: { word: 'Published', shape: '✓', meaning: 'The network has it.' },
  failed: { word: 'Failed', shape: '✕', meaning: 'The network does not have it. Mend the cause, then retry.' },
  cancelled: { word: 'Cancelled', shape: '⊘', meaning: 'It was withdrawn before it was sent.' },
  unconfirmed: {
    word: 'Unconfirmed',
    shape: '?',
    meaning: 'The response was lost: the network may have it. Look there, then say whether it was published.',
  },
  missed: { word: 'Missed', shape: '!', meaning: 'It could not be sent in time. Retry it if it is still wanted.' },
  removing: { word: 'Removing', shape: '◍', meaning: 'It is being taken down.' },
  removed: { word: 'Removed', shape: '∅', meaning: 'It was taken down, and is no longer on the network.' },
  remove_failed: {
    word: 'Not removed',
    shape: '⊗',
    meaning: 'It could not be taken down. Mend the cause, then try again.',
  },
}

/** The state that says most about a group of deliveries. */
const BY_WEIGHT = Object.keys(STATES).sort((a, b) => weightOf(a) - weightOf(b)) as DeliveryState[]

function weightOf(state: string): number {
  return [
    ...['unconfirmed', 'failed', 'missed', 'remove_failed', 'publishing', 'removing', 'queued', 'waiting'],
    ...['cancelled', 'published', 'removed'],
  ].indexOf(state)
}

export const worstOf = (states: DeliveryState[]): DeliveryState =>
  BY_WEIGHT.find((state) => states.includes(state)) ?? 'waiting'

export const OUTCOMES: Record<string, string> = {
  published: 'the network accepted it',
  failed: 'the network did not accept it',
  unknown: 'the response was lost',
  found: 'the network has it, as it said later',
  absent: 'the network does not have it, as it said later',
  said_published: 'somebody said that it was published',
  said_not_published: 'somebody said that it was not published',
}
