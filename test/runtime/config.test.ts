import ipaddr from 'ipaddr.js'
import t from 'tap'
import { ConfigError, readConfig } from '../../src/run/config/config.ts'
import { collectProblems } from '../helpers/problems.ts'

t.test('without variables, the defaults apply', async (t) => {
  t.strictSame(readConfig({}), {
    host: '127.0.0.1',
    port: 3000,
    publicUrl: undefined,
    metricsPort: undefined,
    databaseUrl: undefined,
    databasePoolMax: 10,
    preparedStatements: true,
    dataDir: `${process.cwd()}/.data`,
    credentialsKeys: undefined,
    mediaDir: `${process.cwd()}/.media`,
    mediaBytesMax: 1_073_741_824,
    mediaQuotaBytes: undefined,
    mediaKeepsMetadata: false,
    ffmpeg: undefined,
    path: undefined,
    s3: undefined,
    publishLatenessMaxMs: 86_400_000,
    postGapMs: 900_000,
    retention: {
      postsMs: null,
      attemptsMs: 90 * 86_400_000,
      sandboxCallsMs: 30 * 86_400_000,
      unusedMediaMs: null,
      eventsMs: 30 * 86_400_000,
    },
    outboundAllow: [],
    postMetrics: 'off',
    webhooksAllowHttp: false,
    ignoredProxies: [],
    logLevel: 'info',
    hasTraces: false,
    servesConsole: true,
    corsOrigins: [],
    trustedProxies: [],
    rateLimits: undefined,
    returnUrls: [],
    oauthApps: { bluesky: { clientId: 'http://localhost', clientSecret: null } },
    isRunByNpm: false,
  })
  t.strictSame(readConfig({ PORT: '', DATABASE_URL: '', LOG_LEVEL: '', CORS_ORIGINS: '' }), readConfig({}))
})

