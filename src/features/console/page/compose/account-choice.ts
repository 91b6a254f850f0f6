import type { Account } from '../../../../clients/sdk/index.ts'
import { html } from '../html.ts'
import { Network } from '../parts.ts'

interface ChoiceProps {
  accounts: Account[]
  chosen: string[]
  onChange: (ids: string[]) => void
}

/** The accounts that get a post. */
export function AccountChoice({ accounts, chosen, onChange }: ChoiceProps) {
  const toggle = (id: string) => onChange(chosen.includes(id) ? chosen.filter((each) => each !== id) : [...chosen, id])
  return html`<fieldset class="choices"><legend>Accounts</legend>
    ${accounts.map(
      ({ id, platform, username, displayName, attention }) => html`<label class="check">
        <input type="checkbox" checked=${chosen.includes(id)} onChange=${() => toggle(id)} />
        <${Network} platform=${platform} /> <span dir="auto">${displayName ?? username}</span>
        ${attention && html`<span class="warning" title=${attention.message}>⚠<span class="hidden"> ${attention.message}</span></span>`}
      </label>`,
    )}
  </fieldset>`
}
