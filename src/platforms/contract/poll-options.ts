import type { FieldTextRule } from './limits.ts'

/** The answers of a poll: from 2 to `max` texts, each by the rule of the network. */
export const optionsUpTo = (max: number, text: FieldTextRule) =>
  ({
    type: 'string[]',
    itemsMin: 2,
    itemsMax: max,
    item: { ...text, notBlank: true },
    required: true,
  }) as const
