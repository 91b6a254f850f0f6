import { Type } from '@sinclair/typebox'

const WEBHOOK_HEADERS_MAX = 10
/** The sum of names and values. */
export const WEBHOOK_HEADERS_LENGTH_MAX = 4_000

/** https://www.rfc-editor.org/rfc/rfc9110#section-5.6.2 */
export const HEADER_NAME = "^[\\w!#$%&'*+.^`|~-]{1,100}$"

/** Visible ASCII characters, with spaces and tabs between them. A line break would begin another header. */
export const HEADER_VALUE = '^[!-~](?:[ -~\\t]*[!-~])?$'

/** Those that the service sets, and those of the connection: https://www.rfc-editor.org/rfc/rfc9110#section-7.6.1 */
const RESERVED =
  'webhook-.* content-.* proxy-.* host user-agent accept accept-encoding connection keep-alive te trailer transfer-encoding upgrade expect'.split(
    ' ',
  )

/** A pattern of JSON Schema has no flag for letters of both cases. */
const ofBothCases = (pattern: string) => pattern.replace(/[a-z]/g, (letter) => `[${letter.toUpperCase()}${letter}]`)

export const RESERVED_HEADER = `^(?:${RESERVED.map(ofBothCases).join('|')})$`

/** The service checks the names with messages of its own. */
export const WebhookHeaders = Type.Record(Type.String(), Type.String({ pattern: HEADER_VALUE }), {
  propertyNames: { pattern: HEADER_NAME, not: { pattern: RESERVED_HEADER } },
  maxProperties: WEBHOOK_HEADERS_MAX,
  description: `Headers that are sent with each event, such as \`authorization\` for a gateway: names and values, up to ${WEBHOOK_HEADERS_MAX} with ${WEBHOOK_HEADERS_LENGTH_MAX} characters together. They are stored encrypted, and no response contains them. Names that the service or the connection sets are rejected: \`webhook-*\`, \`content-*\`, \`host\` and the like.`,
})
