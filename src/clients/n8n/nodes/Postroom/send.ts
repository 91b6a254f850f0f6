import {
  type IDataObject,
  type IExecuteFunctions,
  type IHookFunctions,
  type IHttpRequestOptions,
  type ILoadOptionsFunctions,
  type JsonObject,
  NodeApiError,
  sleep,
} from 'n8n-workflow'
import { ConnectionError, PostroomError } from '../../../sdk/errors.ts'
import { toError } from '../../../sdk/responses.ts'
import { pauseBefore } from '../../../sdk/retries.ts'

type Context = IExecuteFunctions | IHookFunctions | ILoadOptionsFunctions

export interface Request extends Pick<IHttpRequestOptions, 'method' | 'qs' | 'body' | 'headers' | 'timeout'> {
  path: string
  /** Whether a lost request may be sent again. One that was refused with 429 always may. */
  isRepeatable: boolean
  itemIndex?: number
}

const RETRIES_MAX = 2

/** Sends a request, with the retries and the messages of the SDK. Returns the JSON of the response. */
export async function send(this: Context, request: Request): Promise<IDataObject> {
  const signal = 'getExecutionCancelSignal' in this ? this.getExecutionCancelSignal() : undefined
  for (let retries = 0; ; retries++) {
    const result = await attempt.call(this, request)
    if (!(result instanceof PostroomError)) return result
    const canRepeat = retries < RETRIES_MAX && !signal?.aborted
    const pauseMs = canRepeat ? pauseBefore(retries, result, request.isRepeatable) : undefined
    if (pauseMs === undefined) throw toNodeError.call(this, result, request)
    await sleep(pauseMs)
  }
}

/** The error is returned, because it may be repeated. */
async function attempt(this: Context, { path, itemIndex, isRepeatable, ...request }: Request) {
  const { baseUrl } = await this.getCredentials<{ baseUrl: string }>('postroomApi')
  const options: IHttpRequestOptions = {
    baseURL: baseUrl,
    url: `/api/v1${path}`,
    json: true,
    arrayFormat: 'repeat',
    returnFullResponse: true,
    // A redirect that is followed turns a POST into a GET.
    ignoreHttpStatusErrors: true,
    disableFollowRedirect: true,
    ...request,
  }
  try {
    const { statusCode, headers, body } = await this.helpers.httpRequestWithAuthentication.call(
      this,
      'postroomApi',
      options,
    )
    if (statusCode >= 200 && statusCode < 300 && typeof body === 'object') return body as IDataObject
    return toError({ status: statusCode, headers: new Headers(headers), url: baseUrl } as Response, body)
  } catch (error) {
    return new ConnectionError(`No response from ${baseUrl} (${(error as Error).message})`)
  }
}

function toNodeError(this: Context, error: PostroomError, { itemIndex }: Request): NodeApiError {
  const { message, status, code, requestId } = error
  return new NodeApiError(this.getNode(), { message, code } as JsonObject, {
    message,
    ...(status && { httpCode: String(status) }),
    ...(requestId && { description: `Code: ${code}. Request ID: ${requestId}` }),
    ...(itemIndex !== undefined && { itemIndex }),
  })
}
