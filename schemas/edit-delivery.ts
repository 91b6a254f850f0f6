import { type Static, Type } from '@sinclair/typebox'
import { PostDetail } from './post.ts'
import { Dictionary } from './shared.ts'

export const EDIT_EXAMPLES = {
  text: { text: 'We are live, and the doors are open.' },
  newId: { text: 'We are live, and the doors are open.', acceptNewId: true },
}

export const EditDelivery = Type.Object(
  {
    text: Type.Optional(
      Type.String({ description: 'The new text of the post for this account. Absent: it stays as it is.' }),
    ),
    fields: Type.Optional(
      Dictionary(Type.Unknown(), {
        description:
          'Changes to the options for this account, as a JSON merge patch: `null` removes a key. Only keys that `changes.edit.what` of the network names.',
      }),
    ),
    acceptNewId: Type.Optional(
      Type.Boolean({
        description:
          'Required to be `true` on networks that publish an edit as a new post with an id of its own, such as X. Default: false.',
      }),
    ),
  },
  {
    $id: 'EditDelivery',
    additionalProperties: false,
    description: 'The new content for this account. It needs `text` or `fields`. Unknown keys are rejected.',
    examples: Object.values(EDIT_EXAMPLES),
  },
)
export type EditDelivery = Static<typeof EditDelivery>

export const EditedPost = Type.Object(
  {
    ...PostDetail.properties,
    warning: Type.Optional(
      Type.String({ description: 'Something about edits on this network that you may not expect.' }),
    ),
  },
  {
    $id: 'EditedPost',
    description: 'A post with a delivery that is being edited.',
    examples: [
      {
        ...PostDetail.examples[0],
        warning:
          'The record of the post is replaced. The app of Bluesky shows the first text until it knows edits; other apps show the new one.',
      },
    ],
  },
)
export type EditedPost = Static<typeof EditedPost>
