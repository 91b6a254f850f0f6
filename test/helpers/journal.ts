import type { Journal } from '../../src/engine/delivery/deps.ts'

/** A journal that records nothing. */
export const noJournal: Journal = {
  isReady: async () => true,
  begin: async () => true,
  intended: async () => {},
  settled: () => {},
  removing: async () => {},
  removed: () => {},
  editing: async () => {},
  edited: () => {},
  close: async () => {},
}
