import { SCOPES, type Scope } from '../../../../schemas/scopes.ts'
import { type Html, html, type PageContent } from '../../../base/http/html.ts'
import type { ResponseTarget } from './authorization-request.ts'
import { describeTarget } from './redirect-uri.ts'

/** Who asks, where the answer goes, and how far both can be trusted. */
function describeClient({ client, redirectUri }: ResponseTarget): Html {
  const { name, isOnDevice } = describeTarget(redirectUri)
  const origin = client.publishedBy
    ? html`It is published by <strong>${client.publishedBy}</strong>, which has chosen this name. Nobody has checked it.`
    : html`It has chosen this name itself, and nobody has checked it.`
  const target = isOnDevice
    ? html`The access goes to a program on this device (<strong>${name}</strong>). Continue only if you have just started it.`
    : html`The access goes to <strong>${name}</strong>. Continue only if you trust this address.`
  return html`<p>The app <strong><bdi>${client.name}</bdi></strong> wants to use your Postroom. ${origin}</p><p>${target}</p>`
}

const alert = (problem: string | undefined) => problem && html`<p role="alert" id="problem">${problem}</p>`

/** Asks for a key. It is sent to this service alone. */
export function signInPage(target: ResponseTarget, action: string, problem?: string): PageContent {
  return {
    title: 'Connect an app',
    body: html`
${describeClient(target)}
${alert(problem)}
<form method="post" action="${action}">
<p><label for="key"><span>Your API key, or a code from <code>postroom mcp approve</code></span></label>
<input type="password" id="key" name="key" required autocomplete="off"${problem && html` aria-describedby="problem"`}></p>
<p><small>The app does not get your key. You decide on the next page what it may do.</small></p>
<button type="submit">Continue</button>
</form>`,
  }
}

interface Offer {
  /** The rights that the key can give, of those that the app asks for. */
  scopes: Scope[]
  accounts: { id: string; platform: string; username: string; displayName: string | null }[]
}

/** Asks what the app may do. */
export function decisionPage(
  target: ResponseTarget,
  action: string,
  { scopes, accounts }: Offer,
  proof: string,
  problem?: string,
): PageContent {
  const rights = scopes.filter((scope) => scope !== 'posts:publish')
  const mayPublish = scopes.includes('posts:publish')
  // An app that asks to publish gets at least drafts.
  const shown: Scope[] = mayPublish && !rights.includes('posts:write') ? ['posts:write', ...rights] : rights
  // Only a list of accounts can be wrong: the form comes back with it.
  const [all, listed] = problem === undefined ? [html` checked`, ''] : ['', html` checked`]
  return {
    title: 'What may the app do?',
    body: html`
${describeClient(target)}
${alert(problem)}
<form method="post" action="${action}">
<input type="hidden" name="proof" value="${proof}">
<p>It may:</p>
<ul>${shown.map((scope) => html`<li>${SCOPES[scope].replaceAll('`', '')}</li>`)}</ul>
${mayPublish && publishing()}
<fieldset${problem && html` aria-describedby="problem"`}>
<legend>Accounts</legend>
<label><input type="radio" name="accounts" value="all"${all}> All accounts, also those that you connect later</label>
<label><input type="radio" name="accounts" value="listed"${listed}> Only these:</label>
<ul>${accounts.map(accountBox)}</ul>
</fieldset>
<p><small>You can end the access at any time: disconnect the app, or revoke the key with its name.</small></p>
<button type="submit" name="decision" value="allow">Allow</button>
<button type="submit" name="decision" value="deny">Deny</button>
</form>`,
  }
}

const publishing = () => html`<fieldset>
<legend>Publishing</legend>
<label><input type="checkbox" name="publish" value="yes"> <span>It may also publish: ${SCOPES['posts:publish'].split(';')[0]}. Without this, it writes drafts, and you publish them.</span></label>
</fieldset>`

const accountBox = ({ id, platform, username, displayName }: Offer['accounts'][number]) =>
  html`<li><label><input type="checkbox" name="account" value="${id}"> <span><bdi>${displayName ?? username}</bdi> <small>${displayName && `@${username}, `}${platform}</small></span></label></li>`

/** Shows an error, with a way back to the app where its address is known to be the app's. */
export const failurePage = (message: string, back?: { href: string; name: string }): PageContent => ({
  title: 'The app cannot be connected',
  body: html`<p role="alert">${message}</p>${
    back
      ? html`<p><a href="${back.href}">Back to ${back.name}</a></p>`
      : html`<p>Nothing was connected. Begin again in the app.</p>`
  }`,
})
