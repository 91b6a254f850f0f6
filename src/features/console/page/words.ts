import type { DeliveryState, ListedPost, ListedTarget } from '../../../clients/sdk/index.ts'
import { sentences } from './language.ts'

const { names } = sentences

/**
 * The shape of a state beside its word: nobody needs to tell colours apart. The first one of a group of deliveries
 * says most about it.
 */
export const SHAPES: Record<DeliveryState, string> = {
  unconfirmed: '?',
  failed: '✕',
  missed: '!',
  remove_failed: '⊗',
  publishing: '◌',
  removing: '◍',
  queued: '◷',
  waiting: '○',
  cancelled: '⊘',
  published: '✓',
  removed: '∅',
}

export const STATE_NAMES = Object.keys(SHAPES) as DeliveryState[]

export const worstOf = (states: DeliveryState[]): DeliveryState =>
  STATE_NAMES.find((state) => states.includes(state)) ?? 'waiting'

/** The heading of a post, by the states of its deliveries. */
export function titleOf(states: DeliveryState[]): string {
  const shown = states.filter((state) => ['published', 'removing', 'remove_failed'].includes(state))
  if (shown.length > 0) return shown.length < states.length ? names.partlyPublished : names.states.published.title
  return names.states[states.includes('queued') ? 'queued' : worstOf(states)].title
}

/** Turns names of the API into words: `accessToken` and `post.created` into `Access token` and `Post created`. */
export const toWords = (name: string) =>
  name
    .replace(/[._]|(?<=[a-z])(?=[A-Z])/g, ' ')
    .replace(/./g, (letter, at) => (at ? letter.toLowerCase() : letter.toUpperCase()))

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
