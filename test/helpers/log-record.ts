import { appendFileSync, openSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Readable } from 'node:stream'
import type { FastifyServerOptions } from 'fastify'
import { pino } from 'pino'
import { SERIALIZERS } from '../../src/run/runtime/logging.ts'

/*
 * Everything that tests log is recorded, with the secrets that they use. When all tests have ended, run.ts searches the
 * record for the secrets: see leaks.ts.
 */

/** Set by run.ts. Without it, nothing is recorded. */
const folder = process.env.TEST_RECORD_DIR
const files = new Map<string, number>()

function append(kind: 'log' | 'secrets', text: string): void {
  if (!folder) return
  if (!files.has(kind)) {
    files.set(kind, openSync(join(folder, `${basename(process.argv[1] ?? 'node')}.${process.pid}.${kind}`), 'a'))
  }
  appendFileSync(files.get(kind)!, text)
}

export const isRecording = folder !== undefined

/** Records what this process, or a child, has logged. */
export const recordLog = (text: string): void => append('log', text)

/** Records what a child writes to stderr. */
export const recordStderr = (stderr: Readable): unknown => stderr.setEncoding('utf8').on('data', recordLog)

/** The environment of a process that a test forks without tap's loader. Its log is recorded too. */
export const CHILD_ENV = {
  PATH: process.env.PATH,
  NODE_COMPILE_CACHE: 'node_modules/.cache/node',
  TEST_RECORD_DIR: folder,
}

type SecretKind = 'credentials' | 'caption' | 'key'

/**
 * Whether a text that is found in a log line must have come from the secret. Other texts may be there by chance: short
 * ones, those of few characters, such as __proto__, names that every object has, such as constructor, which fast-check
 * generates more often than others, and captions of one word, such as the name of a fault.
 */
const isDistinct = (kind: SecretKind, text: string) =>
  text.length >= 8 && new Set(text).size >= 6 && !(text in Object) && (kind !== 'caption' || text.includes(' '))

/** Records secrets that may be in no log line. API keys are recognised without. */
export function recordSecrets(kind: SecretKind, ...secrets: unknown[]): void {
  for (const secret of secrets) {
    if (typeof secret !== 'string' || !isDistinct(kind, secret)) continue
    append('secrets', `${JSON.stringify([kind, secret])}\n`)
  }
}

/** Lines look as the service writes them. */
const OPTIONS = { level: 'trace', serializers: SERIALIZERS }

/** Its lines are recorded, and shown nowhere. */
export const noLog = pino(OPTIONS, { write: recordLog })

/** Options of a logger that records its lines and errors as the service logs them, beside what `logger` does. */
export function recorded(logger: FastifyServerOptions['logger']): NonNullable<FastifyServerOptions['logger']> {
  const { stream, ...options } = typeof logger === 'object' ? logger : {}
  return {
    ...OPTIONS,
    ...(logger && { level: 'info' }),
    ...options,
    stream: {
      write(line: string) {
        recordLog(line)
        stream?.write(line)
      },
    },
  }
}

/** Properties of a request whose texts are secrets, with the kind of the secret. Names and ids are not secret. */
const SECRET_PROPERTIES: Record<string, SecretKind> = {
  caption: 'caption',
  captionOverride: 'caption',
  firstComment: 'caption',
  threadParts: 'caption',
  password: 'credentials',
  accessToken: 'credentials',
  botToken: 'credentials',
  token: 'credentials',
  webhookUrl: 'credentials',
}

/** `accountOverrides` has its captions at the third level. Some tests send thousands of levels. */
const DEPTH_MAX = 3

/** Records the captions and credentials in the body of a request, or in any other object. */
export function recordSecretsOf(body: unknown, depth = 1): void {
  if (!folder || depth > DEPTH_MAX) return
  const value = typeof body === 'string' ? parse(body) : body
  if (typeof value !== 'object' || value === null || Buffer.isBuffer(value)) return
  for (const [name, part] of Object.entries(value)) {
    const kind = Object.hasOwn(SECRET_PROPERTIES, name) ? SECRET_PROPERTIES[name] : undefined
    if (kind) recordSecrets(kind, ...textsIn(part, depth))
    // The token of a webhook is the end of its path.
    if (name === 'webhookUrl') recordSecrets('credentials', String(part).split('/').at(-1))
    else if (typeof part === 'object') recordSecretsOf(part, depth + 1)
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function textsIn(value: unknown, depth: number): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null || depth > DEPTH_MAX) return []
  return Object.values(value).flatMap((part) => textsIn(part, depth + 1))
}

/** Records the secrets in the environment of a process. */
export function recordSecretsOfEnvironment(env: Record<string, string | undefined>): void {
  recordSecrets('key', ...(env.CREDENTIALS_KEY ?? '').split(','), env.S3_SECRET_ACCESS_KEY)
  const url = URL.parse(env.DATABASE_URL?.replace('@/', '@localhost/') ?? '')
  if (url) recordSecrets('key', decodeURIComponent(url.password))
}
