import type { Db } from '../../db/client.ts'
import { markPostPublished as store } from '../../db/queries/delivery/owner.ts'
import { MARKED_PUBLISHED } from '../delivery/states.ts'

/** Marks a post as published by hand, for an operator. `busy` while it is being sent, `missing` where there is none. */
export const markPostPublished = (db: Db, id: string) => store(db, id, MARKED_PUBLISHED)
