import { S3Client, S3ServiceException } from '@aws-sdk/client-s3'
import { NotStoredError, StorageError } from './storage.ts'

export interface S3Options {
  bucket: string
  region: string
  /** The URL of an S3-compatible service; AWS if absent. Clients that fetch media are redirected to it. */
  endpoint?: string
  /** If absent, the SDK uses its own sources: AWS_* in the environment, ~/.aws, the machine's role. */
  credentials?: { accessKeyId: string; secretAccessKey: string }
}

/** The limit of a call without content, with its repetitions: a client waits for the response. */
const CALL_MS = 2_000

/** The interval of probes during a transfer, and the limit of each response. */
const PROBE_EVERY_MS = 250
const PROBE_MS = 1_500
/**
 * A lost response or two may be an accident. A transfer whose service is silent ends after 2.5 s: clients wait for 3.
 */
const LOST_PROBES_MAX = 4
/** Large files may keep a service busy for longer: one more second for each 50 MB. */
const FILE_BYTES_PER_PROBE = 12_500_000

/**
 * Creates the client. Errors that mean that the service cannot be used are StorageErrors, after up to three attempts.
 */
export function createClient({ region, endpoint, credentials }: S3Options): S3Client {
  const client = new S3Client({
    region,
    ...(endpoint !== undefined && { endpoint, forcePathStyle: true }),
    ...(credentials && { credentials }),
    maxAttempts: 3,
    // `socketTimeout` limits the idle time. `requestTimeout` would limit a whole request, and only log a warning.
    requestHandler: { connectionTimeout: 1_500, socketTimeout: 30_000 },
    // By default the SDK adds checksums, for streams as aws-chunked trailers. Services that do not support those reject
    // them, or store them as content. The signature covers the SHA-256 of each part in any case.
    // https://docs.aws.amazon.com/sdkref/latest/guide/feature-dataintegrity.html
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  })
  // Below the SDK's retries: an idle socket has used up its time, and is not tried again.
  client.middlewareStack.add((next) => (request) => next(request).catch(throwFinalTimeout), { step: 'deserialize' })
  // Above them: runs after all attempts.
  client.middlewareStack.add(
    (next, context) => (request) =>
      next(request).catch((error) => {
        throw toStorageError(error, context.commandName ?? '')
      }),
    { step: 'initialize' },
  )
  return client
}

/** Sends a call without content. Throws a StorageError if it takes longer than CALL_MS. */
export const sendCall = <T>(send: (signal: AbortSignal) => Promise<T>, limitMs = CALL_MS): Promise<T> =>
  withSignal(AbortSignal.timeout(limitMs), send, () => new StorageError(`S3 did not respond within ${limitMs} ms`))

/**
 * Sends a call with content, which may take long. Meanwhile, `probe` shows whether the service still responds: if it
 * does not, throws the StorageError of the probe. `fileBytes` is the size of the file that the call is part of.
 */
export async function transfer<T>(
  probe: (signal: AbortSignal) => Promise<unknown>,
  send: (signal: AbortSignal) => Promise<T>,
  { fileBytes = 0 } = {},
): Promise<T> {
  const controller = new AbortController()
  const lostMax = LOST_PROBES_MAX + fileBytes / FILE_BYTES_PER_PROBE
  let lost = 0
  const probeOnce = () =>
    sendCall(probe, PROBE_MS).then(
      () => {
        lost = 0
      },
      (error) => {
        if (isResponse(error)) lost = 0
        else if (++lost >= lostMax) controller.abort(error)
      },
    )
  const probes = setInterval(probeOnce, PROBE_EVERY_MS)
  try {
    return await withSignal(controller.signal, send, () => controller.signal.reason)
  } finally {
    clearInterval(probes)
  }
}

/** Whether the service sent the error. If it sends 503 to probes, it is overloaded, and may still finish a transfer. */
const isResponse = (error: unknown) => !(error instanceof StorageError) || error.cause instanceof S3ServiceException

/** The SDK looks at its signal only while a request runs, and not between two attempts. */
function withSignal<T>(signal: AbortSignal, send: (signal: AbortSignal) => Promise<T>, toError: () => Error) {
  return new Promise<T>((resolve, reject) => {
    const abort = () => reject(toError())
    signal.addEventListener('abort', abort, { once: true })
    send(signal)
      .then(resolve, reject)
      .finally(() => signal.removeEventListener('abort', abort))
  })
}

function throwFinalTimeout(error: NodeJS.ErrnoException): never {
  if (error.name === 'TimeoutError' && error.code === undefined) error.name = 'SocketTimeout'
  throw error
}

/** Statuses that say that the service, its address or its credentials are at fault, and not the request. */
const isUnusable = (status: number) => status < 400 || [401, 403, 404, 429].includes(status) || status >= 500

/** Responses with the status 400 that are about the credentials or the region, or that ask to try again. */
const UNUSABLE_NAMES = ['ExpiredToken', 'InvalidToken', 'AuthorizationHeaderMalformed', 'RequestTimeout']

/** Amazon S3 has no limit. These are of Ceph and MinIO. */
const FULL_NAMES = ['QuotaExceeded', 'XMinioStorageFull', 'InsufficientStorage']

/** Names of responses that are results: there is no such object or upload, or the service lacks the operation. */
const RESULT_NAMES = ['NotFound', 'NoSuchKey', 'NoSuchUpload', 'NotImplemented']

/** The codes of connection errors would be mistaken for those of the database, so the StorageError has none. */
function toStorageError(error: Error & { code?: string }, commandName: string): Error {
  if (error instanceof StorageError || error instanceof NotStoredError) return error
  if (!(error instanceof S3ServiceException)) {
    return new StorageError(`S3 cannot be reached: ${error.code ?? error.name}`, { cause: error })
  }
  const { name } = error
  const status = error.$metadata.httpStatusCode ?? 0
  const operation = commandName.replace(/Command$/, '')
  // A response to HEAD has no body, so the SDK knows no name. The request has nothing that could be wrong.
  const isHead = operation.startsWith('Head')
  if (RESULT_NAMES.includes(name)) return error
  if (!isUnusable(status) && !UNUSABLE_NAMES.includes(name) && !(isHead && status === 400)) return error
  const reason = isHead ? status : `${status} ${name}`
  return new StorageError(`S3 responded with ${reason} to ${operation}`, {
    cause: error,
    isFull: status === 507 || FULL_NAMES.includes(name),
  })
}
