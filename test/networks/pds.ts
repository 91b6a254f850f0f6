import { fork } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Teardown } from '../helpers/database.ts'

const JWT_SECRET = 'the secret of a server that lives for one test'

export interface TestAccount {
  did: string
  /** What blueskyPublishing takes. */
  credentials: { service: string; identifier: string; password: string }
  /** Calls the PDS as the account's owner: POST where there is a body. Throws where it is refused. */
  call<T>(method: string, options?: { params?: Record<string, string>; body?: object }): Promise<T>
  /** An access token that the PDS gave out yesterday. */
  expiredToken(): string
}

export interface Pds {
  url: string
  /** With an app password, by a handle such as `alice-1.test`: many words alone are reserved. */
  createAccount(handle: string): Promise<TestAccount>
  /** As a power cut would. */
  kill(): Promise<void>
}

/** A Bluesky PDS, empty, for as long as the test. */
export async function startPds(t: Teardown): Promise<Pds> {
  const directory = await mkdtemp(join(tmpdir(), 'postroom-pds-'))
  const child = fork(new URL('./pds-process.ts', import.meta.url), [directory, JWT_SECRET], {
    // Not those of tap, which do not serve here.
    execArgv: [],
    env: { PATH: process.env.PATH, LOG_ENABLED: 'false' },
  })
  const ended = once(child, 'exit')
  const kill = async () => {
    child.kill('SIGKILL')
    await ended
  }
  t.teardown(async () => {
    await kill()
    await rm(directory, { recursive: true })
  })
  const [first] = await Promise.race([once(child, 'message'), ended])
  if (!first?.url) throw new Error('the PDS did not start')
  const { url } = first as { url: string }
  return { url, createAccount: (handle) => createAccount(url, handle), kill }
}

async function createAccount(service: string, handle: string): Promise<TestAccount> {
  const owner = await call<{ did: string; accessJwt: string }>(service, 'com.atproto.server.createAccount', {
    body: { handle, email: `${handle}@example.com`, password: 'the password of the owner' },
  })
  const { did, accessJwt: token } = owner
  const { password } = await call<{ password: string }>(service, 'com.atproto.server.createAppPassword', {
    token,
    body: { name: 'postroom' },
  })
  return {
    did,
    credentials: { service, identifier: handle, password },
    call: (method, options) => call(service, method, { token, ...options }),
    expiredToken: () => {
      const now = Math.floor(Date.now() / 1000)
      const { aud } = JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString())
      const parts = [
        { typ: 'at+jwt', alg: 'HS256' },
        { scope: 'com.atproto.appPass', sub: did, aud, iat: now - 86_400, exp: now - 79_200 },
      ].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
      return [...parts, createHmac('sha256', JWT_SECRET).update(parts.join('.')).digest('base64url')].join('.')
    },
  }
}

interface CallOptions {
  token?: string
  params?: Record<string, string>
  body?: object
}

async function call<T>(service: string, method: string, { token, params, body }: CallOptions): Promise<T> {
  const response = await fetch(`${service}/xrpc/${method}?${new URLSearchParams(params)}`, {
    method: body ? 'POST' : 'GET',
    headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
    ...(body && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${method}: ${response.status} ${text}`)
  return (text && JSON.parse(text)) as T
}
