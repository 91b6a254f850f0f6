import { filesOf } from '../contract/files-of.ts'
import type { Condition, Platform } from '../contract/limits.ts'
import type { Source } from '../contract/source.ts'
import { LANGUAGE_TAG } from '../families/google/language-tag.ts'
import { SEARCH } from '../wire/lost-response.ts'
import { findPhoneNumber } from './phone-number.ts'

const localPosts: Source = {
  url: 'https://developers.google.com/my-business/reference/rest/v4/accounts.locations.localPosts',
  confidence: 'copy',
  version: '2026-09-11',
  seenAt: '2026-11-21',
}
const photos: Source = {
  url: 'https://developers.google.com/my-business/reference/rest/v4/accounts.locations.media',
  confidence: 'copy',
  version: '2026-09',
  seenAt: '2026-11-21',
}
const postiz: Source = {
  url: 'https://github.com/gitroomhq/postiz-app',
  confidence: 'cross-checked',
  version: '74b01ad, 2026-08-21',
  seenAt: '2026-11-21',
}
const phoneNumbers: Source = {
  url: 'https://support.google.com/business/answer/7213077',
  confidence: 'cross-checked',
  version: '2026',
  seenAt: '2026-11-28',
}
const assumed: Source = { ...localPosts, confidence: 'assumed' }
const limits: Source = {
  url: 'https://developers.google.com/my-business/content/limits',
  confidence: 'copy',
  version: '2026-09',
  seenAt: '2026-11-23',
}

const forEvents: Condition = {
  when: 'topicType is EVENT or OFFER',
  test: ({ topicType }) => topicType === 'EVENT' || topicType === 'OFFER',
}

/** A call goes to the number of the location. */
const hasLink = ({ topicType, callToActionType }: Record<string, unknown>) =>
  callToActionType !== undefined && callToActionType !== 'CALL' && topicType !== 'OFFER'

const outsideEvents: Condition = {
  when: 'topicType is STANDARD',
  test: (fields, ...others) => !forEvents.test(fields, ...others),
}

const outsideOffers: Condition = { when: 'topicType is not OFFER', test: ({ topicType }) => topicType !== 'OFFER' }

/** Compares the times without the fraction and the offset. */
const isBefore = (end: unknown, start: unknown) =>
  typeof end === 'string' &&
  typeof start === 'string' &&
  end.slice(0, 19).toUpperCase() < start.slice(0, 19).toUpperCase()

/** Google takes neither an offset nor a time zone. */
const inLocalTime = "location's time zone, offset ignored"

export const googleBusiness: Platform = {
  id: 'google_business',
  name: 'Google Business Profile (local posts)',
  // The reference gives no limit; every tool uses this one. The unit is assumed.
  caption: {
    lengthMax: 1500,
    unit: 'UTF-16 units',
    required: 'always',
    uncertainContent: {
      find: findPhoneNumber,
      problem: 'Google refuses posts with a phone number, and may suspend the profile: use callToActionType CALL',
      source: phoneNumbers,
    },
    source: postiz,
  },
  // 58 is the limit of Google's own form.
  title: { field: 'eventTitle', lengthMax: 58, unit: 'UTF-16 units', required: false, source: assumed },
  altTexts: {},
  postTypes: {
    // The API takes a list of media, but in practice only one photo and no video.
    post: {
      ...filesOf({ max: 1 }),
      hasCaption: true,
      // 5 MB is from https://docs.zernio.com/platforms/google-business/reference.
      image: {
        mimeTypes: ['image/jpeg', 'image/png'],
        bytesMin: 10_240,
        bytesMax: 5_242_880,
        widthMin: 250,
        heightMin: 250,
        source: photos,
      },
      source: postiz,
    },
  },
  fields: {
    topicType: {
      type: 'enum',
      values: ['STANDARD', 'EVENT', 'OFFER'],
      default: 'STANDARD',
      param: 'topicType',
      source: localPosts,
    },
    callToActionType: {
      type: 'enum',
      values: ['BOOK', 'ORDER', 'SHOP', 'LEARN_MORE', 'SIGN_UP', 'CALL'],
      param: 'callToAction.actionType',
      unused: { when: 'topicType is OFFER', test: ({ topicType }) => topicType === 'OFFER' },
      source: localPosts,
    },
    callToActionUrl: {
      type: 'url',
      isLink: true,
      required: {
        when: 'callToActionType is set and not CALL, outside of offers',
        test: hasLink,
      },
      param: 'callToAction.url',
      unused: {
        when: 'callToActionType is absent or CALL, or topicType is OFFER',
        test: (fields) => !hasLink(fields),
      },
      source: localPosts,
    },
    eventTitle: {
      type: 'string',
      required: forEvents,
      param: 'event.title',
      unused: outsideEvents,
      source: localPosts,
    },
    eventStart: {
      type: 'datetime',
      required: forEvents,
      param: 'event.schedule.startDate/startTime',
      unused: outsideEvents,
      description: inLocalTime,
      source: localPosts,
    },
    eventEnd: {
      type: 'datetime',
      required: forEvents,
      refused: {
        when: 'before eventStart',
        test: ({ eventStart, eventEnd }) => isBefore(eventEnd, eventStart),
      },
      param: 'event.schedule.endDate/endTime',
      unused: outsideEvents,
      description: inLocalTime,
      source: localPosts,
    },
    offerCouponCode: {
      type: 'string',
      lengthMax: 58,
      param: 'offer.couponCode',
      unused: outsideOffers,
      source: assumed,
    },
    offerRedeemUrl: {
      type: 'url',
      isLink: true,
      param: 'offer.redeemOnlineUrl',
      unused: outsideOffers,
      source: localPosts,
    },
    offerTerms: {
      type: 'string',
      lengthMax: 5000,
      param: 'offer.termsConditions',
      unused: outsideOffers,
      source: assumed,
    },
    languageCode: { type: 'string', pattern: LANGUAGE_TAG, param: 'languageCode', source: localPosts },
  },
  rateLimits: [
    // Whether posts count as edits is not said.
    {
      resource: 'edits',
      limit: 10,
      windowSeconds: 60,
      scope: 'location',
      perAct: 1,
      source: { ...limits, confidence: 'assumed' },
    },
    { resource: 'requests', limit: 300, windowSeconds: 60, scope: 'Google Cloud project', source: limits },
  ],
  guarantees: [
    // No page says how soon a post is listed.
    {
      guarantee: 'reconcilable',
      ifAbsent: 'unconfirmed',
      description: `The posts of the location are listed ${SEARCH.words}. A new post with the same content is not sent again. Google does not say how soon a post is listed, so a missing one is not sent again either: the delivery is \`unconfirmed\`.`,
      source: {
        url: 'https://developers.google.com/my-business/reference/rest/v4/accounts.locations.localPosts/list',
        confidence: 'copy',
        version: '2026-09-11',
        seenAt: '2026-11-23',
      },
    },
  ],
}
