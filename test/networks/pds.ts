import { fork } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { lookup } from 'node:dns/promises'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createPublicClient } from '../../src/base/outbound/client.ts'
import type { Teardown } from '../helpers/database.ts'
import { freePorts } from '../helpers/ports.ts'

/** The service's own client for networks, which may call the loopback address here. */
export const { fetch: loopbackFetch } = createPublicClient({
  resolve: (name) => lookup(name, { all: true }),
  isAllowed: () => true,
})

const JWT_SECRET = 'the secret of a server of one test'

export interface TestAccount {
  did: string
  /** Credentials for connecting the account. */
  credentials: { service: string; identifier: string; password: string }
  /** Creates another app password. The name `postroom` is in use. */
  createPassword(name: string): Promise<string>
  /** Calls the PDS as the account's owner, with POST if there is a body. Throws at an error. */
  call<T>(method: string, options?: { params?: Record<string, string>; body?: object }): Promise<T>
  /** An access token of the PDS that expired yesterday. */
  expiredToken(): string
}

export const PASSWORD = 'the password of the owner'

/** The public address of Postroom for the server, which calls `clientAddress` instead. Its name exists nowhere. */
export const CLIENT_URL = 'https://postroom.alt'

export interface Pds {
  url: string
  /** The client of the service. Calls to the directory of identities and to Bluesky's public API reach this machine. */
  fetch: typeof fetch
  /**
   * Creates an account with an app password. Handles need a form like `alice-1.test`: many plain words are reserved.
   */
  createAccount(handle: string): Promise<TestAccount>
  /** Kills the server, as a power cut would. */
  kill(): Promise<void>
  /** Starts it again after `kill`, at the same address, with its data. */
  restart(): Promise<void>
}

/** Starts an empty Bluesky PDS, until the end of the calling test. */
export async function startPds(t: Teardown, { clientAddress = '' } = {}): Promise<Pds> {
  const directory = await mkdtemp(join(tmpdir(), 'postroom-pds-'))
  t.teardown(() => rm(directory, { recursive: true }))
  const identities = await serve(t, './identities-process.ts', [])
  const start = (port: string) =>
    serve(t, './pds-process.ts', [directory, JWT_SECRET, identities.url, port, CLIENT_URL, clientAddress])
  // A port that no other process gets while the server is down.
  const port = String((await freePorts(1))[0])
  let server = await start(port)
  const { url } = server
  const places: Record<string, string> = { 'https://plc.directory': identities.url, 'https://public.api.bsky.app': url }
  return {
    url,
    fetch: (input, init) => {
      const { origin, pathname, search } = new URL(String(input))
      return loopbackFetch(`${places[origin] ?? origin}${pathname}${search}`, init)
    },
    createAccount: (handle) => createAccount(url, handle),
    kill: () => server.kill(),
    async restart() {
      server = await start(port)
    },
  }
}

async function serve(t: Teardown, file: string, args: string[]) {
  const { message, kill } = await runUntilMessage<{ url: string }>(t, file, args)
  if (!message) throw new Error(`${file} ended before it was ready`)
  return { url: message.url, kill }
}

/** A process loads a few hundred packages before it is ready, which takes long on a busy machine. */
const FIRST_MESSAGE_MAX_MS = 300_000

/**
 * Runs a file of this folder in a process of its own, until the end of the calling test. Returns its first message, or
 * undefined if it ended before. Throws if neither happens in time.
 */
export async function runUntilMessage<Message>(t: Teardown, file: string, args: string[]) {
  const child = fork(new URL(file, import.meta.url), args, {
    // Drops tap's loader, which is for test files.
    execArgv: [],
    env: { PATH: process.env.PATH, LOG_ENABLED: 'false' },
  })
  const ended = once(child, 'exit')
  const kill = async () => {
    child.kill('SIGKILL')
    await ended
  }
  t.teardown(kill)
  const timeout = new AbortController()
  const expired = sleep(FIRST_MESSAGE_MAX_MS, undefined, timeout).then(() => {
    throw new Error(`${file} has sent no message and not ended within ${FIRST_MESSAGE_MAX_MS} ms`)
  })
  // Rejected when it is aborted, after the race.
  expired.catch(() => {})
  const message = await Promise.race([
    once(child, 'message').then(([message]) => message as Message),
    ended.then(() => {}),
    expired,
  ])
  timeout.abort()
  return { message, kill }
}

async function createAccount(service: string, handle: string): Promise<TestAccount> {
  const owner = await call<{ did: string; accessJwt: string }>(service, 'com.atproto.server.createAccount', {
    body: { handle, email: `${handle}@example.com`, password: PASSWORD },
  })
  const { did, accessJwt: token } = owner
  const createPassword = async (name: string) => {
    const response = call<{ password: string }>(service, 'com.atproto.server.createAppPassword', {
      token,
      body: { name },
    })
    return (await response).password
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

/** The fields of a post or a threadgate that tests read. */
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

/** All records of a collection, oldest key first. */
export async function records(account: TestAccount, collection = POSTS): Promise<StoredRecord[]> {
  const params = { repo: account.did, collection, reverse: 'true' }
  const response = await account.call<{ records: StoredRecord[] }>('com.atproto.repo.listRecords', { params })
  return response.records
}

/** The only record of a collection. Throws if there are more or none. */
export async function onlyRecord(account: TestAccount, collection = POSTS): Promise<StoredRecord> {
  const found = await records(account, collection)
  if (found.length !== 1) throw new Error(`Expected one record in ${collection}, found ${found.length}`)
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