t.test('every variable is read', async (t) => {
  const config = readConfig({
    HOST: '0.0.0.0',
    PORT: '0',
    PUBLIC_URL: 'https://postroom.example.com/',
    METRICS_PORT: '9464',
    DATABASE_URL: 'postgres://u:p@h/d',
    DATABASE_POOL_MAX: '3',
    DATABASE_PREPARED_STATEMENTS: 'off',
    DATA_DIR: '/var/lib/postroom',
    CREDENTIALS_KEY: `${'A'.repeat(43)}=, ${'/'.repeat(42)}8=`,
    MEDIA_DIR: '/var/lib/media',
    MEDIA_QUOTA: '5000',
    MEDIA_KEEP_METADATA: 'on',
    FFMPEG: '/opt/ffmpeg',
    MEDIA_MAX_BYTES: '1000',
    S3_BUCKET: 'postroom',
    S3_REGION: 'eu-central-1',
    S3_ENDPOINT: 'https://s3.example.com',
    S3_ACCESS_KEY_ID: 'id',
    S3_SECRET_ACCESS_KEY: 'secret',
    PUBLISH_LATENESS_LIMIT: '90m',
    RETENTION_POSTS: '365d',
    RETENTION_ATTEMPTS: 'off',
    RETENTION_SANDBOX_CALLS: '48h',
    RETENTION_UNUSED_MEDIA: '180d',
    EVENTS_RETENTION_DAYS: '7',
    OUTBOUND_ALLOW: 'social.example.com:8443, 10.0.0.0/8',
    METRICS: 'paid',
    WEBHOOKS_ALLOW_HTTP: 'on',
    HTTPS_PROXY: 'http://proxy:3128',
    http_proxy: 'http://proxy:3128',
    LOG_LEVEL: 'warn',
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://localhost:4318',
    CORS_ORIGINS: 'https://a.example, http://localhost:5173',
    TRUST_PROXY: '10.0.0.7, 192.168.0.0/16,fd00::/8',
    RATE_LIMIT_PER_MINUTE: '1200,300',
    RETURN_URLS: 'https://a.example/accounts, http://localhost:5173/',
    X_CLIENT_ID: 'x-id',
    X_CLIENT_SECRET: 'x-secret',
    TIKTOK_CLIENT_ID: 'tiktok-key',
    TIKTOK_CLIENT_SECRET: 'tiktok-secret',
    LINKEDIN_CLIENT_ID: 'linkedin-id',
    LINKEDIN_CLIENT_SECRET: 'linkedin-secret',
    FACEBOOK_CLIENT_ID: 'facebook-id',
    FACEBOOK_CLIENT_SECRET: 'facebook-secret',
    INSTAGRAM_CLIENT_ID: 'instagram-id',
    INSTAGRAM_CLIENT_SECRET: 'instagram-secret',
    THREADS_CLIENT_ID: 'threads-id',
    PINTEREST_CLIENT_ID: 'pinterest-id',
    PINTEREST_CLIENT_SECRET: 'pinterest-secret',
    GOOGLE_BUSINESS_CLIENT_ID: 'google-id',
    GOOGLE_BUSINESS_CLIENT_SECRET: 'google-secret',
    REDDIT_CLIENT_ID: 'reddit-id',
    REDDIT_CLIENT_SECRET: 'reddit-secret',
    YOUTUBE_CLIENT_ID: 'youtube-id',
    YOUTUBE_CLIENT_SECRET: 'youtube-secret',
    POST_GAP_WARNING: 'off',
    CONSOLE: 'off',
    BLUESKY_CLIENT_KEY: `${'B'.repeat(43)}=`,
    npm_lifecycle_event: 'postroom',
  })
  t.strictSame(config, {
    host: '0.0.0.0',
    port: 0,
    publicUrl: 'https://postroom.example.com',
    metricsPort: 9464,
    databaseUrl: 'postgres://u:p@h/d',
    databasePoolMax: 3,
    preparedStatements: false,
    dataDir: '/var/lib/postroom',
    credentialsKeys: [Buffer.alloc(32), Buffer.alloc(32, 0xff)],
    mediaDir: '/var/lib/media',
    mediaBytesMax: 1000,
    mediaQuotaBytes: 5000,
    mediaKeepsMetadata: true,
    ffmpeg: '/opt/ffmpeg',
    path: undefined,
    s3: {
      bucket: 'postroom',
      region: 'eu-central-1',
      endpoint: 'https://s3.example.com',
      credentials: { accessKeyId: 'id', secretAccessKey: 'secret' },
    },
    publishLatenessMaxMs: 5_400_000,
    postGapMs: null,
    retention: {
      postsMs: 365 * 86_400_000,
      attemptsMs: null,
      sandboxCallsMs: 2 * 86_400_000,
      unusedMediaMs: 180 * 86_400_000,
      eventsMs: 7 * 86_400_000,
    },
    postMetrics: 'paid',
    webhooksAllowHttp: true,
    outboundAllow: [
      { name: 'social.example.com', port: 8443 },
      { network: ipaddr.parse('10.0.0.0'), bits: 8, port: undefined },
    ],
    ignoredProxies: ['HTTPS_PROXY', 'http_proxy'],
    logLevel: 'warn',
    hasTraces: true,
    servesConsole: false,
    corsOrigins: ['https://a.example', 'http://localhost:5173'],
    trustedProxies: ['10.0.0.7', '192.168.0.0/16', 'fd00::/8'],
    rateLimits: { all: 1200, write: 300 },
    returnUrls: ['https://a.example/accounts', 'http://localhost:5173/'],
    oauthApps: {
      x: { clientId: 'x-id', clientSecret: 'x-secret' },
      linkedin: { clientId: 'linkedin-id', clientSecret: 'linkedin-secret' },
      facebook: { clientId: 'facebook-id', clientSecret: 'facebook-secret' },
      instagram: { clientId: 'instagram-id', clientSecret: 'instagram-secret' },
      threads: { clientId: 'threads-id', clientSecret: null },
      pinterest: { clientId: 'pinterest-id', clientSecret: 'pinterest-secret' },
      google_business: { clientId: 'google-id', clientSecret: 'google-secret' },
      tiktok: { clientId: 'tiktok-key', clientSecret: 'tiktok-secret' },
      reddit: { clientId: 'reddit-id', clientSecret: 'reddit-secret' },
      youtube: { clientId: 'youtube-id', clientSecret: 'youtube-secret' },
      bluesky: {
        clientId: 'https://postroom.example.com/oauth/client-metadata.json',
        clientSecret: `${'B'.repeat(43)}=`,
      },
    },
    isRunByNpm: true,
  })
})

