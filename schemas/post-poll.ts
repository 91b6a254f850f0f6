import { type Static, Type } from '@sinclair/typebox'
import { NOT_BLANK } from './shared.ts'

/** The longest poll that a network takes. */
const OPTIONS_MAX = 12

export const PostPoll = Type.Object(
  {
    options: Type.Array(Type.String({ maxLength: 300, pattern: NOT_BLANK }), {
      minItems: 2,
      maxItems: OPTIONS_MAX,
      description: 'The answers, in order.',
    }),
    durationMinutes: Type.Optional(
      Type.Integer({
        minimum: 1,
        description:
          'How long the poll is open. Default: 1440, a day. LinkedIn takes 1, 3, 7 or 14 days, Discord whole hours. Threads always takes a day.',
      }),
    ),
    multiple: Type.Optional(
      Type.Boolean({
        description:
          'Whether people may choose several answers. It has no effect on X, LinkedIn and Threads. Default: false.',
      }),
    ),
  },
  {
    $id: 'PostPoll',
    additionalProperties: false,
    description:
      'A poll in one form for all networks that have polls. The caption, or the first part of a thread, is the question. `poll` in `fields`, in the form of one network, takes its place.',
    examples: [{ options: ['Tea', 'Coffee'], durationMinutes: 4320 }],
  },
)
export type PostPoll = Static<typeof PostPoll>
