import { setQuery, useTyped } from './hooks.ts'
import { html } from './html.ts'
import { say, sentences } from './language.ts'
import { nameOf as nameAccount, usePeople } from './people.ts'
import { useNames } from './session.ts'

const words = sentences.shared.accounts

/** A field for the name of an account. If `tag` is given, which may be empty, the field takes a tag of accounts too. */
export function AccountFilter({ accountId, tag }: { accountId: string; tag?: string }) {
  const people = usePeople()
  const nameOf = useNames()
  const tags = tag === undefined ? [] : new Set(people.value?.flatMap((account) => account.tags ?? []))
  const choices = new Map<string, { accountId?: string; accountTag?: string }>([
    ...[...tags].sort().map((tag) => [say(words.tagged, { tag }), { accountTag: tag }] as const),
    ...(people.value ?? []).map((account) => {
      const name = account.displayName ? `${account.username}, ` : ''
      return [`${nameAccount(account)} (${name}${nameOf(account.platform)})`, { accountId: account.id }] as const
    }),
  ])
  const all = [...choices]
  const chosen = all.find(([, each]) => (each.accountTag ? each.accountTag === tag : each.accountId === accountId))
  const change = (event: Event) => {
    event.stopPropagation()
    const field = event.target as HTMLInputElement
    const typed = field.value.trim()
    const found = choices.get(typed) ?? all.find(([label]) => label.toLowerCase().includes(typed.toLowerCase()))?.[1]
    field.setCustomValidity(typed && !found ? words.none : '')
    if (field.reportValidity()) setQuery({ accountId: '', accountTag: '', ...(typed && found) })
  }
  return html`<label><span class="hidden">${words.account}</span> <input type="search" list="accounts" placeholder=${words.all} ...${useTyped(chosen?.[0] ?? '')} onChange=${change} /></label>
    <datalist id="accounts">${all.map(([label]) => html`<option value=${label} />`)}</datalist>`
}
