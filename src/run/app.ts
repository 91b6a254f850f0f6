import { randomUUID } from 'node:crypto'
import cors, { type FastifyCorsOptions } from '@fastify/cors'
import Fastify, { type FastifyInstance, type FastifyServerOptions, LogController } from 'fastify'
import { withDatabaseBudget } from '../../db/budget.ts'
import { budgetOf, connect } from '../../db/client.ts'
import { sandboxStore } from '../../db/queries/sandbox.ts'
import { listTags } from '../../schemas/document.ts'
import { handleErrors, sendError } from '../base/http/errors.ts'
import { openapi } from '../base/http/openapi.ts'
import { collectPaths } from '../base/http/paths.ts'
import { limitPipelining } from '../base/http/pipelining.ts'
import { sendClientError } from '../base/http/protocol-errors.ts'
import { queryEncoding } from '../base/http/query-encoding.ts'
import { type RateLimits, rateLimits } from '../base/http/rate-limits.ts'
import { requests, requireStorablePath } from '../base/http/requests.ts'
import { serializerCompiler } from '../base/http/serialization.ts'
import { requestIdsOf, trustProxies } from '../base/http/trusted-proxies.ts'
import { validatorCompiler } from '../base/http/validation.ts'
import type { Log } from '../base/log.ts'
import { createPublicClient } from '../base/outbound/client.ts'
import { folderStorage } from '../base/storage/folder.ts'
import { DELETE_MEDIA } from '../engine/delivery/machine.ts'
import type { MetricsMode } from '../engine/numbers/mode.ts'
import { publicAvatars } from '../features/accounts/avatar.ts'
import { accounts } from '../features/accounts/plugin.ts'
import { createNoteFailedKey } from '../features/auth/failed-keys.ts'
import { keys } from '../features/auth/keys.ts'
import { connectedApps } from '../features/auth/oauth/connected-apps.ts'
import { consent } from '../features/auth/oauth/consent.ts'
import { oauth } from '../features/auth/oauth/plugin.ts'
import { auth } from '../features/auth/plugin.ts'
import { scopes } from '../features/auth/scopes.ts'
import { renderNetworkTables } from '../features/catalogue/network-tables.ts'
import { catalogue } from '../features/catalogue/plugin.ts'
import { clientMetadataDocument } from '../features/connections/client-metadata.ts'
import type { ConnectionContext } from '../features/connections/context.ts'
import { metaCallbacks } from '../features/connections/meta/plugin.ts'
import { connectPages } from '../features/connections/pages.ts'
import { connections } from '../features/connections/plugin.ts'
import { consolePage } from '../features/console/plugin.ts'
import { deliveryMetrics } from '../features/deliveries/metrics-plugin.ts'
import { deliveries } from '../features/deliveries/plugin.ts'
import { docs } from '../features/docs/plugin.ts'
import { events } from '../features/events/plugin.ts'
import { mcp } from '../features/mcp/plugin.ts'
import { createAvatars } from '../features/media/avatar.ts'
import { createFetchFile } from '../features/media/fetch.ts'
import { fileAddress } from '../features/media/file-address.ts'
import { type MediaFiles, media } from '../features/media/plugin.ts'
import { publicFiles } from '../features/media/public-files.ts'
import { previewAddress, publicPreviews } from '../features/media/public-previews.ts'
import { publishedFiles } from '../features/media/published-files.ts'
import { makeRenditions as makeMissing } from '../features/media/renditions.ts'
import { publicUploads } from '../features/media/uploads/public.ts'
import type { MakeRenditions } from '../features/posts/fit.ts'
import type { FileAddresses } from '../features/posts/list.ts'
import { posts } from '../features/posts/plugin.ts'
import { sandbox } from '../features/sandbox/plugin.ts'
import { tenants } from '../features/tenants/plugin.ts'
import type { WebhookContext } from '../features/webhooks/context.ts'
import { webhooks } from '../features/webhooks/plugin.ts'
import { createNetworks, type Networks } from '../platforms/adapters.ts'
import { dependencyChecks } from './health/dependencies.ts'
import { health } from './health/plugin.ts'
import { createHealth, DEPENDENCIES, type Health } from './health/problems.ts'
import { requireSchema } from './health/require-schema.ts'
import { observeDependencies } from './metrics/dependencies.ts'
import { createMetrics, type Metrics } from './metrics/metrics.ts'
import { requestMetrics } from './metrics/requests.ts'

