import type { Journal } from '../../src/delivery/journal.ts'

/** A journal that records nothing. */
export const noJournal: Journal = {
  isReady: async () => true,
  begin: async () => true,
  intended: async () => {},
  settled: () => {},
  close: async () => {},
}
