import type { DeliveryState, ListedPost, ListedTarget } from '../../../clients/sdk/index.ts'

/**
 * A state in words, and as a shape, so that nobody needs to tell colours apart. The first one of a group of deliveries
 * says most about it.
 */
export const STATES: Record<DeliveryState, { word: string; shape: string; meaning: string }> = {
  unconfirmed: {
    word: 'Unconfirmed',
    shape: '?',
    meaning: 'The response was lost: the network may have it. Look there, then say whether it was published.',
  },
  failed: { word: 'Failed', shape: '✕', meaning: 'The network does not have it. Mend the cause, then retry.' },
  missed: { word: 'Missed', shape: '!', meaning: 'It could not be sent in time. Retry it if it is still wanted.' },
  remove_failed: { word: 'Not removed', shape: '⊗', meaning: 'It is still there. Mend the cause, then take it down.' },
  publishing: { word: 'Publishing', shape: '◌', meaning: 'It is being sent.' },
  removing: { word: 'Removing', shape: '◍', meaning: 'It is being taken down.' },
  queued: { word: 'Scheduled', shape: '◷', meaning: 'It is sent at its time.' },
  waiting: { word: 'Draft', shape: '○', meaning: 'Nothing is sent before somebody schedules or publishes the post.' },
  cancelled: { word: 'Cancelled', shape: '⊘', meaning: 'It was withdrawn before it was sent.' },
  published: { word: 'Published', shape: '✓', meaning: 'The network has it.' },
  removed: { word: 'Removed', shape: '∅', meaning: 'It was taken down, and is no longer on the network.' },
}

export const worstOf = (states: DeliveryState[]): DeliveryState =>
  (Object.keys(STATES) as DeliveryState[]).find((state) => states.includes(state)) ?? 'waiting'

/** The heading of a post, by the states of its deliveries. */
export function titleOf(states: DeliveryState[]): string {
  const shown = states.filter((state) => ['published', 'removing', 'remove_failed'].includes(state))
  if (shown.length > 0) return shown.length < states.length ? 'Partly published post' : 'Published post'
  const state = states.includes('queued') ? 'queued' : worstOf(states)
  return state === 'waiting' ? STATES.waiting.word : `${STATES[state].word} post`
}

/** Turns names of the API into words: `accessToken` and `post.created` into `Access token` and `Post created`. */
export const toWords = (name: string) =>
  name
    .replace(/[._]|(?<=[a-z])(?=[A-Z])/g, ' ')
    .replace(/./g, (letter, at) => (at ? letter.toLowerCase() : letter.toUpperCase()))

export const OUTCOMES: Record<string, string> = {
  published: 'the network accepted it',
  failed: 'the network did not accept it',
  unknown: 'the response was lost',
  found: 'the network has it, as it said later',
  absent: 'the network does not have it, as it said later',
  said_published: 'somebody said that it was published',
  said_not_published: 'somebody said that it was not published',
}

type OwnText = Pick<ListedTarget, 'threadParts' | 'captionOverride'>

/** The parts of a thread that is typed as one text: lines of three hyphens divide them. */
export const toParts = (text: string): string[] => text.split(/^---$/m).map((part) => part.trim())

/** A thread as one text. `toParts` divides it into the same parts, unless one has a line of three hyphens itself. */
export const fromParts = (parts: readonly string[]): string => parts.join('\n---\n')

/** The text that an account gets or has, by part. */
export const partsOf = (
  { postType, caption }: Pick<ListedPost, 'postType' | 'caption'>,
  { threadParts, captionOverride }: OwnText,
) => (postType === 'thread' && threadParts ? threadParts : [captionOverride ?? caption])
