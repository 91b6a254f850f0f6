import type { Account } from '../../../../clients/sdk/index.ts'
import { Face } from '../face.ts'
import { html } from '../html.ts'
import { say, sentences } from '../language.ts'
import { Confirm, Details } from '../parts.ts'
import { sayAttention } from '../problem.ts'
import { useCan, useCanConnect, useNames, useSession } from '../session.ts'
import { formatInstant, OWN_ZONE } from '../time.ts'
import { AccountNumbers, DAYS } from './numbers.ts'
import { Slots } from './slots.ts'

const words = sentences.pages.accounts

/** The tags of a text that has one in each line. */
const readTags = (text: string): string[] => text.split('\n').flatMap((line) => (line.trim() ? [line.trim()] : []))

/** A new connection does not end these. */
const NOT_MENDED = ['app_not_approved', 'paused']

/** An account, what it needs, and what can be done with it. */
export function Row({ account, onConnect, reload }: { account: Account; onConnect: () => void; reload: () => void }) {
  const { client } = useSession()
  const canChange = useCan('accounts:connect')
  const canConnect = useCanConnect()
  const { id, username, displayName, tags = [], attention, pausedAt, canDisconnect, credentialsExpireAt } = account
  const canPublish = useCan('posts:publish')
  const canRead = useCan('posts:read')
  const [turn, turnHelp] = pausedAt ? [words.resume, words.resumeHelp] : [words.pause, words.pauseHelp]
  const tag = (fields: FormData) => client.accounts.update(id, { tags: readTags(String(fields.get('tags'))) })
  const isMended = attention && canConnect && canDisconnect && !NOT_MENDED.includes(attention.code)
  return html`<li class="account">
    <${Face} ...${account} label=${useNames()(account.platform)} />
    <div>
      <strong dir="auto">${displayName ?? username}</strong> ${displayName && html`<span class="small" dir="auto">${username}</span>`}
      ${tags.length > 0 && html`<ul class="tags" aria-label=${words.tagsOf}>${tags.map((tag) => html`<li dir="auto">${tag}</li>`)}</ul>`}
      ${credentialsExpireAt && html`<p class="small">${say(words.expires, { time: formatInstant(credentialsExpireAt, OWN_ZONE) })}</p>`}
      ${attention ? html`<p class="warning" dir="auto" title=${attention.message}><span aria-hidden="true">⚠</span> ${sayAttention(attention)}</p>` : html`<p class="small">${words.ready}</p>`}
    </div>
    <div class="buttons">
      <a class="button" href="#/calendar?accountId=${id}">${words.calendar}</a>
      ${isMended && html`<button type="button" class="primary" onClick=${onConnect}>${attention.code === 'not_connected' ? words.connectThis : words.connectAgain}</button>`}
      ${
        canChange &&
        canPublish &&
        canDisconnect &&
        html`<${Confirm} label=${turn} act=${() => client.accounts.update(id, { paused: !pausedAt })} onDone=${reload}
        says=${say(turnHelp, { account: username })} />`
      }
      ${
        canChange &&
        canDisconnect &&
        html`<${Confirm} label=${words.tags} act=${tag} onDone=${reload} says=${words.tagsHelp}><label>${words.tagsOf} <textarea name="tags" rows="4" dir="auto">${tags.join('\n')}</textarea></label><//>`
      }
      ${
        canChange &&
        canDisconnect &&
        html`<${Confirm} label=${sentences.shared.actions.disconnect} isDangerous act=${() => client.accounts.disconnect(id)} onDone=${reload}
        says=${say(words.disconnectHelp, { account: username })} />`
      }
    </div>
    <${Details} title=${sentences.pages.slots.title}>${() => html`<${Slots} accountId=${id} />`}<//>
    ${canRead && html`<${Details} title=${say(words.numbers, { count: DAYS })}>${() => html`<${AccountNumbers} accountId=${id} />`}<//>`}
  </li>`
}
