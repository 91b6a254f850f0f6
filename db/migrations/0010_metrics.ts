import { sql } from 'kysely'
import { concurrentIndex, type Step } from '../migration.ts'

/** Indexes of the rows that metrics count. They leave out published and scheduled posts, of which there are millions. */
export const steps: Step[] = [
  concurrentIndex(
    'post_targets_unpublished',
    sql`post_targets (platform, state, claimable_at)
      where state in ('failed', 'unconfirmed', 'missed')
        or (state = 'queued' and (failures > 0 or waiting_since is not null))`,
  ),
  concurrentIndex(
    'accounts_attention',
    sql`accounts (platform, (attention ->> 'code')) where attention is not null and disconnected_at is null`,
  ),
]
