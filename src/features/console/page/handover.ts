import { BASE, readKey } from './session.ts'

/** Tabs of one service have a channel, whatever else its origin serves. */
const open = () => new BroadcastChannel(`postroom ${BASE}`)

/** How long a new tab waits for the others. Without one, nobody answers. */
const WAIT_MS = 400

const isKey = (data: unknown): data is string => typeof data === 'string' && /^pr_\w+$/.test(data)

/** Gives the key of this tab to new tabs that ask for it, as long as the tab has one. */
export function answerTabs(): () => void {
  const channel = open()
  channel.onmessage = ({ data }) => {
    const key = readKey()
    if (data === 'key?' && key) channel.postMessage(key)
  }
  return () => channel.close()
}

/**
 * The key of the other tabs; undefined without one, or if they have several. Browsers do not copy the storage of a tab
 * to one that a link opens. Only pages of the same origin reach the channel, and they could read the storage as well.
 */
export async function askTabs(): Promise<string | undefined> {
  if (hasSignedOut()) return undefined
  const channel = open()
  const keys = new Set<string>()
  channel.onmessage = ({ data }) => isKey(data) && keys.add(data)
  channel.postMessage('key?')
  await new Promise((resolve) => setTimeout(resolve, WAIT_MS))
  channel.close()
  return keys.size === 1 ? [...keys][0] : undefined
}

/** Notes in the history of this tab, which a reload keeps, that its person has signed out. */
export const noteSignOut = () => history.replaceState({ isOut: true }, '')

const hasSignedOut = () => history.state?.isOut === true
