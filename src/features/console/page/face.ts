import { html } from './html.ts'
import { say, sentences } from './language.ts'
import { Network } from './parts.ts'
import { nameOf, usePeople } from './people.ts'
import { toOwn, useNames } from './session.ts'

interface Of {
  id: string
  platform: string
  username: string
  /** The text for screen readers, if the name stands beside the picture. */
  label?: string
}

/** The picture of an account, or the first letter of its name, with the icon of its network. */
export function Face({ id, platform, username, label }: Of) {
  const account = usePeople().byId.get(id)
  const name = account ? nameOf(account) : username
  const title = say(sentences.shared.accounts.on, { account: name, network: useNames()(platform) })
  return html`<span class="face" role="img" aria-label=${label ?? title} title=${title}>
    ${account?.avatarUrl ? html`<img src=${toOwn(account.avatarUrl)} alt="" loading="lazy" width="24" height="24" />` : html`<span class="letter" aria-hidden="true">${[...name][0]?.toUpperCase()}</span>`}
    <${Network} platform=${platform} isDecoration />
  </span>`
}

/** As many pictures as fit beside a name. */
const FACES_MAX = 3

/** The pictures of the first ones of several accounts. */
export const Faces = ({ accounts }: { accounts: Of[] }) =>
  html`<span class="faces">${accounts.slice(0, FACES_MAX).map((account) => html`<${Face} key=${account.id} ...${account} />`)}</span>`
