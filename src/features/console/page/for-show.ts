import { useState } from 'preact/hooks'
import type { Account } from '../../../clients/sdk/index.ts'
import { html } from './html.ts'
import { usePeople } from './people.ts'
import { useAccountNames, useCanConnect, useSession } from './session.ts'

/** Says what is for show while no account reaches a real network, and how to connect one. */
export function ForShow() {
  const { platforms, userId } = useSession()
  const nameAccounts = useAccountNames()
  const canConnect = useCanConnect()
  const { value: accounts } = usePeople()
  const place = `postroom.for-show.${userId}`
  const [isHidden, setHidden] = useState(localStorage.getItem(place) === 'hidden')
  if (isHidden || !accounts || platforms.size === 0) return null
  const isSimulated = ({ platform }: Account) => platforms.get(platform)?.isSimulated === true
  const simulated = accounts.filter(isSimulated)
  const others = accounts.filter((account) => !isSimulated(account))
  if (others.some(({ attention }) => attention?.code !== 'not_connected')) return null
  const hide = () => {
    localStorage.setItem(place, 'hidden')
    setHidden(true)
  }
  const says = [
    accounts.length === 0 && 'No account is connected yet.',
    others.length > 0 && 'Accounts with ⚠ are for show: nothing can be published to them.',
    simulated.length > 0 && `What is published to ${nameAccounts(simulated)} stays here, and nobody sees it.`,
  ]
  return html`<section class="for-show" aria-label="Getting started">
    <p dir="auto">${says.filter(Boolean).join(' ')}</p>
    ${canConnect && html`<a class="button" href="#/accounts?connect=yes">Connect a real account</a>`}
    <button type="button" class="quiet" onClick=${hide}>Hide</button>
  </section>`
}
