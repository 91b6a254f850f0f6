import { setQuery, useTyped } from './hooks.ts'
import { html } from './html.ts'
import { sentences } from './language.ts'
import { nameOf as nameAccount, usePeople } from './people.ts'
import { useNames } from './session.ts'

const words = sentences.shared.accounts

/** A field in which the name of an account is typed. The address keeps its id. */
export function AccountFilter({ accountId }: { accountId: string }) {
  const people = usePeople()
  const nameOf = useNames()
  const labels = new Map(
    people.value?.map((account) => [
      `${nameAccount(account)} (${account.displayName ? `${account.username}, ` : ''}${nameOf(account.platform)})`,
      account.id,
    ]),
  )
  const label = [...labels].find(([, id]) => id === accountId)?.[0] ?? ''
  const change = (event: Event) => {
    event.stopPropagation()
    const field = event.target as HTMLInputElement
    const typed = field.value.trim()
    const found =
      labels.get(typed) ?? [...labels].find(([label]) => label.toLowerCase().includes(typed.toLowerCase()))?.[1]
    field.setCustomValidity(typed && !found ? words.none : '')
    if (field.reportValidity()) setQuery({ accountId: typed && found ? found : '' })
  }
  return html`<label><span class="hidden">${words.account}</span> <input type="search" list="accounts" placeholder=${words.all} ...${useTyped(label)} onChange=${change} /></label>
    <datalist id="accounts">${[...labels.keys()].map((label) => html`<option value=${label} />`)}</datalist>`
}
