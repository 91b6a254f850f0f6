import { useEffect, useRef, useState } from 'preact/hooks'
import type { Account, ConnectAccount, Platform } from '../../../../clients/sdk/index.ts'
import { useAction } from '../hooks.ts'
import { html } from '../html.ts'
import { say, sayElements, sentences } from '../language.ts'
import { Problem } from '../problem.ts'
import { useSession } from '../session.ts'
import { toWords } from '../words.ts'

const words = sentences.pages.connect

/** The states of a connection for which a person is still busy in the window. */
const UNFINISHED: readonly string[] = ['pending', 'opened', 'choosing']

/** How many failed requests in a row a person who consents may outlast. */
const POLL_RETRIES = 8

interface ConnectProps {
  platform: Platform
  account?: Account
  onEnd: () => void
}

type Choice = Omit<ConnectProps, 'platform'> & { platform?: Platform; onChoose: (platform: string) => void }

/** Connects an account of a network, which is asked for where it is not known. */
export function Connect({ platform, onChoose, ...props }: Choice) {
  const { platforms } = useSession()
  const methods = platform?.connect.map(({ method }) => method) ?? []
  const title = platform ? say(words.title, { network: platform.name }) : sentences.pages.accounts.connect
  // The button that has opened it may be far below.
  const section = useRef<HTMLElement>(null)
  useEffect(() => section.current?.querySelector<HTMLElement>('form input, form button, .buttons button')?.focus(), [])
  return html`<section ref=${section} class="card" aria-label=${title}>
    <div class="bar"><h2>${title}</h2><button type="button" onClick=${props.onEnd}>${sentences.shared.actions.close}</button></div>
    ${!platform && html`<div class="buttons">${[...platforms.values()].filter(({ connect }) => connect.length > 0).map(({ id, name }) => html`<button type="button" onClick=${() => onChoose(id)}>${name}</button>`)}</div>`}
    ${methods.includes('oauth') && html`<${Consent} platform=${platform} ...${props} />`}
    ${methods.length > 1 && html`<p class="small">${words.orCredentials}</p>`}
    ${methods.includes('credentials') && html`<${Credentials} platform=${platform} ...${props} />`}
  </section>`
}

/** The way of OAuth: a person consents in a window of the network, and comes back. */
function Consent({ platform, account, onEnd }: ConnectProps) {
  const { client } = useSession()
  const [state, setState] = useState<unknown>()
  // The service refuses `accountId` of an account that was added without credentials.
  const isNew = account?.attention?.code === 'not_connected'
  const hint = platform.connect.find(({ method }) => method === 'oauth')?.hint
  const { run, error, isRunning } = useAction(async (form: HTMLFormElement) => {
    const given = String(new FormData(form).get('hint') ?? '').trim()
    // Opened at once: a window that opens later is blocked.
    const window = open('about:blank', 'connect')
    try {
      const { id, url } = await client.connections.create({
        platform: platform.id,
        ...(given && { hint: given }),
        ...(account && !isNew && { accountId: account.id }),
      })
      if (window) window.location.href = url
      setState(
        sayElements(words.allow, {
          link: html`<a href=${url} target="connect">${say(words.window, { network: platform.name })}</a>`,
        }),
      )
      while (form.isConnected) {
        const connection = await client.connections.get(id, { maxRetries: POLL_RETRIES })
        if (connection.state === 'connected') return onEnd()
        if (!UNFINISHED.includes(connection.state)) {
          return setState(connection.error?.message ?? (connection.state === 'expired' ? words.expired : words.failed))
        }
        await new Promise((resolve) => setTimeout(resolve, 2_000))
      }
    } catch (error) {
      window?.close()
      throw error
    }
  })
  return html`<form onSubmit=${run}>
    ${hint && hint !== 'ignored' && html`<label>${words.hint} <input name="hint" required=${hint === 'required'} /></label>`}
    ${isNew && html`<p class="small">${words.isNew}</p>`}
    <button class="primary" disabled=${isRunning}>${say(words.allowAt, { network: platform.name })}</button>
    ${state && html`<p role="status" dir="auto">${state}</p>`}
    ${error && html`<${Problem} error=${error} />`}
  </form>`
}

/** A field for each of the credentials that the network takes. */
function Credentials({ platform, onEnd }: ConnectProps) {
  const { client } = useSession()
  const schema = platform.connect.find(({ method }) => method === 'credentials')!.credentials as {
    properties: Record<string, { description?: string }>
    required?: string[]
  }
  const { run, error, isRunning } = useAction(async (form: HTMLFormElement) => {
    const entries = [...new FormData(form)].filter(([, value]) => value !== '')
    // The service checks the properties, which differ by network.
    await client.accounts.connect({ platform: platform.id, credentials: Object.fromEntries(entries) } as ConnectAccount)
    onEnd()
  })
  return html`<form onSubmit=${run}>
    ${Object.entries(schema.properties).map(
      ([name, { description }]) => html`<label>${toWords(name)}
        <input name=${name} type=${/password|token|url/i.test(name) ? 'password' : 'text'} autocomplete="off" required=${schema.required?.includes(name)} />
        ${description && html`<span class="small">${description.replaceAll('`', '')}</span>`}
      </label>`,
    )}
    <button class="primary" disabled=${isRunning}>${sentences.pages.accounts.connectThis}</button>
    ${error && html`<${Problem} error=${error} />`}
  </form>`
}
