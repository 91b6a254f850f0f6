import { createRequire } from 'node:module'
import type { FakeNetwork } from '../networks/fakes/network.ts'

// biome-ignore lint/suspicious/noExplicitAny: the packages are not installed where types are checked
type Package = any

export const requirePackage = (name: string): Package => createRequire(import.meta.url)(name)
export const importPackage = (name: string): Promise<Package> => import(name)

/** A call that reached the fake, with the text of its response. */
export interface Exchange {
  request: { method: string; path: string }
  response: { status: number; text: string }
}

/** A `fetch` that sends calls to the fake, whatever form they have. */
export function fetchOf(fake: Pick<FakeNetwork, 'fetch'>, exchanges: Exchange[] = []): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, init)
    const { method, url } = request
    const response = await fake.fetch(url, {
      method,
      headers: Object.fromEntries(request.headers),
      ...(request.body && { body: await request.arrayBuffer() }),
      redirect: 'manual',
    })
    const { status } = response
    exchanges.push({
      request: { method, path: new URL(url).pathname },
      response: { status, text: await response.clone().text() },
    })
    return response
  }
}

const { fetch } = globalThis
let toFake: typeof globalThis.fetch = fetch

/**
 * Sends the calls of SDKs that use the global `fetch` to the fake. The SDK of X keeps the first `fetch` that it sees.
 */
export function useFetch(fake: Pick<FakeNetwork, 'fetch'>): void {
  toFake = fetchOf(fake)
  // The fake itself calls `fetch` with its address on loopback.
  globalThis.fetch = (input, init) => (String(input).startsWith('http://127.0.0.1:') ? fetch : toFake)(input, init)
}

/** Sends the calls of SDKs that use axios to the fake. */
export function useAxios({ address }: Pick<FakeNetwork, 'address'>): void {
  const axios = requirePackage('axios')
  const send = axios.getAdapter('http')
  axios.defaults.adapter = (config: { url: string; headers: Headers }) => {
    const { host, pathname, search } = new URL(config.url)
    config.headers.set('x-forwarded-host', host)
    return send({ ...config, baseURL: undefined, url: `${address}${pathname}${search}` })
  }
}

/** The error with which a call of an SDK is rejected. */
export const failure = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => undefined,
    (error) => error,
  )
