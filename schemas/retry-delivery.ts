import { type Static, Type } from '@sinclair/typebox'
import { OverridePatch } from './patch-post.ts'
import { Nullable } from './shared.ts'

export const RETRY_EXAMPLES = {
  asItIs: {},
  otherCaption: { captionOverride: 'We are live, without the link.' },
  otherFields: { fields: { visibility: 'unlisted', spoilerText: null } },
}

// A retry is due now.
const { scheduledAt: _, ...content } = OverridePatch.properties

export const RetryDelivery = Type.Object(
  {
    ...content,
    threadParts: Type.Optional(
      Nullable(Type.Array(Type.String()), {
        description:
          'The new parts of the thread for this account. Parts that are published already have to stay. `null` removes the parts.',
      }),
    ),
  },
  {
    $id: 'RetryDelivery',
    additionalProperties: false,
    description:
      'Changes to the content for this account before the retry, as a JSON merge patch. An absent key changes nothing. Unknown keys are rejected.',
    examples: Object.values(RETRY_EXAMPLES),
  },
)
export type RetryDelivery = Static<typeof RetryDelivery>
