import { Ajv } from 'ajv'
import { Refused, type Reply } from './network.ts'

/**
 * The refusals of X, by https://docs.x.com/x-api/fundamentals/response-codes-and-errors. Real ones name either host in
 * their types, so every second one here names the other.
 */
const HOSTS = ['https://api.twitter.com', 'https://api.x.com']
let refusals = 0
const typeOf = (problem: string) => `${HOSTS[++refusals % 2]}/2/problems/${problem}`

const refuse = (status: number, body: object, headers?: Record<string, string>): never => {
  throw new Refused({ status, body, ...(headers && { headers }) })
}

export const invalid = (parameter: string, value: unknown, message: string): never =>
  refuse(400, {
    errors: [{ parameters: { [parameter]: [String(value)] }, message }],
    title: 'Invalid Request',
    detail: 'One or more parameters to your request was invalid.',
    type: typeOf('invalid-request'),
  })

export const forbidden = (detail = 'Forbidden', problem?: string): never =>
  refuse(403, { detail, type: problem ? typeOf(problem) : 'about:blank', title: 'Forbidden', status: 403 })

/** https://github.com/twitter-together/action/issues/255 */
export const notEnrolled = (): never =>
  refuse(403, {
    client_id: '12345678',
    detail: 'The developer app is not attached to a project with access.',
    title: 'Client Forbidden',
    required_enrollment: 'Appropriate Level of API Access',
    reason: 'client-not-enrolled',
    type: typeOf('client-forbidden'),
  })

export const unauthorized = (): never =>
  refuse(401, { title: 'Unauthorized', type: 'about:blank', status: 401, detail: 'Unauthorized' })

/** https://docs.x.com/x-api/fundamentals/response-codes-and-errors: an error about one post of several. */
export const missing = (id: string) => ({
  value: id,
  detail: `Could not find tweet with ids: [${id}].`,
  title: 'Not Found Error',
  resource_type: 'tweet',
  parameter: 'ids',
  resource_id: id,
  type: 'https://api.twitter.com/2/problems/resource-not-found',
})

export const postNotFound = (id: string): never => {
  throw new Refused({ status: 404, body: { ...missing(id), status: 404 } })
}

export const notFound = (): never =>
  refuse(404, { title: 'Not Found Error', type: typeOf('resource-not-found'), detail: 'Could not find it.' })

/** Both forms that were seen: https://github.com/tryethernal/ethernal/pull/1336 */
export const outOfCredit = (): never => {
  const detail = 'Your enrolled account [1895] does not have any credits to fulfill this request.'
  const forms = [
    { type: typeOf('credits'), title: 'CreditsDepleted', detail },
    { type: typeOf('credits-depleted'), title: 'Payment Required', detail: 'credits depleted', status: 402 },
  ]
  return refuse(402, forms[refusals % 2]!)
}

/** The headers of https://docs.x.com/x-api/fundamentals/rate-limits. */
export const limitHeaders = (name: string, limit: number, remaining: number, resetAt: Date) => ({
  [`${name}-limit`]: String(limit),
  [`${name}-remaining`]: String(remaining),
  [`${name}-reset`]: String(Math.floor(resetAt.getTime() / 1000)),
})

export const throttled = (resetAt: Date): Reply => ({
  status: 429,
  headers: limitHeaders('x-rate-limit', 100, 0, resetAt),
  body: { title: 'Too Many Requests', detail: 'Too Many Requests', type: 'about:blank', status: 429 },
})

/** By RFC 6749, 5.2, with the words of X. */
export const tokenError = (status: number, error: string, description: string): never =>
  refuse(status, { error, error_description: description })

const id = { type: 'string', pattern: '^[0-9]{1,19}$' }
const closed = (properties: object, required: string[] = []) => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
})

/** In a form, the media is a file beside the other fields; in JSON, it is in Base64. */
const media = { type: 'string' }

