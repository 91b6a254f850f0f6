import { useState } from 'preact/hooks'
import { html } from '../html.ts'
import { formatNumber, sentences } from '../language.ts'
import { Confirm } from '../parts.ts'
import { useSession } from '../session.ts'

const words = sentences.compose.sets

/** Sets of accounts by the names that a person gave them. This browser keeps them, for each user. */
type Sets = Record<string, string[]>

function useSets(): [Sets, (sets: Sets) => void] {
  const place = `postroom.sets.${useSession().userId}`
  const [sets, setSets] = useState<Sets>(() => JSON.parse(localStorage.getItem(place) ?? '{}'))
  const keep = (sets: Sets) => {
    localStorage.setItem(place, JSON.stringify(sets))
    setSets(sets)
  }
  return [sets, keep]
}

interface SetsProps {
  /** The ids of the accounts that may be chosen. */
  known: string[]
  chosen: string[]
  onChange: (ids: string[]) => void
}

/** Buttons that choose a remembered set of accounts, and those that remember and forget one. */
export function AccountSets({ known, chosen, onChange }: SetsProps) {
  const [sets, keep] = useSets()
  const names = Object.keys(sets).sort((a, b) => a.localeCompare(b))
  const membersOf = (name: string) => sets[name]!.filter((id) => known.includes(id))
  const isChosen = (name: string) => membersOf(name).join() === known.filter((id) => chosen.includes(id)).join()
  const remember = async (fields: FormData) => {
    const name = String(fields.get('name')).trim()
    keep({ ...sets, [name]: known.filter((id) => chosen.includes(id)) })
  }
  const forget = async (fields: FormData) => {
    const { [String(fields.get('name'))]: _, ...others } = sets
    keep(others)
  }
  return html`<div class="sets" role="group" aria-label=${words.title}>
    ${names.map((name) => html`<button type="button" key=${name} aria-pressed=${isChosen(name)} onClick=${() => onChange(membersOf(name))}><span dir="auto">${name}</span> <span class="small">${formatNumber(membersOf(name).length)}</span></button>`)}
    ${chosen.length > 0 && html`<${Confirm} label=${words.remember} act=${remember} onDone=${() => {}} says=${words.rememberHelp}><label>${words.name} <input name="name" required maxlength="40" pattern=".*\\S.*" dir="auto" /></label><//>`}
    ${names.length > 0 && html`<${Confirm} label=${words.forget} act=${forget} onDone=${() => {}} says=${words.forgetHelp}><label>${words.set} <select name="name">${names.map((name) => html`<option value=${name}>${name}</option>`)}</select></label><//>`}
  </div>`
}
