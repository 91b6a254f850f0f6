import { useState } from 'preact/hooks'
import type { Account } from '../../../clients/sdk/index.ts'
import { html } from './html.ts'
import { listOf, paragraph, say, sentences } from './language.ts'
import { usePeople } from './people.ts'
import { useCanConnect, useNames, useSession } from './session.ts'

const words = sentences.shared.forShow

/** Says what is for show while no account reaches a real network, and how to connect one. */
export function ForShow() {
  const { platforms, userId } = useSession()
  const nameOf = useNames()
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
    accounts.length === 0 && words.noAccount,
    others.length > 0 && words.others,
    simulated.length > 0 &&
      say(words.simulated, { networks: listOf(new Set(simulated.map(({ platform }) => nameOf(platform)))) }),
  ]
  return html`<section class="for-show" aria-label=${words.title}>
    <p dir="auto">${paragraph(...says)}</p>
    ${canConnect && html`<a class="button" href="#/accounts?connect=yes">${words.connect}</a>`}
    <button type="button" class="quiet" onClick=${hide}>${words.hide}</button>
  </section>`
}
