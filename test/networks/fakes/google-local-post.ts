import { refuse } from './google-errors.ts'

// The content of a post, as https://developers.google.com/my-business/reference/rest/v4/accounts.locations.localPosts
// has it.

/** Names of fields; null for a value, a list of one for a list. */
type Shape = { readonly [name: string]: Shape | readonly [Shape] | null }

const DATE: Shape = { year: null, month: null, day: null }
const TIME: Shape = { hours: null, minutes: null, seconds: null, nanos: null }
const SCHEDULE: Shape = { startDate: DATE, startTime: TIME, endDate: DATE, endTime: TIME }

/** The fields that a request may have today, except those of posts that Google itself schedules or repeats. */
const LOCAL_POST: Shape = {
  languageCode: null,
  summary: null,
  topicType: null,
  alertType: null,
  callToAction: { actionType: null, url: null },
  event: { title: null, schedule: SCHEDULE },
  offer: { couponCode: null, redeemOnlineUrl: null, termsConditions: null },
  // `sourceUrl` is the only data of a local post.
  media: [{ mediaFormat: null, sourceUrl: null }],
}

const ACTIONS = ['BOOK', 'ORDER', 'SHOP', 'LEARN_MORE', 'SIGN_UP', 'GET_OFFER', 'CALL']

/** An error of a field. The codes are this fake's own, but for 3 and 1000. */
export const invalid = (field: string, message: string, code = 3): never =>
  refuse(400, 'INVALID_ARGUMENT', 'Request contains an invalid argument.', [
    {
      '@type': 'type.googleapis.com/google.mybusiness.v4.ValidationError',
      errorDetails: [{ code, ...(field !== '' && { field }), message, value: '' }],
    },
  ])

/** An error of the JSON itself. */
function malformed(problem: string): never {
  const message = `Invalid JSON payload received. ${problem}`
  return refuse(400, 'INVALID_ARGUMENT', message, [
    {
      '@type': 'type.googleapis.com/google.rpc.BadRequest',
      fieldViolations: [{ field: 'local_post', description: message }],
    },
  ])
}

function checkShape(value: unknown, shape: Shape | readonly [Shape] | null, path: string): void {
  if (Array.isArray(shape)) {
    if (!Array.isArray(value)) malformed(`Proto field is not repeating, cannot start list: '${path}'.`)
    for (const item of value as unknown[]) checkShape(item, (shape as readonly [Shape])[0], path)
    return
  }
  const isMessage = typeof value === 'object' && value !== null && !Array.isArray(value)
  if (isMessage !== (shape !== null)) malformed(`Invalid value at '${path}'.`)
  for (const [name, part] of Object.entries(isMessage ? (value as object) : {})) {
    const own = shape as Shape
    if (!Object.hasOwn(own, name)) malformed(`Unknown name "${name}" at '${path}': Cannot find field.`)
    checkShape(part, own[name]!, `${path}.${name}`)
  }
}

type Numbers = Record<string, number>

interface Content {
  summary?: string
  topicType?: string
  callToAction?: { actionType?: string; url?: string }
  event?: { title?: string; schedule?: Record<string, Numbers> }
  offer?: object
  media?: { mediaFormat?: string; sourceUrl?: string }[]
}

/** The content of a request that Google accepts. Refuses others. */
export function checkContent(body: unknown): Record<string, unknown> {
  checkShape(body ?? {}, LOCAL_POST, 'local_post')
  const content = (body ?? {}) as Content
  const { topicType, summary = '', callToAction, event, offer, media = [] } = content
  if (!topicType) invalid('topic_type', 'Topic type is required for post creation.')
  if (!['STANDARD', 'EVENT', 'OFFER'].includes(topicType!)) invalid('topic_type', 'Topic type is invalid.')
  if (summary.length > 1500) invalid('summary', 'The summary is too long.')
  if (topicType !== 'STANDARD') checkEvent(event)
  else if (event) invalid('event', 'An event is not allowed in a standard post.')
  if (offer && topicType !== 'OFFER') invalid('offer', 'An offer is allowed in offer posts only.')
  if (callToAction) checkAction(callToAction)
  if (media.length > 1) invalid('media', 'Only one photo is allowed.')
  for (const { mediaFormat, sourceUrl } of media) {
    // https://github.com/PipedreamHQ/pipedream/issues/7784
    if (!mediaFormat) invalid('media.media_format', 'Media format is required.')
    if (mediaFormat !== 'PHOTO') invalid('media.media_format', 'Only photos are allowed.')
    if (!sourceUrl || !/^https?:\/\//.test(sourceUrl)) invalid('media.source_url', 'The URL is invalid.')
  }
  return content as Record<string, unknown>
}

function checkAction({ actionType, url }: { actionType?: string; url?: string }) {
  if (!ACTIONS.includes(actionType ?? '')) invalid('call_to_action.action_type', 'Invalid value.')
  if (actionType === 'CALL' && url !== undefined) invalid('call_to_action.url', 'A call has no URL.')
  if (actionType !== 'CALL' && !URL.canParse(url ?? '')) invalid('call_to_action.url', 'The URL is invalid.')
}

/** `TimeInterval` has to have all parts, and each date and time has to exist. */
function checkEvent(event: Content['event']) {
  if (!event?.title) return invalid('event.title', 'The event needs a title.')
  if (event.title.length > 58) invalid('event.title', 'The title is too long.')
  const { startDate, startTime, endDate, endTime } = event.schedule ?? {}
  if (!startDate || !startTime || !endDate || !endTime) return invalid('event.schedule', 'The schedule is incomplete.')
  const [start, end] = [instantOf(startDate, startTime), instantOf(endDate, endTime)]
  if (!(start <= end)) invalid('event.schedule', 'It ends before it begins.')
}

function instantOf({ year = 0, month = 0, day = 0 }: Numbers, time: Numbers): number {
  const { hours = 0, minutes = 0, seconds = 0 } = time
  const instant = Date.UTC(year, month - 1, day, hours, minutes, seconds)
  const parts = [year, month, day, hours, minutes, seconds]
  const isReal = !Number.isNaN(instant) && String(partsOf(new Date(instant))) === String(parts)
  return isReal ? instant : invalid('event.schedule', 'A date or a time does not exist.')
}

const partsOf = (date: Date): number[] => [
  date.getUTCFullYear(),
  date.getUTCMonth() + 1,
  date.getUTCDate(),
  date.getUTCHours(),
  date.getUTCMinutes(),
  date.getUTCSeconds(),
]
