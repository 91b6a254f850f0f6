import type { FieldTextRule } from './limits.ts'
import { impossible } from './publish-error.ts'

/** The answers of a poll: from 2 to `max` texts, each by the rule of the network. */
export const optionsUpTo = (max: number, text: FieldTextRule) =>
  ({
    type: 'string[]',
    itemsMin: 2,
    itemsMax: max,
    item: { ...text, notBlank: true },
    required: true,
  }) as const

/** The answers of a poll in `fields`, which may have any form. */
export function optionsOf(poll: unknown): unknown[] {
  const { options } = (poll ?? {}) as { options?: unknown }
  if (!Array.isArray(options)) throw impossible('fields.poll has to have options, a list of texts')
  return options
}
