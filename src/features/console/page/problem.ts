import { useContext } from 'preact/hooks'
import {
  type Account,
  type ErrorCode,
  InvalidRequest,
  PostroomError,
  Unauthorized,
} from '../../../clients/sdk/index.ts'
import { pauseAfter } from './hooks.ts'
import { html } from './html.ts'
import { label, say, sentences } from './language.ts'
import { SessionContext } from './session.ts'
import { toWords } from './words.ts'

const words = sentences.problems
/** The message of the service is in "Details". */
const codes: Partial<Record<ErrorCode, readonly [happened: string, todo: string]>> = words.codes

interface Words {
  title: string
  says?: string
  /** Whether the words of the service are left out. */
  isHidden?: boolean
}

function wordsOf(error: Error): Words {
  if (!navigator.onLine) return { title: words.unreachable, isHidden: true }
  if (!(error instanceof PostroomError)) return { title: words.failed, says: error.message }
  const { status, code, message } = error
  const [title, says] = codes[code as ErrorCode] ?? []
  if (title) return { title, says: says!, isHidden: true }
  if (status === 0) return { title: words.unreachable, isHidden: true }
  if (status === 429) return { title: words.tooMany, isHidden: true }
  if (status >= 500) return { title: words.busy, says: message }
  if (error instanceof InvalidRequest && error.details.length > 0) {
    const mistakes = error.details.map(
      ({ path, message }) => sayClocks(message) ?? (nameOf(path) ? label(nameOf(path), message) : message),
    )
    return {
      title: words.invalid,
      says: mistakes.reduce((happened, todo) => say(words.sentence, { happened, todo })),
      isHidden: true,
    }
  }
  return { title: words.failed, says: message }
}

/** Describes a local time that the clocks skip or show twice; undefined for another mistake. */
function sayClocks(message: string): string | undefined {
  if (message.includes(' does not exist in ')) return words.skipped
  if (message.includes(' occurs twice in ')) return words.twice
  return undefined
}

/** Names a place in a request: `["slots", 1]` is `Slots 2`. */
function nameOf(path: readonly (string | number)[]): string {
  const name = path.findLast((key) => typeof key === 'string')
  const last = path.at(-1)
  if (name === undefined) return ''
  const shown = toWords(String(name))
  return typeof last === 'number' ? say(words.place, { name: shown, number: last + 1 }) : shown
}

const attentions: Record<string, string | undefined> = words.attention

const deliveries: Record<string, readonly [happened: string, todo: string] | undefined> = words.deliveries

/** The event of a delivery, and what to do; undefined for a code that the page does not know. */
export const sayDelivery = (code: string) => deliveries[code]

/** Why the owner of an account has to act. A network or the service may say more in the message, in English. */
export const sayAttention = ({ code, message }: NonNullable<Account['attention']>): string =>
  attentions[code] ?? message

/** An error as one sentence, for a note. */
export function inWords(error: Error): string {
  const { title, says } = wordsOf(error)
  if (!(error instanceof PostroomError)) return error.message
  return says ? say(words.sentence, { happened: title, todo: says }) : title
}

/** An error in words: what has happened, and what to do. */
export function Problem({ error, onRetry }: { error: Error; onRetry?: () => void }) {
  const session = useContext(SessionContext)
  const requestId = error instanceof PostroomError ? error.requestId : null
  const pauseSeconds = pauseAfter(error)
  const { title, says, isHidden } = wordsOf(error)
  return html`<div class="problem" role="alert">
    <strong>${title}</strong>
    ${says && html`<p dir="auto">${says}</p>`}
    ${pauseSeconds && html`<p>${say(onRetry ? words.isRetried : words.wait, { count: pauseSeconds })}</p>`}
    ${(isHidden || requestId) && html`<details class="small"><summary>${words.details}</summary>${isHidden && html`<p dir="auto">${error.message}</p>`}${requestId && html`<p>${say(words.request, { id: requestId })}</p>`}</details>`}
    ${onRetry && html`<button type="button" onClick=${onRetry}>${words.again}</button>`}
    ${session && error instanceof Unauthorized && html`<button type="button" onClick=${() => session.end()}>${sentences.shared.signIn.another}</button>`}
  </div>`
}