export interface AppOptions extends Omit<ConnectionContext, 'avatars'> {
  logger: NonNullable<FastifyServerOptions['logger']>
  /** Origins whose pages may call the API. */
  corsOrigins: string[]
  /** Addresses and CIDR ranges of the proxies in front of the service; by default none. */
  trustedProxies?: string[]
  /** Undefined means that requests are not limited. */
  rateLimits?: RateLimits | undefined
  /** Storage of files, and the fetch for imports. */
  media: Omit<MediaFiles, 'db'>
  metrics: Metrics
  /** The networks that posts can be published to. */
  networks: Networks
  /** Which URLs webhooks may have. */
  webhookUrls: Pick<WebhookContext, 'allowsHttp' | 'isReachable'>
  /** How close posts of an account may be without a warning. Default: at any distance. */
  postGapMs?: number | null
  /** The database budget of a request, in milliseconds. When it is spent, the response is 503. Default: 1,200. */
  databaseMs?: number | undefined
  /** Which numbers of posts are read; by default none. */
  postMetrics?: MetricsMode
  /** Whether the process is about to end, and must get no new requests. */
  isStopping?: () => boolean
  /** Whether the OpenAPI document and Swagger UI are served. Most tests need neither. */
  servesDocument?: boolean
  /** Whether the console is served. Default: false. */
  servesConsole?: boolean
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Problems of the storage, the credentials key and the space of the database. */
    health: Health
  }
}

/** Builds the service as an application that does not listen yet. */
export async function buildApp({
  logger,
  corsOrigins,
  trustedProxies = [],
  rateLimits: rates,
  media: files,
  metrics,
  webhookUrls,
  postGapMs = null,
  databaseMs = 1_200,
  postMetrics = 'off',
  isStopping = () => false,
  servesDocument = true,
  servesConsole = false,
  ...given
}: AppOptions): Promise<FastifyInstance> {
  const { db } = given
  const makeRenditions: MakeRenditions = (userId, wanted) => makeMissing({ ...files, db }, userId, wanted)
  const app = createServer(logger, trustedProxies, given.publicUrl)
  const context = { ...given, avatars: createAvatars({ db, ...files, log: app.log as Log }) }

  // Other waits are not part of it.
  app.addHook('onRequest', (_request, _reply, done) => withDatabaseBudget(budgetOf(db, databaseMs), done))
  await app.register(requests)
  await app.register(requestMetrics, metrics)
  const knowsAddresses = trustedProxies.length > 0
  const authOptions = { db, knowsAddresses, noteFailedKey: createNoteFailedKey(rates && knowsAddresses) }
  // Before CORS, which would refuse the preflights of other origins: pages of any origin may connect.
  await app.register(async (programs) => {
    await programs.register(requireSchema, { db })
    await programs.register(oauth, { ...context, ...authOptions })
    await programs.register(consent, { ...context, ...authOptions })
    await programs.register(publicUploads, { ...files, db, keyring: context.keyring })
  })
  const opening = { ...context, openCredentials: context.keyring?.open }
  const time = { now: Date.now, clock: () => null }
  if (corsOrigins.length > 0) await app.register(cors, corsOptions(corsOrigins))
  if (servesDocument) {
    const tags = listTags(renderNetworkTables())
    await app.register(openapi, { tags, publicUrl: given.publicUrl })
    await app.register(docs, { tags })
  }
  if (servesConsole) await app.register(consolePage)
  app.decorate('health', createHealth(dependencyChecks(files, db, context.keyring), app.log))
  observeDependencies(metrics.registry, DEPENDENCIES, app.health.read)
  await app.register(health, { db, metrics, health: app.health, isStopping })
  await app.register(clientMetadataDocument, context)
  await app.register(publicFiles, { storage: publishedFiles({ ...files, db }), keyring: context.keyring })
  await app.register(publicPreviews, { ...files, db, keyring: context.keyring })
  await app.register(publicAvatars, { db, keyring: context.keyring })
  await app.register(
    async (api) => {
      await api.register(auth, { ...authOptions, resource: '/api/v1' })
      if (rates) await api.register(rateLimits, rates)
      await api.register(scopes)
      await api.register(requireSchema, { db })
      await api.register(queryEncoding)
      await api.register(accounts, context)
      await api.register(catalogue, context)
      await api.register(connections, context)
      await api.register(posts, { db, makeRenditions, postGapMs, ...fileAddresses(context) })
      await api.register(deliveries, { ...opening, makeRenditions })
      await api.register(deliveryMetrics, { ...opening, ...time, mode: postMetrics, log: app.log })
      await api.register(events, { db })
      await api.register(media, { ...context, ...files, ended: DELETE_MEDIA })
      await api.register(sandbox, { db })
      await api.register(keys, { db })
      await api.register(connectedApps, { db })
      await api.register(webhooks, { db, keyring: context.keyring, ...webhookUrls })
      await api.register(tenants, { ...context, ...files })
    },
    { prefix: '/api/v1' },
  )
  await app.register(async (agents) => {
    await agents.register(auth, { ...authOptions, resource: '/mcp' })
    // Quotas of their own: the operations that a tool calls are counted like those of other clients.
    if (rates) await agents.register(rateLimits, rates)
    await agents.register(mcp, { publicUrl: context.publicUrl, corsOrigins })
  })
  await app.register(async (pages) => {
    pages.addHook('onRequest', requireStorablePath)
    await pages.register(requireSchema, { db })
    await pages.register(connectPages, context)
    await pages.register(metaCallbacks, context)
  })
  return app
}

