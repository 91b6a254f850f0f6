import { isDeepStrictEqual } from 'node:util'
import type { PostPoll } from '../../../schemas/post-poll.ts'
import type { Platform } from '../contract/limits.ts'
import type { CheckContext } from './context.ts'
import { isEmpty } from './field-value.ts'

const DAY_MINUTES = 1_440

type Fields = Readonly<Record<string, unknown>>

/** `fields` with the poll of the post in the form of a network, unless they have one. */
export function withPoll<T extends Fields>(
  fields: T,
  poll: PostPoll | null | undefined,
  platform: Platform,
  question: string,
): T {
  if (!poll || hasOwnPoll(fields)) return fields
  const form = formOf(poll, platform, question)
  return form ? { ...fields, poll: form } : fields
}

export const hasOwnPoll = (fields: Fields | null) =>
  fields !== null && Object.hasOwn(fields, 'poll') && !isEmpty(fields.poll)

const formOf = (
  { options, durationMinutes = DAY_MINUTES, multiple = false }: PostPoll,
  platform: Platform,
  question: string,
) => platform.fields.poll?.fromPoll?.({ options, durationMinutes, multiple }, question)

export function checkPoll({ post, target, platform, addViolation }: CheckContext): void {
  if (!post.poll || hasOwnPoll(target.fields) || platform.fields.poll?.fromPoll) return
  addViolation('poll_unsupported', { path: ['poll'] }, 'polls are not supported')
}

/** The properties of a poll that a network does not take. */
export const findUnusedOfPoll = (poll: PostPoll, platform: Platform): string[] => {
  const { durationMinutes = 0, multiple } = poll
  const isUsed = (other: PostPoll) => !isDeepStrictEqual(formOf(other, platform, ''), formOf(poll, platform, ''))
  return [
    ...(durationMinutes && !isUsed({ ...poll, durationMinutes: durationMinutes + 1 }) ? ['durationMinutes'] : []),
    ...(multiple && !isUsed({ ...poll, multiple: false }) ? ['multiple'] : []),
  ]
}

/** The path in the body of a problem with the form that a poll has for a network. */
export const pathInPoll = ([key, ...inside]: readonly (string | number)[]) => {
  if (key === undefined) return ['poll']
  return key === 'options' ? ['poll', 'options', ...inside] : ['poll', 'durationMinutes']
}
