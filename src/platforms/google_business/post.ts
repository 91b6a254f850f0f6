import type { Act } from '../contract/adapter.ts'
import { impossible } from '../contract/publish-error.ts'
import { publicUrlOf } from '../wire/request-body.ts'
import { googleBusinessContent } from './content.ts'

/** A date and a time of day, in the time zone of the location. */
interface LocalTime {
  date: { year: number; month: number; day: number }
  time: { hours: number; minutes: number; seconds: number; nanos: number }
}

/** The content of a post, by which it is recognised. */
export interface LocalPost {
  summary: string
  topicType: string
  languageCode?: string
  callToAction?: { actionType: string; url?: string }
  event?: {
    title: string
    schedule: {
      startDate: LocalTime['date']
      startTime: LocalTime['time']
      endDate: LocalTime['date']
      endTime: LocalTime['time']
    }
  }
  offer?: { couponCode?: string; redeemOnlineUrl?: string; termsConditions?: string }
}

/** https://developers.google.com/my-business/reference/rest/v4/accounts.locations.localPosts, but for the photo. */
export function localPostOf(act: Act): LocalPost {
  const { fields } = act
  const { text, title, link } = googleBusinessContent(act)
  const topicType = textOf(fields.topicType) ?? 'STANDARD'
  const languageCode = textOf(fields.languageCode)
  const action = topicType === 'OFFER' ? undefined : actionOf(fields, link?.url)
  return {
    summary: text,
    topicType,
    ...(languageCode && { languageCode }),
    ...(action && { callToAction: action }),
    ...(topicType !== 'STANDARD' && { event: eventOf(fields, title) }),
    ...(topicType === 'OFFER' && { offer: offerOf(fields) }),
  }
}

/** Google fetches the photo until the post is live or rejected. */
export const mediaOf = ({ media }: Act): { mediaFormat: 'PHOTO'; sourceUrl: string }[] =>
  media.map((file) => ({ mediaFormat: 'PHOTO', sourceUrl: publicUrlOf(file, 'Google Business Profile') }))

function actionOf({ callToActionType }: Act['fields'], url: string | undefined): LocalPost['callToAction'] {
  const actionType = textOf(callToActionType)
  return actionType === undefined ? undefined : { actionType, ...(url && { url }) }
}

function eventOf({ eventStart, eventEnd }: Act['fields'], title: string | undefined): NonNullable<LocalPost['event']> {
  const start = localTimeOf(eventStart)
  const end = localTimeOf(eventEnd)
  if (!title || !start || !end) {
    throw impossible('fields has to have eventTitle, eventStart and eventEnd: an event or offer needs them')
  }
  const schedule = { startDate: start.date, startTime: start.time, endDate: end.date, endTime: end.time }
  return { title, schedule }
}

function offerOf({ offerCouponCode, offerRedeemUrl, offerTerms }: Act['fields']): NonNullable<LocalPost['offer']> {
  const [couponCode, redeemOnlineUrl, termsConditions] = [offerCouponCode, offerRedeemUrl, offerTerms].map(textOf)
  return {
    ...(couponCode && { couponCode }),
    ...(redeemOnlineUrl && { redeemOnlineUrl }),
    ...(termsConditions && { termsConditions }),
  }
}

/** Google takes no offset: the time is local to the location. */
function localTimeOf(value: unknown): LocalTime | undefined {
  const match = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)/i.exec(textOf(value) ?? '')
  if (!match) return undefined
  const [year, month, day, hours, minutes, seconds] = match.slice(1).map(Number) as [number, ...number[]]
  return {
    date: { year, month: month!, day: day! },
    time: { hours: hours!, minutes: minutes!, seconds: seconds!, nanos: 0 },
  }
}

const textOf = (value: unknown) => (typeof value === 'string' && value.trim() !== '' ? value : undefined)
