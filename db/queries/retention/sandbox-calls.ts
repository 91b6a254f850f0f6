import { deletionByTime } from './range.ts'

export const deleteOldSandboxCalls = deletionByTime('delete_old_sandbox_calls', 'sandbox_calls')
