import type { ListedTarget } from '../../../../clients/sdk/index.ts'
import { Faces } from '../face.ts'
import { html } from '../html.ts'
import { formatNumber, say, sentences } from '../language.ts'
import { StateMark } from '../parts.ts'
import { nameOf, usePeople } from '../people.ts'
import { type Picture, Pictures } from '../pictures.ts'
import { useAccountNames } from '../session.ts'
import { partsOf, worstOf } from '../words.ts'
import type { Entry } from './entries.ts'

/** Whether a delivery is still to go out, to an account that needs its owner. */
const isStopped = ({ attention, delivery: { state } }: ListedTarget) =>
  attention !== undefined && ['waiting', 'queued', 'failed', 'missed'].includes(state)

/** The text that all accounts of an entry get, or else that of the post. */
export function textOf({ post, targets }: Pick<Entry, 'post' | 'targets'>): string {
  const [text, ...others] = new Set(targets.map((target) => partsOf(post, target)[0]))
  return (others.length === 0 && text ? text : post.caption) || sentences.shared.post.noText
}

interface ChipProps extends Pick<Entry, 'post' | 'targets'> {
  files: Picture[]
  time?: string
}

/** A link to a post, with the time, the outcome, the accounts and the text of some of its deliveries. */
export function Chip({ post, targets, files, time }: ChipProps) {
  const { byId } = usePeople()
  const states = targets.map(({ delivery }) => delivery.state)
  const state = worstOf(states)
  const count = states.filter((each) => each === state).length
  const stopped = useAccountNames()(targets.filter(isStopped))
  const needsOwner = say(sentences.shared.accounts.needsOwner, { accounts: stopped })
  const [first, ...others] = targets.map(({ accountId, username }) => nameOf(byId.get(accountId) ?? { username }))
  const accounts = targets.map(({ accountId, ...target }) => ({ ...target, id: accountId }))
  return html`<a class="chip tone-${state}" href="#/posts/${post.id}" draggable="false">
    <span class="chip-head">
      ${time && html`<time>${time}</time>`} ${(time || state !== 'waiting') && html`<${StateMark} state=${state} />`}
      ${count < states.length && html`<span>${say(sentences.calendar.shareOf, { count, total: states.length })}</span>`}
      ${stopped && html`<span class="warning" title=${needsOwner}>⚠ <span class="hidden">${needsOwner}</span></span>`}
    </span>
    <span class="chip-who"><${Faces} accounts=${accounts} /> <span class="name" dir="auto">${first}</span>${others.length > 0 && html` <span>+${formatNumber(others.length)}</span>`}</span>
    <span class="chip-text" dir="auto">${textOf({ post, targets }).slice(0, 160)}</span>
    <${Pictures} files=${files} />
  </a>`
}
