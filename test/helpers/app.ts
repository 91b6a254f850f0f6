import { randomBytes } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FastifyInstance, FastifyServerOptions } from 'fastify'
import { connect, type Db } from '../../db/client.ts'
import { newId } from '../../db/id.ts'
import { insertAccount } from '../../db/queries/accounts.ts'
import { replaceCredentials } from '../../db/queries/credentials.ts'
import { insertMedia, type NewMedia } from '../../db/queries/media.ts'
import { insertOrganization, insertUser, upsertMembership } from '../../db/queries/people.ts'
import { sandboxStore } from '../../db/queries/sandbox.ts'
import * as operations from '../../schemas/operations/index.ts'
import type { PlatformId } from '../../schemas/platform.ts'
import { createKeyring, type Keyring } from '../../src/base/keyring/keyring.ts'
import { createPublicClient } from '../../src/base/outbound/client.ts'
import { folderStorage } from '../../src/base/storage/folder.ts'
import { createKey } from '../../src/features/auth/create-key.ts'
import { createFetchFile } from '../../src/features/media/fetch.ts'
import type { MediaFiles } from '../../src/features/media/plugin.ts'
import { createNetworks, type Networks } from '../../src/platforms/adapters.ts'
import type { Credentials } from '../../src/platforms/contract/io.ts'
import { type AppOptions, buildApp } from '../../src/run/app.ts'
import { createMetrics } from '../../src/run/metrics/metrics.ts'
import { createDatabase, type Teardown } from './database.ts'
import { recorded, recordSecrets, recordSecretsOf } from './log-record.ts'

/** The options that connecting accounts needs. */
type NetworkOptions =
  | 'networks'
  | 'keyring'
  | 'fetch'
  | 'metrics'
  | 'publicUrl'
  | 'returnUrls'
  | 'oauthApps'
  | 'webhookUrls'

export interface World extends Pick<AppOptions, Exclude<NetworkOptions, 'keyring'>> {
  app: FastifyInstance
  keyring: Keyring
  db: Db
  databaseUrl: string
  /** The folder of stored files. */
  mediaDir: string
  /** Creates a user with an API key. */
  user(name?: string): Promise<Person>
  /** Creates an organisation whose members have the role `member`. */
  organization(...members: Person[]): Promise<string>
  /** Adds admins to an organisation, or gives the role to members. */
  promote(organizationId: string, ...people: Person[]): Promise<void>
}

export interface Person {
  id: string
  key: string
  /** Sends a request with the person's key. */
  call(method: Method, path: string, body?: unknown, headers?: Record<string, string>): Promise<Reply>
  /** Adds an account that the person owns, and returns its id. Without credentials, it is not connected. */
  account(
    platform?: PlatformId,
    options?: { username?: string; organizationId?: string; credentials?: Credentials; externalId?: string },
  ): Promise<string>
  /** Adds media without a file, and returns its id. */
  media(facts?: Partial<NewMedia>): Promise<string>
}

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

export interface Reply {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape
  body: any
  headers: Record<string, unknown>
}

export interface Options
  extends Partial<
    Pick<
      AppOptions,
      | 'databaseMs'
      | 'fetch'
      | 'servesConsole'
      | 'servesDocument'
      | 'trustedProxies'
      | 'rateLimits'
      | 'publicUrl'
      | 'returnUrls'
      | 'oauthApps'
      | 'webhookUrls'
      | 'postGapMs'
      | 'postMetrics'
    >
  > {
  /** In place of the real adapters. */
  networks?: Partial<Networks> | ((db: Db) => Partial<Networks>)
  keyring?: Keyring | undefined
  logger?: FastifyServerOptions['logger']
  corsOrigins?: string[]
  poolMax?: number
  media?: Partial<Omit<MediaFiles, 'db'>>
}

/** Creates a temporary folder, removed at the end of the calling test. */
export async function createFolder(t: Teardown): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'postroom-media-'))
  // Retries, because the check of the storage, which begins when the service listens, may be writing to it.
  t.teardown(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }))
  return folder
}

/** Options of the service that store files in `folder`, which exists. */
export function mediaOptions(folder: string): Omit<MediaFiles, 'db'> {
  const incomingDir = join(folder, 'incoming')
  if (folder !== '.') mkdirSync(incomingDir, { recursive: true })
  const fetchFile = createFetchFile(createPublicClient({ resolve: async () => [] }))
  return { storage: folderStorage(folder), incomingDir, bytesMax: 2 ** 30, fetchFile }
}

export function newKeyring(): Keyring {
  const key = randomBytes(32)
  recordSecrets('key', key.toString('base64'), key.toString('hex'))
  return createKeyring([key])
}

/** Options of the service for connecting accounts, and its metrics. A call to a network fails. */
export const networkOptions = (db: Db): Pick<World, NetworkOptions> => ({
  networks: createNetworks(sandboxStore(db)),
  keyring: newKeyring(),
  fetch: () => Promise.reject(new Error('the test calls a network, but passes no `fetch`')),
  metrics: createMetrics({ db, pool: 'api', freshMs: 0 }),
  publicUrl: () => 'https://postroom.example',
  returnUrls: [],
  oauthApps: {},
  webhookUrls: { allowsHttp: false, isReachable: async () => true },
})