/** The schemas of request bodies and queries in https://docs.x.com/openapi.json, version 2.167. */
const SCHEMAS = {
  post: closed({
    card_uri: { type: 'string' },
    community_id: id,
    direct_message_deep_link: { type: 'string' },
    edit_options: { type: 'object' },
    for_super_followers_only: { type: 'boolean' },
    geo: closed({ place_id: { type: 'string' } }, ['place_id']),
    made_with_ai: { type: 'boolean' },
    media: closed(
      {
        media_ids: { type: 'array', minItems: 1, maxItems: 4, items: id },
        tagged_user_ids: { type: 'array', maxItems: 10, items: id },
      },
      ['media_ids'],
    ),
    nullcast: { type: 'boolean' },
    paid_partnership: { type: 'boolean' },
    poll: closed(
      {
        options: { type: 'array', minItems: 2, maxItems: 4, items: { type: 'string', minLength: 1, maxLength: 25 } },
        duration_minutes: { type: 'integer', minimum: 5, maximum: 10_080 },
      },
      ['options', 'duration_minutes'],
    ),
    quote_tweet_id: id,
    reply: closed({ in_reply_to_tweet_id: id, exclude_reply_user_ids: { type: 'array', items: { type: 'string' } } }, [
      'in_reply_to_tweet_id',
    ]),
    reply_settings: { enum: ['following', 'mentionedUsers', 'subscribers', 'verified'] },
    share_with_followers: { type: 'boolean' },
    text: { type: 'string' },
  }),
  initialize: closed({
    additional_owners: { type: 'array', items: id },
    media_category: { enum: ['amplify_video', 'tweet_gif', 'tweet_image', 'tweet_video'] },
    media_type: {
      enum: ['video/mp4', 'video/webm', 'video/quicktime', 'image/jpeg', 'image/gif', 'image/png', 'image/webp'],
    },
    shared: { type: 'boolean' },
    total_bytes: { type: 'integer', minimum: 0, maximum: 17_179_869_184 },
  }),
  append: closed({ media, segment_index: { type: ['string', 'integer'], pattern: '^[0-9]{1,3}$', maximum: 999 } }, [
    'segment_index',
  ]),
  image: closed({ media, media_category: { enum: ['tweet_image'] }, additional_owners: { type: 'string' } }, [
    'media_category',
  ]),
  metadata: {
    type: 'object',
    required: ['id'],
    properties: {
      id,
      metadata: closed({ alt_text: closed({ text: { type: 'string', maxLength: 1000 } }, ['text']) }),
    },
  },
  status: closed({ media_id: id, command: { enum: ['STATUS'] } }, ['media_id', 'command']),
  timeline: closed({
    max_results: { type: 'string', pattern: '^(?:[5-9]|[1-9][0-9]|100)$' },
    start_time: { type: 'string', pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(?:\\.\\d+)?Z$' },
    since_id: id,
    exclude: { type: 'string', pattern: '^(?:(?:retweets|replies)(?:,(?!$)|$))+$' },
    // The names of the guides, and those of the description.
    'tweet.fields': { type: 'string', pattern: '^[a-z_,]+$' },
    'post.fields': { type: 'string', pattern: '^[a-z_,]+$' },
  }),
  me: closed({ 'user.fields': { type: 'string', pattern: '^[a-z_,]+$' } }),
}

const ajv = new Ajv({ strict: false })
const validators = Object.fromEntries(Object.entries(SCHEMAS).map(([name, schema]) => [name, ajv.compile(schema)]))

/** Refuses a value that its schema does not allow. */
export function validate(name: keyof typeof SCHEMAS, value: unknown): void {
  const check = validators[name]!
  if (check(value ?? {})) return
  const [error] = check.errors!
  const parameter = `${error!.instancePath.slice(1).replaceAll('/', '.') || name}`
  invalid(parameter, JSON.stringify(error!.params), `[${parameter}] ${error!.message}`)
}
