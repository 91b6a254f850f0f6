export interface PostroomOptions {
  /** The API key, `pr_…`. */
  key: string
  /** The address of the service, with or without `/api/v1`. Default: `http://localhost:3000`. */
  baseUrl?: string | undefined
  /** How often a request is repeated at most. Default: 2. */
  maxRetries?: number | undefined
  /** How long the service may send nothing in an attempt. Default: 15,000. Uploads and imports may take any time. */
  timeoutMs?: number | undefined
  /** Default: the global `fetch`. */
  fetch?: typeof globalThis.fetch | undefined
}

/** The last argument of every method. `signal` ends the request, and the pauses between its attempts. */
export type Options = Partial<Pick<PostroomOptions, 'timeoutMs' | 'maxRetries'>> & { signal?: AbortSignal | undefined }

export interface CreateOptions extends Options {
  /** Requests with one key are carried out once. Default: a UUID for each call, which its retries repeat. */
  idempotencyKey?: string | undefined
}

export interface ChangeOptions extends Options {
  /** The ETag of the version to change, from `responseOf`. If it is not the present one: `PreconditionFailed`. */
  ifMatch?: string | undefined
}
