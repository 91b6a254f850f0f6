import type { IHttpRequestMethods } from 'n8n-workflow'

/** One value of a request. */
export interface Field {
  in: 'path' | 'query' | 'header' | 'body'
  /** Whether it is a parameter of its own; otherwise it is one of the additional fields. */
  isShown?: true
  /** `localTime` takes a time without an offset, in the time zone of the workflow. */
  type?: 'json' | 'file' | 'localTime'
}

/** An operation of the API, as the build derives it from the OpenAPI document. */
export interface Operation {
  method: IHttpRequestMethods
  path: string
  fields: Record<string, Field>
  /** The part of the request that takes the cursor of the next page. */
  cursorIn?: 'query' | 'body'
  /** Whether the response has its results in `data`. */
  isList?: true
  /** Whether a lost request may be sent again. */
  isRepeatable?: true
  isUpload?: true
}
