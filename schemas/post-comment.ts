import { type Static, Type } from '@sinclair/typebox'
import { NOT_BLANK } from './shared.ts'

export const COMMENTS_MAX = 10
export const COMMENT_PAUSE_DAYS_MAX = 7
const DAYS = `[0-${COMMENT_PAUSE_DAYS_MAX}]D`
/** The part of an ISO 8601 duration below a day. */
export const DURATION_TIME = 'T(?:\\d{1,3}H(?:\\d{1,5}M)?(?:\\d{1,6}S)?|\\d{1,5}M(?:\\d{1,6}S)?|\\d{1,6}S)'
export const COMMENT_PAUSE = `^P(?:${DAYS}|(?:${DAYS})?${DURATION_TIME})$`

export const PostComment = Type.Object(
  {
    text: Type.String({ pattern: NOT_BLANK, description: 'The text of the comment.' }),
    after: Type.Optional(
      Type.String({
        pattern: COMMENT_PAUSE,
        description: `How long to wait after the post, or after the comment before this one. It is an ISO 8601 duration of days, hours, minutes and seconds, at most ${COMMENT_PAUSE_DAYS_MAX} days. Absent: no wait.`,
        examples: ['PT5M'],
      }),
    ),
  },
  {
    $id: 'PostComment',
    additionalProperties: false,
    description: 'A comment under a published post.',
    examples: [{ text: 'More in our blog.' }, { text: 'Questions? Ask here.', after: 'PT5M' }],
  },
)
export type PostComment = Static<typeof PostComment>

export const COMMENT_PAUSE_MAX_MS = COMMENT_PAUSE_DAYS_MAX * 86_400_000

const SECONDS = { D: 86_400, H: 3_600, M: 60, S: 1 }

/** The pause before a comment. `COMMENT_PAUSE` also fits durations over the maximum, such as `P7DT1H`. */
export const pauseMsOf = ({ after = '' }: Pick<PostComment, 'after'>): number =>
  1_000 *
  Array.from(after.matchAll(/(\d+)([DHMS])/g)).reduce(
    (sum, [, count, unit]) => sum + Number(count) * SECONDS[unit as keyof typeof SECONDS],
    0,
  )
