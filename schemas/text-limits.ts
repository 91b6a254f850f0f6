import { type Static, Type } from '@sinclair/typebox'
import { LimitUnit } from './limit-unit.ts'
import { Nullable, Ref, StringEnum } from './shared.ts'
import { LimitSource } from './validate-post.ts'

const [SOURCE] = LimitSource.examples

const UncertainHashtags = Type.Object(
  {
    max: Type.Integer({ description: 'The maximum number of hashtags.' }),
    source: Ref(LimitSource),
  },
  {
    $id: 'UncertainHashtags',
    description: 'The network announced a lower maximum than the page of its API states.',
    examples: [{ max: 5, source: SOURCE }],
  },
)

const UncertainBytes = Type.Object(
  {
    max: Type.Integer({ description: 'The maximum, in bytes of UTF-8.' }),
    source: Ref(LimitSource),
  },
  {
    $id: 'UncertainBytes',
    description: 'The network was seen to refuse texts of more bytes, although its own page allows them.',
    examples: [{ max: 500, source: SOURCE }],
  },
)

const UncertainContent = Type.Object(
  {
    description: Type.String({ description: 'The content, and what the network does.' }),
    source: Ref(LimitSource),
  },
  {
    $id: 'UncertainContent',
    description: 'Content that the network was seen to refuse.',
    examples: [{ description: 'Google refuses posts with a phone number', source: SOURCE }],
  },
)

/** Properties of the limits of all texts. */
const text = {
  max: Type.Integer({ description: 'The maximum length, in `unit`.' }),
  unit: Ref(LimitUnit),
  maxSource: Type.Optional(
    Nullable(Ref(LimitSource), {
      description:
        'Where `max` was read, if not on the page of `source`. `null`: the server of the account states it. Absent where `source` has it.',
    }),
  ),
  bytesMax: Type.Optional(Type.Integer({ description: 'A second maximum, in bytes of UTF-8. Absent: not limited.' })),
  uncertainBytesMax: Type.Optional(
    Ref(UncertainBytes, {
      description: 'Longer texts lead to the warning `may_be_refused`. Absent: the network keeps to its page.',
    }),
  ),
  uncertainHashtagsMax: Type.Optional(
    Ref(UncertainHashtags, {
      description: 'More hashtags lead to the warning `may_be_refused`. Absent: the network announced nothing else.',
    }),
  ),
  uncertainContent: Type.Optional(
    Ref(UncertainContent, {
      description: 'Such content leads to the warning `may_be_refused`. Absent: nothing of the kind is known.',
    }),
  ),
  forbiddenCharacters: Type.Optional(
    Type.Array(Type.String(), { description: 'Characters that the text must not contain. Absent: all are allowed.' }),
  ),
  source: Ref(LimitSource),
}

const countOf = (what: string) =>
  Type.Optional(Type.Integer({ description: `The maximum number of ${what}. Absent: not limited.` }))

const entities = {
  hashtagsMax: countOf('hashtags'),
  mentionsMax: countOf('mentions'),
  linksMax: countOf('different links that start with `http://`, `https://` or `www.`'),
  cashtagsMax: countOf('cashtags, such as `$POST`'),
}

export const CaptionLimits = Type.Object(
  {
    ...text,
    maxWithMedia: Type.Optional(
      Type.Integer({ description: 'Replaces `max` in a post with media. Absent: `max` applies.' }),
    ),
    maxWithImages: Type.Optional(
      Type.Integer({ description: 'Replaces `max` in a post with images. Absent: `max` applies.' }),
    ),
    required: StringEnum(
      [
        'always',
        'unless media',
        'unless media or link',
        'unless media or embeds',
        'unless media or spoilerText',
        'never',
      ],
      {
        description:
          'When a scheduled post must have a caption that is not blank. `link`, `embeds` and `spoilerText` are keys of `fields`. A draft may be incomplete.',
      },
    ),
    ...entities,
  },
  {
    $id: 'CaptionLimits',
    description: 'The limits of a caption. In a thread, the maxima of hashtags and the like apply to each part.',
    examples: [{ max: 300, unit: 'graphemes', bytesMax: 3000, required: 'unless media', source: SOURCE }],
  },
)
export type CaptionLimits = Static<typeof CaptionLimits>

export const TitleLimits = Type.Object(
  {
    ...text,
    field: Type.String({ description: 'The key of `fields` that holds the title.' }),
    required: Type.Boolean({
      description:
        'Whether a scheduled post needs a title. Without one, the first line of the caption becomes the title.',
    }),
  },
  {
    $id: 'TitleLimits',
    description: 'The limits of a title.',
    examples: [
      {
        max: 100,
        unit: 'code points',
        forbiddenCharacters: ['<', '>'],
        field: 'title',
        required: true,
        source: {
          url: 'https://developers.google.com/youtube/v3/docs/videos#properties',
          confidence: 'copy',
          version: '2026-10-10',
          seenAt: '2026-11-21',
        },
      },
    ],
  },
)
export type TitleLimits = Static<typeof TitleLimits>

export const AltTextLimits = Type.Object(
  {
    min: Type.Optional(
      Type.Integer({
        description:
          'The minimum length, in `unit`: a scheduled post whose file has a shorter text is rejected. Absent: none.',
      }),
    ),
    max: text.max,
    unit: text.unit,
    maxSource: text.maxSource,
    bytesMax: text.bytesMax,
    source: text.source,
  },
  {
    $id: 'AltTextLimits',
    description:
      'The limits of the alternative text of a file. A longer one is cut between two characters when it is sent, and leads to the warning `text_cut`.',
    examples: [{ max: 1000, unit: 'graphemes', bytesMax: 10_000, source: SOURCE }],
  },
)
export type AltTextLimits = Static<typeof AltTextLimits>

export const FirstCommentLimits = Type.Object(
  {
    ...text,
    ...entities,
    refusedWhen: Type.Optional(
      Type.String({ description: 'A condition under which a first comment is rejected, in words. Absent: never.' }),
    ),
  },
  {
    $id: 'FirstCommentLimits',
    description: 'The limits of a first comment.',
    examples: [{ max: 300, unit: 'graphemes', bytesMax: 3000, source: SOURCE }],
  },
)
export type FirstCommentLimits = Static<typeof FirstCommentLimits>

export const ThreadLimits = Type.Object(
  {
    ...text,
    mode: StringEnum(['chained', 'single'], {
      description: '`chained`: one post for each part. `single`: one part with the whole text.',
    }),
    partsMax: Type.Integer({ description: 'The maximum number of parts.' }),
  },
  {
    $id: 'ThreadLimits',
    description: 'The limits of a thread. Those of texts apply to each part.',
    examples: [
      {
        max: 300,
        unit: 'graphemes',
        bytesMax: 3000,
        mode: 'chained',
        partsMax: 25,
        source: { ...SOURCE, confidence: 'assumed' },
      },
    ],
  },
)
export type ThreadLimits = Static<typeof ThreadLimits>