/** An application without routes. It speaks HTTP as all of them do. */
function createServer(
  logger: AppOptions['logger'],
  trustedProxies: string[],
  publicUrl: () => string,
): FastifyInstance {
  const trustsProxy = trustedProxies.length > 0 && trustProxies(trustedProxies)
  const app: FastifyInstance = Fastify({
    logger,
    logController: new LogController({ disableRequestLogging: true }),
    trustProxy: trustsProxy,
    genReqId: trustsProxy ? requestIdsOf(trustsProxy) : () => randomUUID(),
    // A child logger per request costs more than its log line. Log calls pass `reqId` instead.
    childLoggerFactory: (logger) => logger,
    bodyLimit: 1024 * 1024,
    routerOptions: { maxParamLength: 16 * 1024 },
    requestTimeout: 10_000,
    return503OnClosing: false,
    http: { headersTimeout: 5_000, connectionsCheckingInterval: 1_000, requireHostHeader: false },
    clientErrorHandler: sendClientError,
    frameworkErrors: sendError,
    rewriteUrl: ({ method = '', url = '' }) => app.paths.rewrite(method, url),
  })
  app.decorate('paths', collectPaths(app, publicUrl))
  app.setValidatorCompiler(validatorCompiler)
  app.setSerializerCompiler(serializerCompiler)
  handleErrors(app)
  limitPipelining(app.server)
  return app
}

/** Addresses under which anybody can read a stored file, and its preview; null without a key to sign them. */
const fileAddresses = ({ keyring, publicUrl }: Pick<AppOptions, 'keyring' | 'publicUrl'>): FileAddresses => ({
  addressOf: (file) => (keyring ? fileAddress(publicUrl(), keyring, file).href : null),
  previewOf: (file) => (keyring ? previewAddress(publicUrl(), keyring, file).href : null),
})

const corsOptions = (origin: string[]): FastifyCorsOptions => ({
  origin,
  methods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
  exposedHeaders: [
    'x-request-id',
    'x-error-code',
    'x-error-hint',
    'allow',
    'etag',
    'content-range',
    'content-disposition',
    'idempotent-replayed',
    'www-authenticate',
    'retry-after',
    'ratelimit',
    'ratelimit-policy',
  ],
  // An OPTIONS request that is no preflight gets our response to unknown routes, not the plain text of the plugin.
  strictPreflight: false,
})

/** Builds the OpenAPI document. It needs no port and no database. */
export async function buildDocument(): Promise<object> {
  const db = connect({ url: 'postgresql://' })
  const client = createPublicClient()
  const files = { storage: folderStorage('.'), incomingDir: '.', bytesMax: 0, fetchFile: createFetchFile(client) }
  const app = await buildApp({
    db,
    logger: false,
    corsOrigins: [],
    media: files,
    metrics: createMetrics({ db, pool: 'api', freshMs: 0 }),
    networks: createNetworks(sandboxStore(db)),
    webhookUrls: { allowsHttp: false, isReachable: client.isReachable },
    keyring: undefined,
    fetch: client.fetch,
    publicUrl: () => '',
    returnUrls: [],
    oauthApps: {},
  })
  await app.ready()
  const document = app.swagger()
  await app.close()
  await db.destroy()
  return document
}
