import { resolve } from 'node:path'
import { parseKey } from '../../base/keyring/keyring.ts'
import { type AllowedHost, parseAllowedHost } from '../../base/outbound/allow-list.ts'
import type { Retention } from '../../features/retention/sweeper.ts'
import { type Apps, readApps } from './apps.ts'
import { ConfigError, durationMs, FORMATS, listItems, optionalMs } from './formats.ts'
import { readVariables } from './read-variables.ts'
import type { Variables } from './variables.ts'

const DAY_MS = 86_400_000

export interface Config {
  host: string
  port: number
  /** The address under which the internet reaches the service, without a slash at its end; undefined if it does not. */
  publicUrl: string | undefined
  /** Undefined means that no port serves the metrics alone. */
  metricsPort: number | undefined
  /** Undefined means the embedded database. */
  databaseUrl: string | undefined
  databasePoolMax: number
  /** Whether to prepare statements under names, which some poolers do not support. */
  preparedStatements: boolean
  /** The folder of the embedded database. */
  dataDir: string
  /** Keys that encrypt credentials, the current key first. Undefined means the key beside the embedded database. */
  credentialsKeys: Buffer[] | undefined
  /** The folder for incoming files, and, without `s3`, for stored ones. */
  mediaDir: string
  mediaBytesMax: number
  /** The limit for all files of a user together. */
  mediaQuotaBytes: number | undefined
  /** Files are published with their metadata. */
  mediaKeepsMetadata: boolean
  /** The path of ffmpeg, or `off`. Undefined: the first one on `path`. */
  ffmpeg: string | undefined
  path: string | undefined
  s3: S3Config | undefined
  /** A delivery that is overdue by more is not sent automatically. */
  publishLatenessMaxMs: number
  /** Posts of an account that are closer lead to a warning; null if none do. */
  postGapMs: number | null
  retention: Retention
  /** Which numbers of published posts are read. */
  postMetrics: 'off' | 'on' | 'paid'
  /** Hosts that users may name although they are not public. */
  outboundAllow: AllowedHost[]
  /** Whether webhooks may have `http:` URLs. */
  webhooksAllowHttp: boolean
  /** Variables that name a proxy for outgoing requests, which this service does not use. */
  ignoredProxies: string[]
  logLevel: string
  hasTraces: boolean
  servesConsole: boolean
  corsOrigins: string[]
  /** Addresses and CIDR ranges of proxies in front of the service. */
  trustedProxies: string[]
  /** How many requests an API key may send in a minute; undefined means any number. */
  rateLimits: { all: number; write: number } | undefined
  /** Allowed beginnings of the `returnUrl` of a connection. */
  returnUrls: string[]
  /** Apps that are registered with networks, by the id of the network. */
  oauthApps: Apps
  /** Whether `npm run` is the parent of this process. */
  isRunByNpm: boolean
}

interface S3Config {
  bucket: string
  region: string
  /** Undefined means Amazon S3. */
  endpoint: string | undefined
  /** Undefined means the default credentials of the AWS SDK. */
  credentials: { accessKeyId: string; secretAccessKey: string } | undefined
}

export { ConfigError }

const PROXIES = ['HTTPS_PROXY', 'HTTP_PROXY', 'ALL_PROXY']

