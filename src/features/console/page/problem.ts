import { useContext } from 'preact/hooks'
import { type ErrorCode, InvalidRequest, PostroomError, Unauthorized } from '../../../clients/sdk/index.ts'
import { pauseAfter } from './hooks.ts'
import { html } from './html.ts'
import { SessionContext } from './session.ts'
import { toWords } from './words.ts'

/** Sentences for the codes of errors: what has happened, and what to do. The message of the service is in "Details". */
const WORDS: Partial<Record<ErrorCode, [happened: string, todo: string]>> = {
  missing_api_key: ['The key is not valid', 'Use another one.'],
  invalid_api_key: ['The key is not valid', 'Use another one.'],
  expired_api_key: ['The key is not valid any more', 'Use another one.'],
  insufficient_scope: ['The key does not allow this', 'Use one with more rights.'],
  account_list: ['The key is for some accounts alone', 'Use one for all accounts.'],
  idempotency_key_reused: [
    'An earlier text of this post is stored already',
    'Look at it, or make this one another post.',
  ],
  precondition_failed: ['The post has changed meanwhile', 'Go back to see it. What you have typed stays.'],
  post_not_found: ['There is no such post any more', 'Look for it in the calendar.'],
  post_published: ['The post is published already', 'Retry the accounts that lack it.'],
  post_cancelled: ['The post is cancelled for all its accounts', 'Retry it for those that are to get it.'],
  post_busy: ['The post is being sent at the moment', 'Wait until it is published or has failed.'],
  post_is_draft: ['The post is a draft', 'Schedule it or publish it first.'],
  delivery_not_due: ['Its time has not come yet', 'Publish the post to send it now.'],
  delivery_in_progress: ['It is being sent at the moment', 'Look again in half a minute.'],
  delivery_unconfirmed: ['It may have been published', 'Look on the network, then say whether it is there.'],
  delivery_not_unconfirmed: ['Its outcome is known already', 'Go back to see it.'],
  delivery_not_queued: ['It is not going to be sent', 'Go back to see its state.'],
  delivery_removed: ['It was taken down, or is about to be', 'Compose a new post to publish it again.'],
  media_in_use: ['A post that is still to be published uses the file', 'Take the file out of the post first.'],
  media_used_elsewhere: ['Other accounts use the file too', 'Use a key for all accounts.'],
  media_in_too_many_posts: ['Too many posts use the file', 'Change it when fewer of them are still to be published.'],
  media_not_found: ['There is no such file any more', 'Look for it in the library.'],
  account_not_found: ['There is no such account any more', 'Connect it again.'],
  schedule_not_found: ['The account has no slots', 'Add some on the page of the accounts.'],
  queue_without_slots: [
    'An account of the post has no slots',
    'Add some on the page of the accounts, or choose a time.',
  ],
  queue_full: ['No slot is free', 'Add some on the page of the accounts, or choose a time.'],
}

interface Words {
  title: string
  says?: string
  /** Whether the words of the service are left out. */
  isHidden?: boolean
}

function wordsOf(error: Error): Words {
  if (!navigator.onLine) return { title: 'The service cannot be reached', isHidden: true }
  if (!(error instanceof PostroomError)) return { title: 'This did not work', says: error.message }
  const { status, code, message } = error
  const [title, says] = WORDS[code as ErrorCode] ?? []
  if (title) return { title, says: says!, isHidden: true }
  if (status === 0) return { title: 'The service cannot be reached', isHidden: true }
  if (status === 429) return { title: 'Too many requests at the moment', isHidden: true }
  if (status >= 500) return { title: 'The service cannot answer at the moment', says: message }
  if (error instanceof InvalidRequest && error.details.length > 0) {
    const mistakes = error.details.map(
      ({ path, message }) => sayClocks(message) ?? [nameOf(path), message].filter(Boolean).join(': '),
    )
    return { title: 'Something that was typed is not right', says: mistakes.join('. '), isHidden: true }
  }
  return { title: 'This did not work', says: message }
}

/** Describes a local time that the clocks skip or show twice; undefined for another mistake. */
function sayClocks(message: string): string | undefined {
  if (message.includes(' does not exist in ')) return 'The clocks skip this time on that day: choose another one'
  if (message.includes(' occurs twice in ')) return 'The clocks show this time twice on that day: choose another hour'
  return undefined
}

/** Names a place in a request: `["slots", 1]` is `Slots 2`. */
function nameOf(path: readonly (string | number)[]): string {
  const name = path.findLast((key) => typeof key === 'string')
  const last = path.at(-1)
  return name === undefined ? '' : `${toWords(String(name))}${typeof last === 'number' ? ` ${last + 1}` : ''}`
}

/** An error as one sentence, for a note. */
export function inWords(error: Error): string {
  const { title, says } = wordsOf(error)
  return error instanceof PostroomError ? [title, says].filter(Boolean).join('. ') : error.message
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
    ${pauseSeconds && html`<p>${onRetry ? `This is tried again in ${pauseSeconds} seconds.` : `Try again in ${pauseSeconds} seconds.`}</p>`}
    ${(isHidden || requestId) && html`<details class="small"><summary>Details</summary>${isHidden && html`<p dir="auto">${error.message}</p>`}${requestId && html`<p>Request ${requestId}</p>`}</details>`}
    ${onRetry && html`<button type="button" onClick=${onRetry}>Try again</button>`}
    ${session && error instanceof Unauthorized && html`<button type="button" onClick=${() => session.end()}>Use another key</button>`}
  </div>`
}
