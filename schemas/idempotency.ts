import { Type } from '@sinclair/typebox'
import { failure } from './error.ts'

/** 1 to 255 visible characters of ASCII. */
export const KEY_FORM = '^[!-~]{1,255}$'

export const BAD_KEY = {
  code: 'invalid_string' as const,
  validation: 'regex',
  path: ['Idempotency-Key'],
  message: 'Must be 1 to 255 visible ASCII characters',
}

export const KEY_TAKEN = 'This Idempotency-Key was sent with another request already'

/** Without examples: Swagger UI would send them, and get the same post again and again. */
export const IdempotencyHeaders = Type.Object({
  'Idempotency-Key': Type.Optional(
    Type.String({
      pattern: KEY_FORM,
      description:
        'A name of your own for this request, such as a random UUID: 1 to 255 visible ASCII characters. What is sent again with the same name within 24 hours is done once, and gets the first answer again. Only successes are remembered.',
    }),
  ),
})

/** Beside each success of an operation that takes a key. */
export const REPLAYED = {
  headers: {
    'Idempotent-Replayed': {
      type: 'string',
      description:
        '`true` where this is the answer to an earlier request with the same `Idempotency-Key`; else absent.',
    },
  },
}

export const keyTaken = {
  409: failure(
    'The `Idempotency-Key` was sent with another body, or to another operation, in the last 24 hours. Nothing was done.',
    { keyTaken: KEY_TAKEN },
  ),
}

/** What to do where nobody knows whether a request was carried out. */
export const SEND_AGAIN =
  'Send it again with the same `Idempotency-Key`: it is done once, whatever became of it before.'
