import { type Static, Type } from '@sinclair/typebox'
import { ACCOUNT_EXAMPLES, NOT_CONNECTED } from './account.ts'
import { StringEnum } from './shared.ts'

const [{ id: ACCOUNT_ID }, X] = ACCOUNT_EXAMPLES

/** The keys and indexes that lead to a place in the body of a request. */
export const BodyPath = (description: string) =>
  Type.Array(Type.Unsafe<string | number>({ type: ['string', 'integer'] }), { description })
export type BodyPath = (string | number)[]

export const WARNINGS_MAX = 100

const WARNING_CODES = [
  'unused_thread_parts',
  'unknown_field',
  'unused_field',
  'unused_alt_text',
  'omitted_suffix',
  'altered_text',
  'text_cut',
  'may_be_refused',
  'past_time',
  'removed_time_zone',
  'account_attention',
  'repeated_text',
  'close_posts',
  'daily_limit',
] as const

export const PostWarning = Type.Object(
  {
    code: StringEnum(WARNING_CODES, {
      description:
        'The kind of warning, for programs. There may be others than these.\n\n- `unused_thread_parts`: `threadParts` has parts, but `postType` is not `thread`. They are stored, but not published.\n- `unknown_field`: a key of `fields`, or of an object in it, that the network does not know. It has no effect.\n- `unused_field`: a key of `fields` that the network does not take in this post, such as `altText` without an image, the caption, or `padColor` without `mediaFit` `pad`. It has no effect.\n- `unused_alt_text`: a file has an alternative text that the network takes not at all, not for this kind of file or type of post, or for the first file only. It is published without it. `strict=true` does not count this warning, because other accounts of the post may need the text.\n- `omitted_suffix`: the network takes the text only without the `captionSuffix` of the account, whose `whenTooLong` is `omit`. The post goes out without it.\n- `altered_text`: the network publishes the text without a part of it: the link of an address that it does not accept, formatting of more parts than it keeps, or characters that it removes. It concerns Telegram.\n- `text_cut`: a text is longer than the network keeps, and its end is cut off when it is sent. It is the alternative text of a file, or the first line of the caption where it becomes the title.\n- `may_be_refused`: a text is within the limits on the pages of the network, but longer texts than `uncertainBytesMax` were refused, or the network announced that it takes no more than `uncertainHashtagsMax`. On Google Business Profile, it is a phone number in the caption. On Bluesky, it is also a video or a GIF that is larger than the server of the account accepts, because the network converts it first.\n- `past_time`: `scheduledAt`, of the post or of an account, is more than a minute ago. The post is due immediately.\n- `removed_time_zone`: `updatePost` with a `scheduledAt` that has an offset has removed the `timeZone` and the local time of the post. `strict=true` does not count it.\n- `account_attention`: nothing can be published to the account at the moment, for the reason in the message. `attention` in `listAccounts` has its code. An account that is only `expiring` has no warning.\n- `repeated_text`: another post with the same text, as the network stores it, is due or was published on the account within 7 days. Case counts, white space does not, and texts of comments are not compared.\n- `close_posts`: another post of the account is due or was published within 15 minutes, or the time that the operator has set.\n- `daily_limit`: with the posts of the 24 hours before it, the post uses the last tenth of the posts that the network allows an account, or is above the limit. It concerns Facebook (reels), Instagram, Threads and TikTok.\n\nThe last three are about a post with a time, and never reject it: `strict=true` does not count them.',
    }),
    path: BodyPath(
      'The keys and indexes that lead to the cause in the body of the request. At `updatePost`, they lead to where a patch can change it, such as `["overrides", ID, "fields", "lang"]`.',
    ),
    accountId: Type.Optional(
      Type.String({ description: 'The account that the warning is about. Absent where it is about the whole post.' }),
    ),
    postId: Type.Optional(
      Type.String({ description: 'The other post that the warning is about. Absent for posts of other users.' }),
    ),
    message: Type.String({ description: 'The warning in words, for people.' }),
  },
  {
    $id: 'PostWarning',
    description: 'Something about a post that has no effect, or another effect than its author may expect.',
    examples: [
      {
        code: 'unknown_field',
        path: ['accountOverrides', 0, 'fields', 'lang'],
        accountId: ACCOUNT_ID,
        message: 'bluesky (@ada.example.com): field "lang" is unknown and has no effect: did you mean langs?',
      },
      {
        code: 'close_posts',
        path: ['scheduledAt'],
        accountId: ACCOUNT_ID,
        postId: '0196f0c4-9a3d-7b15-8e20-5d7f41a6c893',
        message:
          'bluesky (@ada.example.com): close to this post is post 0196f0c4-9a3d-7b15-8e20-5d7f41a6c893, due or published at 2030-06-15T12:00:00.000Z',
      },
      {
        code: 'account_attention',
        path: ['accountIds', 1],
        accountId: X.id,
        message: `x (@ada): ${NOT_CONNECTED.message}`,
      },
    ],
  },
)
export type PostWarning = Static<typeof PostWarning>
