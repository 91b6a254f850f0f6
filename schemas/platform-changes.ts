import { type Static, Type } from '@sinclair/typebox'
import { UsdMicros } from './cost.ts'
import { PostType } from './platform.ts'
import { PartKind } from './post-part.ts'
import { AccountKind } from './post-type-limits.ts'
import { Ref, StringEnum } from './shared.ts'
import { LimitSource } from './validate-post.ts'

const [SOURCE] = LimitSource.examples

const ChangeException = Type.Object(
  {
    reason: Type.String({ description: 'Why the network leaves it as it is, as a sentence.' }),
    accounts: Type.Optional(Ref(AccountKind, { description: 'The accounts that it concerns. Absent: all.' })),
    kind: Type.Optional(Ref(PartKind, { description: 'What it concerns. Absent: posts and first comments.' })),
    postTypes: Type.Optional(
      Type.Array(Ref(PostType), { description: 'The types of posts that it concerns. Absent: all.' }),
    ),
    source: Ref(LimitSource),
  },
  {
    $id: 'ChangeException',
    description:
      'What a network does not remove or edit although it does so otherwise. `reason` may narrow it further.',
    examples: [{ reason: 'A story has no text.', kind: 'post', postTypes: ['story'], source: SOURCE }],
  },
)

const change = {
  possible: Type.Boolean({ description: 'Whether the network lets apps do it. The other keys say for which posts.' }),
  reason: Type.Optional(
    Type.String({ description: 'Why the network does not, as a sentence. If `possible` is false.' }),
  ),
  scope: Type.Optional(
    Type.String({
      description:
        'The scope that an account needs beside those for publishing. Users are asked for it if the app names it: store the app with its `scopes`, and connect the account again. Absent: none.',
    }),
  ),
  minutesMax: Type.Optional(
    Type.Integer({ minimum: 1, description: 'For how many minutes after the post was published. Absent: for ever.' }),
  ),
  exceptions: Type.Array(Ref(ChangeException), { description: 'What the network leaves as it is all the same.' }),
  usdMicros: Type.Optional(UsdMicros('What it costs each time. Absent: nothing.')),
  warning: Type.Optional(
    Type.String({ description: 'What may differ from what the owner of the post expects, as a sentence.' }),
  ),
  source: Type.Optional(Ref(LimitSource)),
}

const PostRemoval = Type.Object(
  {
    ...change,
    confirmedBy: Type.Optional(
      StringEnum(['response', 'reading'], {
        description:
          'How it is known that the post is gone. `response`: by the response of the network. `reading`: by reading it afterwards. If `possible` is true.',
      }),
    ),
  },
  {
    $id: 'PostRemoval',
    description: 'Whether and how a network removes a published post.',
    examples: [{ possible: true, exceptions: [], confirmedBy: 'response', source: SOURCE }],
  },
)

const PostEditing = Type.Object(
  {
    ...change,
    what: Type.Array(Type.String(), {
      description: 'What can be edited: `text`, and keys of `fields`. Files stay as they are.',
    }),
    keepsId: Type.Optional(
      Type.Boolean({
        description:
          'Whether the post stays the same. `false`: the network publishes a new one. If `possible` is true.',
      }),
    ),
    timesMax: Type.Optional(Type.Integer({ minimum: 1, description: 'How often. Absent: any number of times.' })),
  },
  {
    $id: 'PostEditing',
    description: 'Whether and how a network edits a published post.',
    examples: [{ possible: true, exceptions: [], what: ['text'], keepsId: true, source: SOURCE }],
  },
)

export const PlatformChanges = Type.Object(
  { remove: Ref(PostRemoval), edit: Ref(PostEditing) },
  {
    $id: 'PlatformChanges',
    description: 'What a network lets apps do with a post after it is published.',
    examples: [{ remove: PostRemoval.examples[0], edit: PostEditing.examples[0] }],
  },
)
export type PlatformChanges = Static<typeof PlatformChanges>
