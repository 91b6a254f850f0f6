import { type Static, Type } from '@sinclair/typebox'
import { AccountPath, SANDBOX_ACCOUNT_ID } from './account.ts'
import { Dictionary, Ref } from './shared.ts'

const FieldOption = Type.Object(
  {
    value: Type.String({ description: 'What to put in `fields`.' }),
    label: Type.String({ description: 'The name of the value on the network, for people.' }),
    details: Type.Optional(
      Dictionary(Type.Unknown(), {
        description: 'What else the network says about the value, such as the `privacy` of a board on Pinterest.',
      }),
    ),
  },
  {
    $id: 'FieldOption',
    description: 'A value that a key of `fields` may have for an account.',
    examples: [
      { value: '1', label: 'Lighthouses', details: { privacy: 'PUBLIC' } },
      { value: '2', label: 'Harbours', details: { privacy: 'SECRET' } },
    ],
  },
)

export const FieldOptionList = Type.Object(
  {
    field: Type.String({ description: 'The key of `fields`.' }),
    data: Type.Array(Ref(FieldOption), { description: 'The values, in the order of the network.' }),
    facts: Dictionary(Type.Unknown(), {
      description: 'What else the network says about the account for this field. Empty on most networks.',
    }),
    readAt: Type.String({
      format: 'date-time',
      description: 'When the values were read from the network, in UTC with milliseconds: at most a minute ago.',
    }),
  },
  {
    $id: 'FieldOptionList',
    description: 'The values that a key of `fields` may have for an account.',
    examples: [{ field: 'boardId', data: FieldOption.examples, facts: {}, readAt: '2026-11-21T08:15:30.123Z' }],
  },
)
export type FieldOptionList = Static<typeof FieldOptionList>

export const FieldOptionsPath = Type.Object({
  id: { ...AccountPath.properties.id, examples: [SANDBOX_ACCOUNT_ID] },
  field: Type.String({ description: 'The key of `fields`.', examples: ['boardId'] }),
})

const needed = (description: string) => Type.Optional(Type.String({ maxLength: 200, description }))

/** Every key of `fields` that the values of another key depend on. */
export const ListFieldOptionsQuery = Type.Object({
  boardId: needed('The board. Required for `boardSectionId`.'),
  subreddit: needed('The name of the subreddit, without `r/`. Required for `flairId`.'),
})
export type ListFieldOptionsQuery = Static<typeof ListFieldOptionsQuery>
