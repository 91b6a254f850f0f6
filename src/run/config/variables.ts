import { type Static, Type } from '@sinclair/typebox'
import { APP_VARIABLES, type AppVariables } from './apps.ts'

const retention = (options: { default: string; description: string }) =>
  Type.String({ format: 'retention', ...options })

const oneOf = <const T extends string>(values: T[], options: { default: T; description: string }) =>
  Type.Unsafe<T>({ type: 'string', enum: values, ...options })

/**
 * Every variable of the environment, in the order of the README. `make readme` writes the README's table and
 * `.env.example` from it. The formats are in formats.ts. Errors do not quote the value of a `writeOnly` variable: it is
 * a secret.
 */
export const VARIABLES = Type.Object({
  HOST: Type.String({ default: '127.0.0.1', description: 'Address to listen on; `0.0.0.0` for all.' }),
  PORT: Type.Integer({
    default: 3000,
    minimum: 0,
    maximum: 65_535,
    description: 'Port to listen on; `0` for any free one.',
  }),
  PUBLIC_URL: Type.Optional(
    Type.String({
      format: 'public-url',
      description:
        '[Public address](src/features/connections/README.md), such as `https://postroom.example.com`; also for [files](src/features/media/README.md#how-networks-fetch-files).',
    }),
  ),
  METRICS_PORT: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 65_535,
      description: 'Port that serves the [metrics](src/run/runtime/README.md#metrics) alone, of `serve` or `worker`.',
    }),
  ),
  DATABASE_URL: Type.Optional(
    Type.String({
      format: 'postgres-url',
      writeOnly: true,
      description:
        '`postgres://user:password@host:5432/database`, also with [TLS](db/README.md#tls-and-a-database-that-is-far-away). Unset: the embedded one.',
    }),
  ),
  PGPASSWORD: Type.Optional(
    Type.String({
      writeOnly: true,
      description:
        'Password of the database, if `DATABASE_URL` has none. There, `@ / # ? %` of a password must be percent-encoded.',
    }),
  ),
  DATABASE_POOL_MAX: Type.Integer({
    default: 10,
    minimum: 1,
    maximum: 1_000,
    description:
      'Connections to the database per process, at most. The requests of one user use all but one, or three quarters while other users have requests; those without a key, a quarter.',
  }),
  DATABASE_PREPARED_STATEMENTS: oneOf(['on', 'off'], {
    default: 'on',
    description: '`off` behind a pooler that cannot pass on named statements, such as PgBouncer before 1.21.',
  }),
  CONSOLE: oneOf(['on', 'off'], { default: 'on', description: '`off` does not serve the page at `/console`.' }),
  DATA_DIR: Type.String({ default: '.data', description: 'Folder of the embedded database.' }),
  CREDENTIALS_KEY: Type.Optional(
    Type.String({
      format: 'credentials-keys',
      writeOnly: true,
      description:
        '[Key for credentials](src/engine/credentials/README.md): 32 bytes in base64. Several, separated by commas: current first.',
    }),
  ),
  MEDIA_DIR: Type.String({
    default: '.media',
    description: 'Folder of files, shared by all processes. With a bucket: of files on their way in.',
  }),
  MEDIA_MAX_BYTES: Type.Integer({
    default: 1_073_741_824,
    minimum: 1,
    maximum: Number.MAX_SAFE_INTEGER,
    description: 'Largest file that is accepted.',
  }),
  MEDIA_QUOTA: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      description:
        'Bytes that the [files of a user](src/features/media/README.md#quota) may have together. Without it, there is no limit.',
    }),
  ),
  MEDIA_KEEP_METADATA: oneOf(['on', 'off'], {
    default: 'off',
    description:
      '`on` publishes files with their [metadata](src/features/media/README.md#what-networks-get), such as position and serial numbers.',
  }),
  FFMPEG: Type.Optional(
    Type.String({
      description:
        'Path of ffmpeg, with which workers [convert videos](src/features/media/README.md#videos); `off` for none. Default: the one on the `PATH`.',
    }),
  ),
  S3_BUCKET: Type.Optional(
    Type.String({
      description:
        '[Bucket](src/features/media/README.md#where-the-bytes-are) for files instead of `MEDIA_DIR`; it must exist and not be public.',
    }),
  ),
  S3_REGION: Type.String({ default: 'us-east-1', description: 'Region of the bucket.' }),
  S3_ENDPOINT: Type.Optional(
    Type.String({
      format: 's3-endpoint',
      description:
        "Server of the bucket if it is not Amazon's, such as `https://s3.example.com`. Clients are redirected there.",
    }),
  ),
  S3_ACCESS_KEY_ID: Type.Optional(
    Type.String({
      description: 'Needs the next one. Without both, the AWS SDK looks for a role, `AWS_ACCESS_KEY_ID` or a profile.',
    }),
  ),
  S3_SECRET_ACCESS_KEY: Type.Optional(Type.String({ writeOnly: true, description: 'Secret of `S3_ACCESS_KEY_ID`.' })),
  PUBLISH_LATENESS_LIMIT: Type.String({
    default: '24h',
    format: 'duration',
    description: 'A delivery that is due for longer becomes `missed`: a number with `s`, `m`, `h` or `d`.',
  }),
  POST_GAP_WARNING: Type.String({
    default: '15m',
    format: 'gap',
    description:
      'Posts of an account that are closer to each other lead to a warning: a number with `s`, `m`, `h` or `d`, or `off`.',
  }),
  RETENTION_POSTS: retention({
    default: 'off',
    description:
      'Published posts are [removed](db/README.md#how-long-data-is-kept) after this time, such as `365d`. `off` keeps them.',
  }),
  RETENTION_ATTEMPTS: retention({
    default: '90d',
    description: 'How long the history of a finished delivery keeps its attempts. `off` keeps them for ever.',
  }),
  RETENTION_SANDBOX_CALLS: retention({
    default: '30d',
    description: 'How long the sandbox shows what it received. `off` shows it for ever.',
  }),
  RETENTION_UNUSED_MEDIA: retention({
    default: 'off',
    description: 'Files that no post has used for this time are deleted, such as `180d`. `off` keeps them.',
  }),
  EVENTS_RETENTION_DAYS: Type.Integer({
    default: 30,
    minimum: 1,
    maximum: 3_650,
    description: 'For how many days [events](src/features/events/README.md) can be read.',
  }),
  METRICS: oneOf(['off', 'on', 'paid'], {
    default: 'off',
    description:
      '`on` reads [numbers](src/engine/numbers/README.md) of published posts, such as likes. `paid` also reads those that cost money, of X.',
  }),
  RETURN_URLS: Type.Optional(
    Type.String({
      format: 'url-prefixes',
      description:
        'The beginnings that `returnUrl` of a connection may have, such as `https://app.example.com/accounts`, separated by commas.',
    }),
  ),
  ...(APP_VARIABLES as object),
  OUTBOUND_ALLOW: Type.Optional(
    Type.String({
      format: 'outbound-hosts',
      description:
        '[Private hosts](src/run/runtime/README.md#proxies-and-private-hosts) that users may name, such as `social.example.com,10.0.0.0/8`.',
    }),
  ),
  WEBHOOKS_ALLOW_HTTP: oneOf(['on', 'off'], {
    default: 'off',
    description:
      '`on` lets [webhooks](src/features/webhooks/README.md) have `http:` URLs. Private hosts need `OUTBOUND_ALLOW` too.',
  }),
  LOG_LEVEL: oneOf(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], {
    default: 'info',
    description: '`fatal`, `error`, `warn`, `info`, `debug`, `trace` or `silent`.',
  }),
  OTEL_EXPORTER_OTLP_ENDPOINT: Type.Optional(
    Type.String({
      description:
        'Collector of [traces](src/run/runtime/README.md#traces), such as `http://localhost:4318`. Without it, no traces are sent.',
    }),
  ),
  CORS_ORIGINS: Type.Optional(
    Type.String({
      format: 'origins',
      description: 'Origins whose pages may call the API, separated by commas, such as `https://app.example.com`.',
    }),
  ),
  TRUST_PROXY: Type.Optional(
    Type.String({
      format: 'address-ranges',
      description:
        '[Proxies](src/run/runtime/README.md#behind-a-proxy) in front: addresses or ranges such as `10.0.0.0/8`. Limits by address need it.',
    }),
  ),
  RATE_LIMIT_PER_MINUTE: Type.String({
    default: 'off',
    format: 'rate-limit',
    description:
      '[Requests](src/run/runtime/README.md#rate-limits) of an API key to each process, such as `1200`, or `1200,300` to limit writes too. The keys of a user get twice that together.',
  }),
  POSTROOM_URL: Type.Optional(
    Type.String({
      format: 'public-url',
      description:
        'For [`postroom mcp`](src/features/mcp/README.md) alone: address of the service, such as `http://localhost:3000`.',
    }),
  ),
  POSTROOM_KEY: Type.Optional(
    Type.String({
      format: 'api-key',
      writeOnly: true,
      description: 'API key that `postroom mcp` sends to `POSTROOM_URL`.',
    }),
  ),
  BUFFER_API_KEY: Type.Optional(
    Type.String({
      writeOnly: true,
      description: 'For [`postroom import buffer`](src/cli/actions/move/README.md) alone: API key of Buffer.',
    }),
  ),
})

export type Variables = Static<typeof VARIABLES> & AppVariables
