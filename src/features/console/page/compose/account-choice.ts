import { useState } from 'preact/hooks'
import type { Account } from '../../../../clients/sdk/index.ts'
import { Face } from '../face.ts'
import { html } from '../html.ts'
import { say, sentences } from '../language.ts'
import { isNamed, nameOf } from '../people.ts'
import { sayAttention } from '../problem.ts'
import { useNames } from '../session.ts'
import { AccountSets } from './account-sets.ts'

const words = sentences.compose.accounts
const shared = sentences.shared.accounts

/** Fewer accounts are found without a search. */
const SEARCHED_MIN = 9

interface ChoiceProps {
  accounts: Account[]
  chosen: string[]
  onChange: (ids: string[]) => void
}

/** The accounts that get a post: searched by name, chosen one by one, all at once, or as a remembered set. */
export function AccountChoice({ accounts, chosen, onChange }: ChoiceProps) {
  const [typed, setTyped] = useState('')
  const networkOf = useNames()
  const sorted = accounts.toSorted((a, b) => nameOf(a).localeCompare(nameOf(b)))
  const shown = sorted.filter((account) => isNamed(account, networkOf(account.platform), typed.trim()))
  const ids = shown.map(({ id }) => id)
  const add = (ids: string[]) => onChange([...new Set([...chosen, ...ids])])
  const toggle = (id: string) => (chosen.includes(id) ? onChange(chosen.filter((each) => each !== id)) : add([id]))
  const isSearched = accounts.length >= SEARCHED_MIN
  return html`<fieldset class="choices"><legend>${words.title}</legend>
    <div class="choice-bar">
      ${isSearched && html`<label><span class="hidden">${shared.search}</span> <input type="search" placeholder=${shared.searchHint} value=${typed} onInput=${(event: Event) => setTyped((event.target as HTMLInputElement).value)} /></label>`}
      <span class="small" role="status">${say(words.chosen, { count: chosen.length, total: accounts.length })}</span>
      <button type="button" class="quiet" disabled=${ids.every((id) => chosen.includes(id))} onClick=${() => add(ids)}>${typed ? say(words.chooseThese, { count: ids.length }) : words.chooseAll}</button>
      <button type="button" class="quiet" disabled=${chosen.length === 0} onClick=${() => onChange([])}>${words.none}</button>
    </div>
    <${AccountSets} known=${accounts.map(({ id }) => id)} chosen=${chosen} onChange=${onChange} />
    <div class="choice-list" tabindex=${isSearched ? 0 : undefined}>
      ${shown.map((account) => html`<${Choice} key=${account.id} account=${account} isChosen=${chosen.includes(account.id)} onToggle=${() => toggle(account.id)} />`)}
      ${shown.length === 0 && html`<p class="empty">${shared.none}</p>`}
    </div>
  </fieldset>`
}

function Choice({ account, isChosen, onToggle }: { account: Account; isChosen: boolean; onToggle: () => void }) {
  const { username, displayName, platform, attention } = account
  return html`<label class="check choice">
    <input type="checkbox" checked=${isChosen} onChange=${onToggle} />
    <${Face} ...${account} label=${useNames()(platform)} />
    <span class="who"><span dir="auto">${displayName ?? username}</span>${displayName && html` <span class="small" dir="auto">${username}</span>`}</span>
    ${attention && html`<span class="warning" title=${sayAttention(attention)}>⚠<span class="hidden"> ${sayAttention(attention)}</span></span>`}
  </label>`
}