t.test('the client of Bluesky depends on the public address', (t) => {
  const key = Buffer.alloc(32, 1).toString('base64')
  const clientWith = (PUBLIC_URL: string) => readConfig({ PUBLIC_URL, BLUESKY_CLIENT_KEY: key }).oauthApps.bluesky
  const clientId = 'https://postroom.example/oauth/client-metadata.json'
  t.strictSame(clientWith('https://postroom.example/'), { clientId, clientSecret: key })
  const below = 'https://example.com/postroom/oauth/client-metadata.json'
  t.strictSame(clientWith('https://example.com/postroom/'), { clientId: below, clientSecret: key })
  for (const local of ['http://localhost:3000', 'http://127.0.0.1:8080', 'http://[::1]']) {
    t.strictSame(clientWith(local), { clientId: 'http://localhost', clientSecret: null }, local)
  }
  for (const other of ['https://postroom.example:8443', 'http://postroom.example']) {
    t.equal(clientWith(other), undefined, `${other}: no client id may look like this`)
  }
  t.end()
})

t.test('one rate limit holds for all requests and for those that write', async (t) => {
  t.strictSame(readConfig({ RATE_LIMIT_PER_MINUTE: '60' }).rateLimits, { all: 60, write: 60 })
})

t.test('S3_BUCKET alone selects Amazon S3', async (t) => {
  const s3 = { bucket: 'postroom', region: 'us-east-1', endpoint: undefined, credentials: undefined }
  t.strictSame(readConfig({ S3_BUCKET: 'postroom' }).s3, s3)
  t.equal(readConfig({ S3_REGION: 'eu-central-1' }).s3, undefined)
})

t.test('the address of HOST may be in brackets, as in a URL', async (t) => {
  for (const host of ['[::1]', '::1']) t.equal(readConfig({ HOST: host }).host, '::1')
})

t.test('an invalid value is reported with the name of its variable, and without secrets', async (t) => {
  const wrong: Record<string, string>[] = [
    { PORT: 'abc' },
    { PORT: '65536' },
    { PORT: '-1' },
    { PORT: '3000.5' },
    { PUBLIC_URL: 'postroom.example.com' },
    { PUBLIC_URL: 'https://postroom.example.com/api/v1' },
    { PUBLIC_URL: 'https://postroom.example.com/path?' },
    { PUBLIC_URL: 'https://postroom.example.com/path/../other' },
    { PUBLIC_URL: 'https://postroom.example.com//path' },
    { PUBLIC_URL: 'https://user@postroom.example.com' },
    { DATABASE_URL: 'mysql://u:secret@h/d' },
    { DATABASE_URL: 'localhost' },
    { DATABASE_URL: 'postgres://u:secret@h:notaport/d' },
    { DATABASE_POOL_MAX: '0' },
    { DATABASE_PREPARED_STATEMENTS: 'no' },
    { CREDENTIALS_KEY: 'secret' },
    { CREDENTIALS_KEY: `${'A'.repeat(43)}=,secret` },
    { CREDENTIALS_KEY: `${'A'.repeat(43)}=,` },
    { CREDENTIALS_KEY: 'secret'.padEnd(64, '0') },
    { LOG_LEVEL: 'loud' },
    { RATE_LIMIT_PER_MINUTE: '0' },
    { RATE_LIMIT_PER_MINUTE: '300,1200' },
    { RATE_LIMIT_PER_MINUTE: 'none' },
    { MEDIA_MAX_BYTES: '1e9' },
    { MEDIA_MAX_BYTES: '0x10' },
    { PUBLISH_LATENESS_LIMIT: '1 day' },
    { S3_ENDPOINT: 'https://s3.example.com' },
    { S3_ACCESS_KEY_ID: 'a' },
    { S3_SECRET_ACCESS_KEY: 'a' },
    { MEDIA_MAX_BYTES: '0' },
    { S3_ENDPOINT: 's3.example.com', S3_BUCKET: 'a' },
    { S3_ACCESS_KEY_ID: 'a', S3_BUCKET: 'a' },
    { OUTBOUND_ALLOW: '*' },
    { OUTBOUND_ALLOW: 'https://social.example.com' },
    { OUTBOUND_ALLOW: '10.0.0.0/40' },
    { OUTBOUND_ALLOW: 'social.example.com:0' },
    { CORS_ORIGINS: '*' },
    { CORS_ORIGINS: 'https://a.example/path' },
    { CORS_ORIGINS: 'a.example' },
    { TRUST_PROXY: '1' },
    { TRUST_PROXY: 'true' },
    { TRUST_PROXY: 'proxy.example' },
    { TRUST_PROXY: '10.0.0.0/33' },
    { TRUST_PROXY: '10.0.0.0/' },
    { TRUST_PROXY: 'fe80::1%eth0' },
  ]
  const { problems, check } = collectProblems()
  const errorOf = (env: NodeJS.ProcessEnv) => {
    try {
      return readConfig(env)
    } catch (error) {
      return error
    }
  }
  for (const env of wrong) {
    const [name] = Object.keys(env)
    const error = errorOf(env)
    const isRight = error instanceof ConfigError && error.message.startsWith(`${name} must`)
    check(isRight, true, `${name}=${env[name!]} is a ConfigError: ${error}`)
    check(String(error).includes('secret'), false, `${error} shows a secret`)
  }
  t.strictSame(problems, [])
})

