import { type Static, Type } from '@sinclair/typebox'
import { NOT_BLANK, StringEnum } from './shared.ts'

/** In code points. */
export const CAPTION_SUFFIX_MAX = 500

export const CaptionSuffix = Type.Object(
  {
    text: Type.String({
      maxLength: CAPTION_SUFFIX_MAX,
      pattern: NOT_BLANK,
      description:
        'The text, with the space or line breaks that it begins with. It has the markup of the caption, where the post has any.',
    }),
    whenTooLong: Type.Optional(
      StringEnum(['reject', 'omit'], {
        description:
          'What happens to a post that is within the limits of the network only without it. `reject`: the post is rejected. `omit`: the post goes out without it, which leads to a warning. Default: `reject`.',
      }),
    ),
  },
  {
    $id: 'CaptionSuffix',
    additionalProperties: false,
    description: 'A signature: the text that follows the caption of each new post for an account.',
    examples: [{ text: '\n\nLighthouse Coffee, Berlin', whenTooLong: 'omit' }],
  },
)
export type CaptionSuffix = Static<typeof CaptionSuffix>