/** Reads the configuration from `env`. An empty value counts as unset. Throws a ConfigError that names the variable. */
export function readConfig(env: Record<string, string | undefined>): Config {
  const variables = readVariables(env)
  return {
    // Addresses in URLs have brackets: `[::1]`.
    host: variables.HOST.replace(/^\[(.+)\]$/, '$1'),
    port: variables.PORT,
    publicUrl: variables.PUBLIC_URL?.replace(/\/$/, ''),
    metricsPort: variables.METRICS_PORT,
    databaseUrl: variables.DATABASE_URL,
    databasePoolMax: variables.DATABASE_POOL_MAX,
    preparedStatements: variables.DATABASE_PREPARED_STATEMENTS === 'on',
    dataDir: resolve(variables.DATA_DIR),
    credentialsKeys: variables.CREDENTIALS_KEY?.split(',').map((key) => parseKey(key.trim())!),
    mediaDir: resolve(variables.MEDIA_DIR),
    // No user could keep a larger file, so that none is received.
    mediaBytesMax: Math.min(variables.MEDIA_MAX_BYTES, variables.MEDIA_QUOTA ?? Number.POSITIVE_INFINITY),
    mediaQuotaBytes: variables.MEDIA_QUOTA,
    mediaKeepsMetadata: variables.MEDIA_KEEP_METADATA === 'on',
    ffmpeg: variables.FFMPEG,
    path: env.PATH,
    s3: s3Config(variables),
    publishLatenessMaxMs: durationMs(variables.PUBLISH_LATENESS_LIMIT),
    postGapMs: optionalMs(variables.POST_GAP_WARNING),
    retention: {
      postsMs: optionalMs(variables.RETENTION_POSTS),
      attemptsMs: optionalMs(variables.RETENTION_ATTEMPTS),
      sandboxCallsMs: optionalMs(variables.RETENTION_SANDBOX_CALLS),
      unusedMediaMs: optionalMs(variables.RETENTION_UNUSED_MEDIA),
      eventsMs: variables.EVENTS_RETENTION_DAYS * DAY_MS,
    },
    postMetrics: variables.METRICS,
    outboundAllow: listItems(variables.OUTBOUND_ALLOW).map((item) => parseAllowedHost(item)!),
    webhooksAllowHttp: variables.WEBHOOKS_ALLOW_HTTP === 'on',
    ignoredProxies: PROXIES.flatMap((name) => [name, name.toLowerCase()]).filter((name) => env[name]),
    logLevel: variables.LOG_LEVEL,
    hasTraces: variables.OTEL_EXPORTER_OTLP_ENDPOINT !== undefined,
    servesConsole: variables.CONSOLE === 'on',
    corsOrigins: listItems(variables.CORS_ORIGINS),
    trustedProxies: listItems(variables.TRUST_PROXY),
    rateLimits: rateLimits(variables),
    returnUrls: listItems(variables.RETURN_URLS),
    oauthApps: readApps(variables),
    isRunByNpm: env.npm_lifecycle_event === 'postroom',
  }
}

/**
 * Reads from `env` which service a command is a client of. It needs no other variable. Throws a ConfigError that names
 * the variable.
 */
export function readClientConfig(env: Record<string, string | undefined>): { url: string; key: string } {
  const { POSTROOM_URL, POSTROOM_KEY } = env
  const { POSTROOM_URL: url, POSTROOM_KEY: key } = readVariables({ POSTROOM_URL, POSTROOM_KEY })
  if (!url) throw new ConfigError(`POSTROOM_URL must ${FORMATS['public-url']!.requirement}`)
  if (!key) throw new ConfigError(`POSTROOM_KEY must ${FORMATS['api-key']!.requirement}`)
  return { url: url.replace(/\/$/, ''), key }
}

/** Reads the key for Buffer from `env`. Throws a ConfigError that names the variable. */
export function readBufferKey({ BUFFER_API_KEY }: Record<string, string | undefined>): string {
  const { BUFFER_API_KEY: key } = readVariables({ BUFFER_API_KEY })
  if (!key) throw new ConfigError('BUFFER_API_KEY must be an API key of Buffer')
  return key
}

function s3Config(variables: Variables): S3Config | undefined {
  const { S3_BUCKET: bucket, S3_REGION: region, S3_ENDPOINT: endpoint } = variables
  const { S3_ACCESS_KEY_ID: accessKeyId, S3_SECRET_ACCESS_KEY: secretAccessKey } = variables
  if (!bucket) {
    const [lone] = Object.entries({
      S3_ENDPOINT: endpoint,
      S3_ACCESS_KEY_ID: accessKeyId,
      S3_SECRET_ACCESS_KEY: secretAccessKey,
    })
      .filter(([, value]) => value)
      .map(([name]) => name)
    if (lone) throw new ConfigError(`${lone} must be set together with S3_BUCKET`)
    return undefined
  }
  if (!accessKeyId !== !secretAccessKey) {
    throw new ConfigError('S3_ACCESS_KEY_ID must be set together with S3_SECRET_ACCESS_KEY')
  }
  const credentials = accessKeyId && secretAccessKey ? { accessKeyId, secretAccessKey } : undefined
  return { bucket, region, endpoint, credentials }
}

function rateLimits({ RATE_LIMIT_PER_MINUTE: text }: Variables): Config['rateLimits'] {
  if (text === 'off') return undefined
  const [all = 0, write = all] = listItems(text).map(Number)
  return { all, write }
}
