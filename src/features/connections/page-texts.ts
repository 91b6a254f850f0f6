import type { ConnectionFlow } from '../../../db/queries/connections.ts'
import type { Connection } from '../../../schemas/connection.ts'
import { html, type PageContent } from '../../base/http/html.ts'
import { platforms } from '../../platforms/limits.ts'
import { choiceForm } from './choice-form.ts'
import { withOutcome } from './return-url.ts'

/** The network as people call it, without the remark in brackets. */
const nameOf = ({ platform }: Pick<Connection, 'platform'>) => platforms[platform].name.replace(/ \(.*\)$/, '')

/** The page at the end of a flow, or the one that asks for a choice. */
export function outcomePage(connection: Connection, { problem }: { problem?: string | undefined } = {}): PageContent {
  const { state, accounts, choices = [], error, returnUrl } = connection
  const network = nameOf(connection)
  const next = returnUrl && withOutcome(returnUrl, connection)
  const goOn = next ? html`<p><a href="${next}">Continue to ${new URL(next).host}</a></p>` : CLOSE
  if (state === 'choosing') {
    const intro = html`<p>You can connect several accounts on ${network}.</p>`
    return { title: 'Choose your accounts', body: html`${intro}${choiceForm(choices, problem)}` }
  }
  if (state === 'connected') {
    const names = accounts.map(({ displayName, username }) => html`<li><bdi>${displayName ?? username}</bdi></li>`)
    return { title: 'Connected', body: html`<p>Connected on ${network}:</p><ul>${names}</ul>${goOn}`, goesTo: next }
  }
  if (state === 'failed') {
    const isDenied = error?.code === 'denied'
    const title = isDenied ? 'Not connected' : 'The connection failed'
    const reason = isDenied ? `You did not allow the access on ${network}.` : error?.message
    return { title, body: html`<p role="alert">${reason}</p><p>To try again, ask for a new link.</p>${goOn}` }
  }
  if (state === 'expired') return EXPIRED
  return { title: 'Not finished yet', body: html`<p>The connection waits for ${network}.</p>` }
}

const CLOSE = html`<p>You can close this page.</p>`

const EXPIRED: PageContent = {
  title: 'This link has expired',
  body: html`<p>A link works for 15 minutes. Ask for a new one.</p>`,
}

export const USED: PageContent = {
  title: 'This link was used already',
  body: html`<p>A link can be opened once, in one browser. Ask for a new one.</p>`,
}

/** Why a link cannot be opened. While nobody has come back from the network, a form begins again in this browser. */
export function usedPage(connection: Pick<ConnectionFlow, 'state' | 'platform'>): PageContent {
  const { state } = connection
  if (state === 'expired') return EXPIRED
  if (state !== 'pending' && state !== 'opened') return USED
  return {
    title: USED.title,
    body: html`<p>It was opened before: by you in another browser, or by a chat or mail program that looks at links.</p>
<p>You can go on here. Then the connection ends in this browser, and in no other.</p>
<form method="post"><button type="submit">Go on to ${nameOf(connection)}</button></form>`,
  }
}

/** Leads a browser that has sent a form to the network. */
export const onwardPage = (connection: Pick<ConnectionFlow, 'platform'>, { href }: URL): PageContent => {
  const title = `Go on to ${nameOf(connection)}`
  return { title, body: html`<p><a href="${href}">${title}</a></p>`, goesTo: href }
}

export const UNKNOWN: PageContent = {
  title: 'This link leads nowhere',
  body: html`<p>It is incomplete, was cancelled, or is more than a day old. Ask for a new one.</p>`,
}

export const OTHER_BROWSER: PageContent = {
  title: 'Please use the other browser',
  body: html`<p>This connection was begun in another browser, or this browser blocks cookies. Nothing was connected here.</p><p>Go on in the other browser, or ask for a new link and stay in one browser.</p>`,
}

export const MANUAL: PageContent = {
  title: 'Copy the address of this page',
  body: html`<p>Paste the whole address where the connection was begun. Nothing is connected until then.</p>`,
}

export const unreachablePage = (message: string): PageContent => ({
  title: 'The network cannot be reached',
  body: html`<p role="alert">${message}</p><p>Open the link again in a while.</p>`,
})