/** Requests take long on a busy machine. `startService` has the limit of production. */
const DATABASE_MS = 60_000

/** Starts the service in this process, on an empty database that no other test uses. */
export async function createWorld(t: Teardown, { poolMax = 4, ...options }: Options = {}): Promise<World> {
  const databaseUrl = await createDatabase(t)
  const world = await createWorldOn(t, connect({ url: databaseUrl, poolMax }), options)
  return { ...world, databaseUrl }
}

/** Starts the service in this process, on a database that it closes at the end. */
export async function createWorldOn(
  t: Teardown,
  db: Db,
  { logger = false, corsOrigins = [], media = {}, servesDocument = false, ...others }: Omit<Options, 'poolMax'> = {},
): Promise<Omit<World, 'databaseUrl'>> {
  const mediaDir = await createFolder(t)
  const networks = typeof others.networks === 'function' ? others.networks(db) : others.networks
  const options = networkOptions(db)
  const parts = { ...options, ...others, networks: { ...options.networks, ...networks } } as ReturnType<
    typeof networkOptions
  >
  const files = { ...mediaOptions(mediaDir), ...media }
  const app = recordRequests(
    await buildApp({
      db,
      logger: recorded(logger),
      corsOrigins,
      media: files,
      servesDocument,
      databaseMs: DATABASE_MS,
      ...parts,
    }),
  )
  t.teardown(async () => {
    await app.close()
    await db.destroy()
  })

  const user = async (name = 'someone'): Promise<Person> => {
    const id = newId()
    await insertUser(db, { id, name })
    const { key } = await createKey(db, { userId: id, name: null, expiresAt: null })
    return {
      id,
      key,
      call: (method, path, body, headers) => call(app, key, method, path, body, headers),
      account: async (platform = 'bluesky', { username = 'ada', organizationId, credentials, externalId } = {}) => {
        const account = { id: newId(), platform, username, displayName: null, userId: id }
        await insertAccount(db, { ...account, organizationId: organizationId ?? null })
        if (externalId) await db.updateTable('accounts').set({ externalId }).where('id', '=', account.id).execute()
        recordSecretsOf(credentials)
        if (credentials) await replaceCredentials(db, account.id, parts.keyring.seal(account.id, credentials))
        return account.id
      },
      media: async (facts = {}) => {
        const media: NewMedia = {
          id: newId(),
          userId: id,
          mimeType: 'image/jpeg',
          bytes: 100_000,
          width: 1080,
          height: 1080,
          durationSeconds: null,
          ...facts,
        }
        await insertMedia(db, media)
        return media.id
      },
    }
  }

  const organization = async (...members: Person[]) => {
    const organizationId = newId()
    await insertOrganization(db, { id: organizationId, name: 'an organisation' })
    for (const { id } of members) await upsertMembership(db, { userId: id, organizationId, role: 'member' })
    return organizationId
  }

  const promote = async (organizationId: string, ...people: Person[]) => {
    for (const { id } of people) await upsertMembership(db, { userId: id, organizationId, role: 'admin' })
  }

  return { ...parts, app, db, mediaDir, user, organization, promote }
}

/** Records the secrets of the requests that are sent with `app.inject`. Returns the same application. */
export function recordRequests(app: FastifyInstance): FastifyInstance {
  const inject = app.inject.bind(app) as (options: unknown) => ReturnType<FastifyInstance['inject']>
  const recording = (options?: { payload?: unknown }) => {
    recordSecretsOf(options?.payload)
    return inject(options)
  }
  return Object.assign(app, { inject: recording })
}

/** The first segment of the paths below /api/v1. */
const ROOTS = new Set<string | undefined>(
  Object.values(operations).flatMap(({ url, config }) => ('isProbe' in config ? [] : [url.split('/')[1]])),
)

/** Sends a request to the API. A body that is not a string is encoded as JSON. */
export type Transport = (
  app: FastifyInstance,
  key: string | undefined,
  method: Method,
  path: string,
  body?: unknown,
  headers?: Record<string, string>,
) => Promise<Reply>

export const inject: Transport = async (app, key, method, path, body, headers = {}) => {
  const reply = await app.inject({
    method,
    url: ROOTS.has(/^\/([\w-]+)/.exec(path)?.[1]) ? `/api/v1${path}` : path,
    headers: {
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { payload: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  return { status: reply.statusCode, body: reply.payload && reply.json(), headers: reply.headers }
}

let transport = inject

/** Sends all further requests of `call` through another transport. */
export function useTransport(other: Transport): void {
  transport = other
}

export const call: Transport = (...request) => transport(...request)

/** The stored credentials of an account; undefined if it has none. */
export const findCredentials = (db: Db, accountId: string) =>
  db
    .selectFrom('accountCredentials')
    .select(['keyId', 'dataKey', 'data'])
    .where('accountId', '=', accountId)
    .executeTakeFirst()
