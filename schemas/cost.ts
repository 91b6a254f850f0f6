import { type Static, Type } from '@sinclair/typebox'
import { Ref, StringEnum } from './shared.ts'

/** An amount of money. No price is below a millionth of a dollar, and integers have no rounding. */
export const UsdMicros = (description: string, options: { maximum?: number } = {}) =>
  Type.Integer({
    minimum: 0,
    description: `${description} In millionths of a US dollar: 15000 is 1.5 cents.`,
    ...options,
  })

export const PricedOperation = StringEnum(['post', 'post_with_url', 'alt_text'], {
  $id: 'PricedOperation',
  description:
    'What a network charges for. `post`: a post, a part of a thread or a first comment. `post_with_url`: one whose text has a URL, in place of `post`. `alt_text`: the alternative text of a file.',
  examples: ['post_with_url'],
})
export type PricedOperation = Static<typeof PricedOperation>

export const CostItem = Type.Object(
  {
    operation: Ref(PricedOperation),
    count: Type.Integer({ minimum: 1, description: 'How often the operation is carried out.' }),
    usdMicros: UsdMicros('What all of them cost together.'),
  },
  {
    $id: 'CostItem',
    description: 'What one kind of operation costs.',
    examples: [
      { operation: 'post_with_url', count: 1, usdMicros: 200_000 },
      { operation: 'alt_text', count: 2, usdMicros: 10_000 },
    ],
  },
)
export type CostItem = Static<typeof CostItem>

export const DeliveryCost = Type.Object(
  {
    spentUsdMicros: UsdMicros('What the published acts have cost.'),
    reservedUsdMicros: UsdMicros('What is reserved for a call whose outcome is not known.'),
  },
  {
    $id: 'DeliveryCost',
    description: 'What the network has charged the owner of the app for a delivery.',
    examples: [{ spentUsdMicros: 200_000, reservedUsdMicros: 0 }],
  },
)
export type DeliveryCost = Static<typeof DeliveryCost>

export const PostCost = Type.Object(
  {
    usdMicros: UsdMicros('The sum of the items.'),
    items: Type.Array(Ref(CostItem), { description: 'By kind of operation.' }),
  },
  {
    $id: 'PostCost',
    description: 'What a network charges the owner of the app for a post.',
    examples: [{ usdMicros: 210_000, items: CostItem.examples }],
  },
)
export type PostCost = Static<typeof PostCost>
