import { Type } from '@sinclair/typebox'
import { EmptyResponse } from '../../shared.ts'

export const HEADERS = {
  ETag: { type: 'string', description: 'The version of the response, for `If-None-Match`.' },
  'Cache-Control': { type: 'string', description: 'How long the response may be used without asking again.' },
}

export const IfNoneMatchHeaders = Type.Object({
  'If-None-Match': Type.Optional(
    Type.String({ description: 'The `ETag` that you already have. The response is 304 where it still matches.' }),
  ),
})

export const notModified = { 304: EmptyResponse('Nothing has changed since the `ETag` that you sent.', HEADERS) }

export const KEEP =
  'Keep the response, and send its `ETag` as `If-None-Match`: the response is 304 without a body until a limit changes.'
