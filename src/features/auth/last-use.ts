import { withDatabaseBudget } from '../../../db/budget.ts'
import type { Db } from '../../../db/client.ts'
import { noteKeyUse } from '../../../db/queries/keys.ts'

/** How long a use waits for others, which are stored by the same statement. */
const FLUSH_MS = 10_000

interface LastUse {
  /** Notes that the key is used now. */
  note(keyId: string): void
  /** Stores what was noted. A failure costs no more than this: the next use is noted again. */
  flush(): Promise<void>
}

/** Stores when keys were last used, apart from the requests that use them. */
export function createLastUse(db: Db, onError: (error: unknown) => void): LastUse {
  const used = new Set<string>()
  let timer: NodeJS.Timeout | undefined

  async function flush(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    const ids = [...used]
    used.clear()
    // The timer was set within the budget of a request.
    if (ids.length > 0) await withDatabaseBudget(undefined, () => noteKeyUse(db, { ids })).catch(onError)
  }

  return {
    note(keyId) {
      used.add(keyId)
      timer ??= setTimeout(flush, FLUSH_MS).unref()
    },
    flush,
  }
}
