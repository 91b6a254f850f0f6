import type { Db } from '../../../db/client.ts'
import { markPostPublished as store } from '../../../db/queries/delivery/owner.ts'
import { MARK_PUBLISHED } from '../../engine/delivery/machine.ts'

/**
 * Marks a post as published by hand, for an operator. `busy` while it is being sent, `missing` if the id is unknown.
 */
export const markPostPublished = (db: Db, id: string) => store(db, id, MARK_PUBLISHED)
