import type { FieldOption, FieldOptions } from '../contract/adapter.ts'
import { impossible } from '../contract/publish-error.ts'
import { clientFor, HOST } from './client.ts'

/** The boards of every account, as Pinterest has them, with their sections. */
const BOARDS: readonly (FieldOption & { sections: FieldOption[] })[] = [
  {
    value: '1',
    label: 'Lighthouses',
    details: { privacy: 'PUBLIC' },
    sections: [
      { value: '11', label: 'At dusk' },
      { value: '12', label: 'In a storm' },
    ],
  },
  { value: '2', label: 'Harbours', details: { privacy: 'SECRET' }, sections: [] },
]

export const sandboxOptions: Readonly<Record<string, FieldOptions>> = {
  boardId: {
    async read(io) {
      clientFor(io)
      return { options: BOARDS.map(({ sections: _, ...board }) => board) }
    },
  },
  boardSectionId: {
    needs: ['boardId'],
    async read(io, { boardId }) {
      clientFor(io)
      const board = BOARDS.find(({ value }) => value === boardId)
      if (!board) throw impossible(`${HOST}: Board not found`)
      return { options: board.sections }
    },
  },
}
