import type { ErrorRow } from '../contract/error-table.ts'

export const ERRORS: readonly ErrorRow[] = [
  { status: 401, means: 'credentials refused', note: 'The fault is `unauthorized`.', source: 'schemas/sandbox.ts' },
]
