import type { DeliveryExplanation } from '../../../schemas/explanation.ts'
import type { EventList } from '../../../schemas/list-events.ts'
import type { PostMetrics } from '../../../schemas/metrics.ts'
import type { PostDetail } from '../../../schemas/post.ts'
import type { RemovedPost } from '../../../schemas/remove-post.ts'
import type { PostValidation } from '../../../schemas/validate-post.ts'
import type { ToolProblem } from './api.ts'

/** How many mistakes a line names. */
const SHOWN_MAX = 3

/** `1 account`, `2 accounts`. */
export const count = (length: number, noun: string): string => `${length} ${noun}${length === 1 ? '' : 's'}`

/** A post and what each account got, in one line. */
export function describePost({ id, status, scheduledAt, scheduledAtLocal, timeZone, targets }: PostDetail): string {
  const local = timeZone === undefined ? '' : ` (${scheduledAtLocal} in ${timeZone})`
  const time = status === 'scheduled' ? ` for ${scheduledAt}${local}` : ''
  return `Post ${id} is ${status}${time}: ${targets.map(describeTarget).join('; ')}.`
}

function describeTarget({ platform, username, accountId, delivery }: PostDetail['targets'][number]): string {
  const { state, externalUrl, error, edit } = delivery
  const detail = externalUrl ?? (error ? `${error.code}: ${oneLine(error.message)}` : '')
  const problem = edit?.error ? `: ${oneLine(edit.error.message)}` : ''
  const editing = edit ? ` (edit ${edit.state}${problem})` : ''
  return `${platform} @${username} (${accountId}) ${state}${detail && ` ${detail}`}${editing}`
}

export function describeExplanation({ summary, next, actions }: DeliveryExplanation): string {
  const then = next ? ` Next: ${oneLine(next.message)}` : ' Nothing more happens by itself.'
  const possible = actions.map(({ operationId }) => operationId).join(', ')
  return `${oneLine(summary)}${then}${possible && ` Possible now: ${possible}.`}`
}

export function describeRemoval({ removing, left }: RemovedPost): string {
  const kept = left.map(({ accountId, message }) => `${accountId} is left: ${oneLine(message)}`)
  return `The post is taken down from ${[count(removing.length, 'account'), ...kept].join('; ')}.`
}

export function describeValidation({ publishable, violations, notYours, targets }: PostValidation): string {
  if (publishable) return `The post can be published.${describeCost(targets)}`
  const unusable = notYours.accountIds.length + notYours.mediaIds.length
  const attention = targets.filter(({ attention, publishes }) => attention || !publishes).length
  const reasons = [
    ...violations.slice(0, SHOWN_MAX).map(({ message }) => oneLine(message)),
    ...(violations.length > SHOWN_MAX ? [`${violations.length - SHOWN_MAX} more violations`] : []),
    ...(unusable > 0 ? [`${count(unusable, 'id')} that you may not use`] : []),
    ...(attention > 0 ? [`${count(attention, 'account')} that cannot be published to at the moment`] : []),
  ]
  return `The post cannot be published like this: ${reasons.join('; ')}.`
}

/** The cost of a post, as a sentence after another one. Empty if it costs nothing. */
export const describeCost = (targets: PostValidation['targets']): string => {
  const usdMicros = targets.reduce((sum, { cost }) => sum + (cost?.usdMicros ?? 0), 0)
  return usdMicros > 0
    ? ` It costs $${(usdMicros / 1_000_000).toFixed(3)}, which the network charges the owner of the app.`
    : ''
}

export function describeEvents({ data, hasMore }: EventList): string {
  const shown = data.slice(-SHOWN_MAX).map(({ type, timestamp }) => `${type} at ${timestamp}`)
  const last = shown.length > 0 ? `, the last of them ${shown.join(', ')}` : ''
  return `${count(data.length, 'event')}${last}${hasMore ? '; more follow' : ''}.`
}

/** An error in one line, with its first mistakes. */
export function describeProblem({ status, code, error, details = [] }: ToolProblem): string {
  const mistakes = details
    .slice(0, SHOWN_MAX)
    .map(({ path, message }) => [path.join('.'), message].filter(Boolean).join(': '))
  const more = details.length > SHOWN_MAX ? [`${details.length - SHOWN_MAX} more mistakes`] : []
  return oneLine([`${status} ${code}: ${error}`, ...mistakes, ...more].join('; '))
}

/** A message of a network may have line breaks. */
const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim()

/** The numbers that are known, by account. */
export const describeMetrics = ({ data }: PostMetrics): string =>
  data
    .map(({ platform, values }) => {
      const known = Object.entries(values).flatMap(([name, value]) => (value === null ? [] : [`${name} ${value}`]))
      return `${platform}: ${known.join(', ') || 'no numbers'}.`
    })
    .join(' ')
