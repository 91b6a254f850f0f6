import { resolve } from 'node:path'
import { parseKey } from './credentials/keyring.ts'

export interface Config {
  host: string
  port: number
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
  s3: S3Config | undefined
  /** A delivery that is overdue by more is not sent automatically. */
  publishLatenessMaxMs: number
  logLevel: string
  corsOrigins: string[]
}

export interface S3Config {
  bucket: string
  region: string
  /** Undefined means Amazon S3. */
  endpoint: string | undefined
  /** Undefined means the default credentials of the AWS SDK. */
  credentials: { accessKeyId: string; secretAccessKey: string } | undefined
}

/** A variable of the environment has an invalid value. */
export class ConfigError extends Error {}

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']

/** Reads the configuration from `env`. An empty value counts as unset. Throws a ConfigError that names the variable. */
export function readConfig(env: Record<string, string | undefined>): Config {
  return {
    host: env.HOST || '127.0.0.1',
    port: readInteger(env, 'PORT', 3000, 0, 65_535),
    databaseUrl: readDatabaseUrl(env.DATABASE_URL || undefined),
    databasePoolMax: readInteger(env, 'DATABASE_POOL_MAX', 10, 1, 1_000),
    preparedStatements: readOneOf(env, 'DATABASE_PREPARED_STATEMENTS', 'on', ['on', 'off']) === 'on',
    dataDir: resolve(env.DATA_DIR || '.data'),
    credentialsKeys: env.CREDENTIALS_KEY ? readKeys(env.CREDENTIALS_KEY) : undefined,
    mediaDir: resolve(env.MEDIA_DIR || '.media'),
    mediaBytesMax: readInteger(env, 'MEDIA_MAX_BYTES', 1073741824, 1, Number.MAX_SAFE_INTEGER),
    s3: readS3Config(env),
    publishLatenessMaxMs: readDuration(env, 'PUBLISH_LATENESS_LIMIT', '24h'),
    logLevel: readOneOf(env, 'LOG_LEVEL', 'info', LOG_LEVELS),
    corsOrigins: (env.CORS_ORIGINS ?? '')
      .split(',')
      .map((origin) => origin.trim())
      .filter(Boolean)
      .map(readOrigin),
  }
}

function readInteger(
  env: Record<string, string | undefined>,
  name: string,
  fallback: number,
  min: number,
  max: number,
) {
  const text = env[name] || String(fallback)
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN
  if (!(value >= min && value <= max)) {
    throw new ConfigError(`${name} must be a whole number from ${min} to ${max}, not "${text}"`)
  }
  return value
}

const UNITS_MS: Record<string, number> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

function readDuration(env: Record<string, string | undefined>, name: string, fallback: string): number {
  const text = env[name] || fallback
  const [, count, unit] = /^([1-9]\d{0,5})([smhd])$/.exec(text) ?? []
  if (!count || !unit) throw new ConfigError(`${name} must be like 90s, 30m, 24h or 7d, not "${text}"`)
  return Number(count) * UNITS_MS[unit]!
}

function readOneOf(env: Record<string, string | undefined>, name: string, fallback: string, values: string[]) {
  const value = env[name] || fallback
  if (!values.includes(value)) throw new ConfigError(`${name} must be one of ${values.join(', ')}, not "${value}"`)
  return value
}

/** Errors do not quote the URL: it may contain a password. */
function readDatabaseUrl(url: string | undefined): string | undefined {
  if (url === undefined) return undefined
  if (!/^postgres(?:ql)?:\/\//.test(url)) {
    throw new ConfigError('DATABASE_URL must begin with postgres:// or postgresql://')
  }
  // A user without a host (postgres://me@/db?host=/run/postgresql) is common, although it is not a standard URL.
  if (!URL.canParse(url.replace('@/', '@localhost/'))) {
    throw new ConfigError('DATABASE_URL must be like postgres://user:password@host:5432/database')
  }
  return url
}

/** Errors do not quote the keys. */
function readKeys(text: string): Buffer[] {
  return text.split(',').map((part) => {
    const key = parseKey(part.trim())
    if (!key) {
      throw new ConfigError(
        'CREDENTIALS_KEY must be 32 bytes in base64, as `openssl rand -base64 32` prints them, or several such keys, separated by commas',
      )
    }
    return key
  })
}

function readS3Config(env: Record<string, string | undefined>): S3Config | undefined {
  const bucket = env.S3_BUCKET
  if (!bucket) return undefined
  const endpoint = env.S3_ENDPOINT || undefined
  if (endpoint && !/^https?:\/\//.test(endpoint)) {
    throw new ConfigError(`S3_ENDPOINT must be like https://s3.example.com, not "${endpoint}"`)
  }
  const accessKeyId = env.S3_ACCESS_KEY_ID
  const secretAccessKey = env.S3_SECRET_ACCESS_KEY
  if (!accessKeyId !== !secretAccessKey) {
    throw new ConfigError('S3_ACCESS_KEY_ID must be set together with S3_SECRET_ACCESS_KEY')
  }
  const credentials = accessKeyId && secretAccessKey ? { accessKeyId, secretAccessKey } : undefined
  return { bucket, region: env.S3_REGION || 'us-east-1', endpoint, credentials }
}

function readOrigin(text: string) {
  const origin = URL.canParse(text) ? new URL(text).origin : undefined
  if (origin !== text) {
    throw new ConfigError(
      `CORS_ORIGINS must be origins such as https://app.example.com, separated by commas, not "${text}"`,
    )
  }
  return origin
}
