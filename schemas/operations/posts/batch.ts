import { MISSING_ACCOUNT_IDS } from '../../error.ts'

export const MISSING_IN_SECOND = { ...MISSING_ACCOUNT_IDS, path: ['posts', 1, 'accountIds'] }
