import { Type } from '@sinclair/typebox'
import { errorResponse } from './error.ts'

/** 1 to 255 visible ASCII characters. */
export const KEY_FORM = '^[!-~]{1,255}$'

export const BAD_KEY = {
  code: 'invalid_string' as const,
  validation: 'regex',
  path: ['Idempotency-Key'],
  message: 'Must be 1 to 255 visible ASCII characters',
}

/** No examples: Swagger UI would send them with every request, and get the same post again and again. */
export const IdempotencyHeaders = Type.Object({
  'Idempotency-Key': Type.Optional(
    Type.String({
      pattern: KEY_FORM,
      description:
        'A name that you choose for this request, such as a random UUID: 1 to 255 visible ASCII characters. A request that is sent again with the same key within 24 hours is carried out once and gets the first response again. Only successful responses are kept. API keys of your user share these names if they allow the same scopes and accounts; others have names of their own.',
    }),
  ),
})

/** The header of each success of an operation that takes a key. */
export const REPLAY_HEADERS = {
  headers: {
    'Idempotent-Replayed': {
      type: 'string',
      description:
        '`true` where this is the response to an earlier request with the same `Idempotency-Key`; otherwise absent.',
    },
  },
}

export const keyReusedResponse = errorResponse(
  'The `Idempotency-Key` was sent with another body, or to another operation, within the last 24 hours. The request was not carried out.',
  ['idempotency_key_reused'],
)

/** The advice if the client cannot know whether a request was carried out. */
export const RETRY_ADVICE = 'Send the request again with the same `Idempotency-Key`: it is carried out once.'
