import { AccountFilter } from '../account-filter.ts'
import { setQuery, useTyped } from '../hooks.ts'
import { html } from '../html.ts'
import { sentences } from '../language.ts'
import { ZoneField } from '../parts.ts'
import { usePeople } from '../people.ts'
import { useNames } from '../session.ts'
import { STATE_NAMES } from '../words.ts'

const words = sentences.calendar.filters

/** The filters of the address, which the API takes. */
export const readFilters = (query: URLSearchParams) =>
  Object.fromEntries(
    ['accountId', 'accountTag', 'platform', 'state', 'q'].map((name) => [name, query.get(name) || undefined]),
  )

export function Filters({ query, timeZone }: { query: URLSearchParams; timeZone: string }) {
  const people = usePeople()
  const nameOf = useNames()
  const change = (event: Event) => {
    const { name, value } = event.target as HTMLInputElement
    setQuery({ [name]: value })
  }
  const platforms = [...new Set(people.value?.map(({ platform }) => platform))]
  const option = (name: string, value: string, label: string) =>
    html`<option value=${value} selected=${(query.get(name) ?? '') === value}>${label}</option>`
  return html`<form class="filters" role="search" onSubmit=${(event: Event) => event.preventDefault()} onChange=${change}>
    <label><span class="hidden">${words.words}</span> <input name="q" type="search" placeholder=${words.search} ...${useTyped(query.get('q') ?? '')} /></label>
    <${AccountFilter} accountId=${query.get('accountId') ?? ''} tag=${query.get('accountTag') ?? ''} />
    <label><span class="hidden">${words.network}</span> <select name="platform">${option('platform', '', words.networks)}${platforms.map((platform) => option('platform', platform, nameOf(platform)))}</select></label>
    <label><span class="hidden">${words.state}</span> <select name="state">${option('state', '', words.states)}${STATE_NAMES.map((state) => option('state', state, sentences.names.states[state].word))}</select></label>
    <${ZoneField} value=${timeZone} isPlain onZone=${(zone: string) => setQuery({ zone })} />
  </form>`
}
