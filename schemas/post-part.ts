import { type Static, Type } from '@sinclair/typebox'
import { LimitUnit } from './limit-unit.ts'
import { AdjustedFile, MEDIA_ID } from './media.ts'
import { Nullable, NullableInteger, NullableString, Ref, StringEnum } from './shared.ts'

/** The maximum of entities that a part lists. */
export const PART_ENTITIES_MAX = 200

const offset = (description: string) =>
  Type.Integer({ minimum: 0, description: `${description} In UTF-16 units, as in strings of JavaScript.` })

export const PartKind = StringEnum(['post', 'comment'], {
  $id: 'PartKind',
  description: '`comment` for a first comment; `post` for a post and for each part of a thread.',
  examples: ['post'],
})
export type PartKind = Static<typeof PartKind>

export const TextEntity = Type.Object(
  {
    type: StringEnum(['link', 'mention', 'hashtag', 'cashtag'], {
      description: 'The kind of the entity. A `cashtag` is a name of a stock, such as `$ABC`.',
    }),
    start: offset('The index of its first character in `text`.'),
    end: offset('The index after its last character.'),
  },
  {
    $id: 'TextEntity',
    description:
      'A link, a mention or a tag in a text. On Bluesky, it is what the post marks; a mention of a handle that does not exist is published as text. On X, Mastodon and LinkedIn, it is found by the rules of the network, elsewhere by those of X: not every network makes a link of it.',
    examples: [{ type: 'hashtag', start: 24, end: 36 }],
  },
)
export type TextEntity = Static<typeof TextEntity>

const PartFile = Type.Object(
  {
    mediaId: Type.String({ description: 'The id of the file.' }),
    altText: NullableString({
      description:
        'The alternative text that the network gets. `null` without one, or if the network takes no such texts.',
    }),
    rendition: Type.Optional(
      Ref(AdjustedFile, {
        description: 'What the network gets in place of the file, by `mediaFit`. Absent: the file.',
      }),
    ),
  },
  {
    $id: 'PartFile',
    description: 'A file of a part.',
    examples: [{ mediaId: MEDIA_ID, altText: 'A lighthouse at dusk.' }],
  },
)

export const PartLink = Type.Object(
  {
    url: Type.String({ description: 'The address.' }),
    title: Type.Optional(
      Type.String({ description: 'The title of its card. Absent where the network reads the page.' }),
    ),
    description: Type.Optional(Type.String({ description: 'The description of its card.' })),
    imageUrl: Type.Optional(Type.String({ description: 'The address of the picture of its card.' })),
  },
  {
    $id: 'PartLink',
    description: 'The link that a network shows beside the text, such as a link card or the target of a pin.',
    examples: [{ url: 'https://example.com/lighthouses', title: 'Lighthouses' }],
  },
)
export type PartLink = Static<typeof PartLink>

export const PostPart = Type.Object(
  {
    kind: Ref(PartKind),
    text: Type.String({
      description:
        'The text as the network stores and counts it: without markup, and without white space that the network removes. Empty where it shows none.',
    }),
    sentText: Type.Optional(
      Type.String({
        description:
          'The text as the network gets it, where it differs: with markup on Telegram, with escaped characters on LinkedIn.',
      }),
    ),
    length: Type.Integer({
      minimum: 0,
      description:
        'The length of `text` in `unit`, with the `fields` that count towards it, such as a content warning.',
    }),
    limit: NullableInteger({ description: 'The maximum of `length`. `null` where the network shows no text.' }),
    unit: Nullable(Ref(LimitUnit), { description: 'The unit of `length` and `limit`. `null` without a `limit`.' }),
    entities: Type.Array(Ref(TextEntity), {
      description: `Links, mentions and tags in \`text\`, in their order. At most ${PART_ENTITIES_MAX}.`,
    }),
    title: Type.Optional(
      Type.String({ description: 'The title. It may be the first line of the caption. Absent without one.' }),
    ),
    files: Type.Array(Ref(PartFile), { description: 'The files in their order.' }),
    link: Type.Optional(Ref(PartLink)),
  },
  {
    $id: 'PostPart',
    description: 'One of the things that are published: a post, a part of a thread or a first comment.',
    examples: [
      {
        kind: 'post',
        text: 'Lighthouses of the north #lighthouses',
        length: 37,
        limit: 300,
        unit: 'graphemes',
        entities: [{ type: 'hashtag', start: 25, end: 37 }],
        files: PartFile.examples,
      },
    ],
  },
)
export type PostPart = Static<typeof PostPart>
