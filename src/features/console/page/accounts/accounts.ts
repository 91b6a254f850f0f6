import { useState } from 'preact/hooks'
import type { Account, Platform } from '../../../../clients/sdk/index.ts'
import { setQuery, useRoute } from '../hooks.ts'
import { html } from '../html.ts'
import { formatNumber, say, sentences } from '../language.ts'
import { Empty, Loading, Network } from '../parts.ts'
import { isNamed, nameOf as nameAccount, usePeople } from '../people.ts'
import { useCanConnect, useNames, useSession } from '../session.ts'
import { Connect } from './connect.ts'
import { Row } from './row.ts'

const words = sentences.pages.accounts
const shared = sentences.shared.accounts

export function Accounts() {
  const { platforms } = useSession()
  const canConnect = useCanConnect()
  const accounts = usePeople()
  const { query } = useRoute()
  const [connecting, setConnecting] = useState<{ platform?: Platform; account?: Account } | undefined>(
    canConnect && query.has('connect') ? {} : undefined,
  )
  const connect = (id: string, account?: Account) => {
    const platform = platforms.get(id)
    if (platform) setConnecting({ platform, ...(account && { account }) })
  }
  const end = () => {
    setConnecting(undefined)
    setQuery({ connect: '' })
    accounts.reload()
  }
  return html`
    <div class="bar">
      <h1>${words.title}</h1>
      ${
        canConnect &&
        html`<button type="button" class="primary" onClick=${() => setConnecting({})}>${words.connect}</button>`
      }
    </div>
    ${connecting && html`<${Connect} key=${connecting.platform?.id} ...${connecting} onChoose=${connect} onEnd=${end} />`}
    <${Loading} loaded=${accounts}>
      ${(list: Account[]) => (list.length === 0 ? html`<${Empty}>${canConnect ? words.noneYet : words.none}<//>` : html`<${Groups} list=${list} onConnect=${connect} reload=${accounts.reload} />`)}
    <//>
  `
}

interface GroupsProps {
  list: Account[]
  onConnect: (platform: string, account: Account) => void
  reload: () => void
}

/** The accounts by their networks. A search and a filter, which the address keeps, leave out others. */
function Groups({ list, onConnect, reload }: GroupsProps) {
  const { query } = useRoute()
  const nameOf = useNames()
  const typed = query.get('q') ?? ''
  const isNeedy = query.get('attention') === 'yes'
  const needy = list.filter(({ attention }) => attention)
  const shown = list
    .filter((account) => (!isNeedy || account.attention) && isNamed(account, nameOf(account.platform), typed.trim()))
    .sort((a, b) => nameAccount(a).localeCompare(nameAccount(b)))
  const groups = [...Map.groupBy(shown, ({ platform }) => platform)].sort(([a], [b]) =>
    nameOf(a).localeCompare(nameOf(b)),
  )
  const search = (event: Event) => setQuery({ q: (event.target as HTMLInputElement).value })
  return html`<form class="filters" role="search" onSubmit=${(event: Event) => event.preventDefault()}>
      <label><span class="hidden">${shared.search}</span> <input type="search" placeholder=${shared.searchHint} value=${typed} onInput=${search} /></label>
      ${needy.length > 0 && html`<button type="button" aria-pressed=${isNeedy} onClick=${() => setQuery({ attention: isNeedy ? '' : 'yes' })}><span aria-hidden="true">⚠</span> ${say(words.needOwners, { count: needy.length })}</button>`}
      <span class="small" role="status">${say(words.count, { count: shown.length, total: list.length })}</span>
    </form>
    ${shown.length === 0 && html`<${Empty}>${words.noMatch}<//>`}
    ${groups.map(
      ([platform, own]) => html`<section key=${platform} class="card" aria-label=${nameOf(platform)}>
        <h2><${Network} platform=${platform} isDecoration /> ${nameOf(platform)} <span class="small">${formatNumber(own.length)}</span></h2>
        <ul class="rows">${own.map((account) => html`<${Row} key=${account.id} account=${account} onConnect=${() => onConnect(platform, account)} reload=${reload} />`)}</ul>
      </section>`,
    )}`
}
