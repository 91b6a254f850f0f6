import { type Static, Type } from '@sinclair/typebox'
import { UsdMicros } from './cost.ts'
import { Nullable, NullableInteger } from './shared.ts'

/** A million dollars. */
const LIMIT_MAX = 1_000_000_000_000

export const Budget = Type.Object(
  {
    month: Type.String({ description: 'The month in UTC that the amounts are about.' }),
    limitUsdMicros: NullableInteger({
      description: 'What may be spent in a month, in millionths of a US dollar. `null`: there is no limit.',
    }),
    spentUsdMicros: UsdMicros(
      'What the published acts of the month have cost, and removals and edits of published posts. That of an account includes the readings of numbers.',
    ),
    reservedUsdMicros: UsdMicros(
      'What is reserved for calls whose outcome is not known, `unconfirmed` deliveries among them.',
    ),
  },
  {
    $id: 'Budget',
    description: 'The limit and the sum of spending in a month, on networks that charge for posts.',
    examples: [{ month: '2026-11', limitUsdMicros: 5_000_000, spentUsdMicros: 1_230_000, reservedUsdMicros: 15_000 }],
  },
)
export type Budget = Static<typeof Budget>

export const BUDGET_EXAMPLES = {
  fiveDollars: { limitUsdMicros: 5_000_000 },
  none: { limitUsdMicros: null },
} as const

export const PutBudget = Type.Object(
  {
    limitUsdMicros: Nullable(Type.Integer({ minimum: 0, maximum: LIMIT_MAX }), {
      description: 'The new limit in millionths of a US dollar: 5000000 is 5 dollars. `null`: no limit.',
    }),
  },
  {
    $id: 'PutBudget',
    additionalProperties: false,
    description: 'The limit of each month.',
    examples: Object.values(BUDGET_EXAMPLES),
  },
)
export type PutBudget = Static<typeof PutBudget>