t.test('the message says which values are valid, and quotes a value that is no secret', async (t) => {
  const messages: [env: Record<string, string>, message: string][] = [
    [{ PORT: '80 80' }, 'PORT must be a whole number from 0 to 65535, not "80 80"'],
    [{ DATABASE_PREPARED_STATEMENTS: 'no' }, 'DATABASE_PREPARED_STATEMENTS must be one of on, off, not "no"'],
    [{ PUBLISH_LATENESS_LIMIT: '1' }, 'PUBLISH_LATENESS_LIMIT must be like 90s, 30m, 24h or 7d, not "1"'],
    [{ RETENTION_POSTS: '47h' }, 'RETENTION_POSTS must be off, or at least 2d, such as 90d, not "47h"'],
    [{ RETENTION_ATTEMPTS: 'never' }, 'RETENTION_ATTEMPTS must be off, or at least 2d, such as 90d, not "never"'],
    [{ DATABASE_URL: 'h/d' }, 'DATABASE_URL must be like postgres://user:password@host:5432/database'],
    [{ S3_ENDPOINT: 'http://minio' }, 'S3_ENDPOINT must be set together with S3_BUCKET'],
  ]
  for (const [env, message] of messages) t.throws(() => readConfig(env), { message })
})

t.test('a variable that Kubernetes has set for a Service is named with what mends it', async (t) => {
  const message =
    'METRICS_PORT must be a whole number from 0 to 65535, not "tcp://10.43.1.5:9100". Kubernetes has set it for a Service: set enableServiceLinks to false in the spec of the pod'
  t.throws(() => readConfig({ METRICS_PORT: 'tcp://10.43.1.5:9100' }), new ConfigError(message))
})

t.test('a database password that has to be encoded is refused, and no piece of it is shown', async (t) => {
  const messages: string[] = []
  for (const password of [
    'p@ss/w#rd',
    'p/word',
    '1/word',
    'p#word',
    'p?word',
    '1?word',
    'p@ss?word',
    'p%word',
    '/',
    '#@',
  ]) {
    try {
      readConfig({ DATABASE_URL: `postgres://ada:${password}@db.example.com:5432/postroom` })
      messages.push(`${password} is accepted`)
    } catch (error) {
      messages.push((error as Error).message)
    }
  }
  t.strictSame(
    [...new Set(messages)],
    [
      'DATABASE_URL must be like postgres://user:password@host:5432/database; percent-encode @ / # ? % of the password, such as %40 for @; sslmode must be one that PostgreSQL has, or no-verify',
    ],
  )
  for (const url of [
    'postgres://ada:p%40ss%2Fw%23rd@db.example.com:5432/postroom?sslmode=verify-full&sslrootcert=/etc/ca.pem',
    'postgres://ada@/postroom?host=/run/postgresql',
    'postgresql://db.example.com/postroom',
    'postgres://ada:p:w$rd&x=y@[::1]:5432/postroom',
  ]) {
    t.equal(readConfig({ DATABASE_URL: url }).databaseUrl, url)
  }
})
