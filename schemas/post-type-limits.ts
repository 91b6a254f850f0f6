import { type Static, Type } from '@sinclair/typebox'
import { MediaLimits } from './media-limits.ts'
import { POST_TYPES } from './platform.ts'
import { Nullable, Ref, StringEnum } from './shared.ts'
import { CaptionLimits, FirstCommentLimits, ThreadLimits, TitleLimits } from './text-limits.ts'
import { DeliveryGuarantee, LimitSource } from './validate-post.ts'

export const AccountKind = StringEnum(['members', 'organizations'], {
  $id: 'AccountKind',
  description: 'The kind of account, on networks where it matters. Absent: every account.',
  examples: ['members'],
})

export const ActGuarantee = Type.Object(
  {
    act: StringEnum(['text', 'files', 'comment'], {
      description:
        'What is sent. `text`: a post or a part of a thread without files. `files`: one with files. `comment`: a first comment.',
    }),
    accounts: Type.Optional(
      Ref(AccountKind, { description: 'The kind of account, on networks where it matters. Absent: every account.' }),
    ),
    files: Type.Optional(
      StringEnum(['images', 'videos'], {
        description: 'The kind of the files, on networks where it matters. Absent: any files, or none.',
      }),
    ),
    guarantee: Ref(DeliveryGuarantee),
    ifAbsent: Type.Optional(
      StringEnum(['sent again', 'unconfirmed'], {
        description: 'The outcome of an act that the network does not show. With `reconcilable` only.',
      }),
    ),
    onLostResponse: Type.String({ description: 'What happens after a lost response, in words.' }),
    source: Ref(LimitSource),
  },
  {
    $id: 'ActGuarantee',
    description: 'What happens where the response of the network to one act is lost.',
    examples: [
      {
        act: 'text',
        guarantee: 'exactly-once',
        onLostResponse: 'The call is repeated, which changes nothing.',
        source: {
          url: 'https://github.com/bluesky-social/atproto/blob/main/lexicons/com/atproto/repo/putRecord.json',
          confidence: 'official',
          version: 'ac97a3d',
          seenAt: '2026-11-21',
        },
      },
    ],
  },
)
export type ActGuarantee = Static<typeof ActGuarantee>

export const TypeGuarantee = Type.Object(
  {
    guarantee: Ref(DeliveryGuarantee),
    acts: Type.Array(Ref(ActGuarantee), { description: 'Each act of such a post, in the order of sending.' }),
  },
  {
    $id: 'TypeGuarantee',
    description:
      'What happens where a response of the network is lost. `guarantee` is the weakest one of all acts and kinds of accounts.',
    examples: [{ guarantee: 'exactly-once', acts: ActGuarantee.examples }],
  },
)
export type TypeGuarantee = Static<typeof TypeGuarantee>

export const PostTypeLimits = Type.Object(
  {
    caption: Nullable(Ref(CaptionLimits), {
      description: '`null`: the network shows no caption with this type of post, so that the caption is not checked.',
    }),
    title: Type.Optional(Ref(TitleLimits)),
    firstComment: Type.Optional(Ref(FirstCommentLimits)),
    thread: Type.Optional(Ref(ThreadLimits)),
    media: Ref(MediaLimits),
    delivery: Nullable(Ref(TypeGuarantee), {
      description: 'What holds where a response of the network is lost. Never `null` so far.',
    }),
  },
  {
    $id: 'PostTypeLimits',
    description:
      'The limits of one type of post. Where `title` is absent, the network has no titles. Where `firstComment` is absent, a first comment is rejected. Only `thread` has `thread`.',
    examples: [
      {
        caption: CaptionLimits.examples[0],
        firstComment: FirstCommentLimits.examples[0],
        media: MediaLimits.examples[0],
        delivery: TypeGuarantee.examples[0],
      },
    ],
  },
)
export type PostTypeLimits = Static<typeof PostTypeLimits>

type Types = Record<(typeof POST_TYPES)[number], ReturnType<typeof optionalType>>
const optionalType = () => Type.Optional(Ref(PostTypeLimits))

export const SupportedPostTypes = Type.Object(
  Object.fromEntries(POST_TYPES.map((type) => [type, optionalType()])) as Types,
  {
    $id: 'SupportedPostTypes',
    description: 'The types of posts that the network supports. Types that are absent are rejected.',
    examples: [{ post: PostTypeLimits.examples[0] }],
  },
)
export type SupportedPostTypes = Static<typeof SupportedPostTypes>
