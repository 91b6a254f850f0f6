import { fork } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { lookup } from 'node:dns/promises'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createPublicClient } from '../../src/outbound/client.ts'
import type { Teardown } from '../helpers/database.ts'

/** As the service itself calls networks, but for where they are: name servers need not know loopback. */
export const { fetch: loopbackFetch } = createPublicClient({
  resolve: (name) => lookup(name, { all: true }),
  isAllowed: () => true,
})

const JWT_SECRET = 'the secret of a server that lives for one test'

export interface TestAccount {
  did: string
  /** What blueskyPublishing takes. */
  credentials: { service: string; identifier: string; password: string }
  /** Another app password, by another name than `postroom`. */
  createPassword(name: string): Promise<string>
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
  /** After `kill`, at the same address, with all that was written. */
  restart(): Promise<void>
}

/** A Bluesky PDS, empty, for as long as the test. */
export async function startPds(t: Teardown): Promise<Pds> {
  const directory = await mkdtemp(join(tmpdir(), 'postroom-pds-'))
  t.teardown(() => rm(directory, { recursive: true }))
  const identities = await serve(t, './identities-process.ts', [])
  const start = (port: string) => serve(t, './pds-process.ts', [directory, JWT_SECRET, identities.url, port])
  let server = await start('0')
  const { url } = server
  return {
    url,
    createAccount: (handle) => createAccount(url, handle),
    kill: () => server.kill(),
    async restart() {
      server = await start(new URL(url).port)
    },
  }
}

async function serve(t: Teardown, file: string, args: string[]) {
  const { message, kill } = await runUntilMessage<{ url: string }>(t, file, args)
  if (!message) throw new Error(`${file} did not start`)
  return { url: message.url, kill }
}

/**
 * Runs a file of this folder in a process of its own, gone with the test, until it has sent a message. Gives that;
 * undefined where it has ended without one.
 */
export async function runUntilMessage<Message>(t: Teardown, file: string, args: string[]) {
  const child = fork(new URL(file, import.meta.url), args, {
    // Not those of tap, which do not serve here.
    execArgv: [],
    env: { PATH: process.env.PATH, LOG_ENABLED: 'false' },
  })
  const ended = once(child, 'exit')
  const kill = async () => {
    child.kill('SIGKILL')
    await ended
  }
  t.teardown(kill)
  const message = await Promise.race([
    once(child, 'message').then(([message]) => message as Message),
    ended.then(() => {}),
  ])
  return { message, kill }
}

async function createAccount(service: string, handle: string): Promise<TestAccount> {
  const owner = await call<{ did: string; accessJwt: string }>(service, 'com.atproto.server.createAccount', {
    body: { handle, email: `${handle}@example.com`, password: 'the password of the owner' },
  })
  const { did, accessJwt: token } = owner
  const createPassword = async (name: string) => {
    const answer = call<{ password: string }>(service, 'com.atproto.server.createAppPassword', {
      token,
      body: { name },
    })
    return (await answer).password
  }
  return {
    did,
    credentials: { service, identifier: handle, password: await createPassword('postroom') },
    createPassword,
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

export const POSTS = 'app.bsky.feed.post'

interface Blob {
  ref: { $link: string }
}

interface Image {
  image: Blob
  alt: string
  aspectRatio: { width: number; height: number }
}

interface Facet {
  index: { byteStart: number; byteEnd: number }
  features: [{ $type: string }]
}

/** Of a post or a threadgate, what is looked at here. */
export interface StoredRecord {
  uri: string
  cid: string
  value: {
    text: string
    facets?: Facet[]
    reply?: object
    tags?: string[]
    embed: { $type: string; images: [Image, Image]; items: Image[]; video: Blob; external: object }
    allow: object[]
    post: string
  }
}

/** Everything that stands in a repository under `collection`, oldest key first. */
export async function records(account: TestAccount, collection = POSTS): Promise<StoredRecord[]> {
  const params = { repo: account.did, collection, reverse: 'true' }
  const answer = await account.call<{ records: StoredRecord[] }>('com.atproto.repo.listRecords', { params })
  return answer.records
}

/** The one record that there is. */
export async function onlyRecord(account: TestAccount, collection = POSTS): Promise<StoredRecord> {
  const found = await records(account, collection)
  if (found.length !== 1) throw new Error(`${found.length} records instead of one`)
  return found[0]!
}

export const blobOf = async (account: TestAccount, { ref }: Blob) => {
  const params = new URLSearchParams({ did: account.did, cid: ref.$link })
  const response = await fetch(`${account.credentials.service}/xrpc/com.atproto.sync.getBlob?${params}`)
  return { type: response.headers.get('content-type'), bytes: Buffer.from(await response.arrayBuffer()) }
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
