import { setTimeout as sleep } from 'node:timers/promises'
import { NO_ID } from '../../../db/id.ts'
import { deleteEventsOf } from '../../../db/queries/retention/events.ts'
import {
  deleteDueWordsOf,
  deleteEmptyUser,
  deleteKeptResponsesOf,
  deleteMediaOf,
  deletePostsOf,
  deleteSandboxCallsOf,
  markFilesOf,
  passOnNamedAccounts,
} from '../../../db/queries/retention/user-data.ts'
import { forgetFile, type StagedFile } from '../../../db/queries/staged-files.ts'
import { discardFile } from '../media/discard-file.ts'
import type { Library } from '../media/library.ts'
import { Pace } from './pace.ts'

/** The share of one core. A command may be faster than a sweep. */
const SHARE = 0.5
const FILES_AT_A_TIME = 8

interface DeletedUser {
  posts: number
  files: number
}

/**
 * Deletes a user with everything that belongs to them, the bytes of their files included. `stopUser` has to run before.
 * The user goes last, so that both can be repeated, and continue, if they are interrupted anywhere.
 */
export async function deleteUser(library: Library, userId: string): Promise<DeletedUser> {
  const { db } = library
  const pace = new Pace({ share: SHARE, lastsMs: Number.POSITIVE_INFINITY, rest: (ms) => sleep(ms) })
  const deleted: DeletedUser = { posts: 0, files: 0 }
  // Requests that had been authenticated before may still add posts and files.
  do {
    deleted.posts += await deletePosts(library, userId, pace)
    deleted.files += await deleteFiles(library, userId, pace)
    await repeat(pace, (limit) => deleteKeptResponsesOf(db, { userId, limit }))
    await passOnNamedAccounts(db, userId)
    await repeat(pace, (limit) => deleteEventsOf(db, { userId, limit }))
    await repeat(pace, (limit) => deleteDueWordsOf(db, { userId, limit }))
    await repeat(pace, (limit) => deleteSandboxCallsOf(db, { userId, limit }))
  } while (!(await deleteEmptyUser(db, userId)))
  return deleted
}

async function deletePosts({ db }: Library, userId: string, pace: Pace): Promise<number> {
  let deleted = 0
  for (let after = NO_ID; ; ) {
    const { limit } = pace
    const ids = await pace.run(() => deletePostsOf(db, { userId, after, limit }))
    deleted += ids.length
    if (ids.length === 0) return deleted
    after = ids.at(-1)!
  }
}

async function deleteFiles(library: Library, userId: string, pace: Pace): Promise<number> {
  const { db } = library
  // Their rows stay for the hour in which the storage may still carry out an earlier write. A sweep deletes them.
  await discardAll(library, await markFilesOf(db, userId))
  let deleted = 0
  for (;;) {
    const { count, files } = await pace.run(() => deleteMediaOf(db, { userId, limit: pace.limit }))
    if (count === 0) break
    deleted += count
    await discardAll(library, files)
    for (const file of files) await forgetFile(db, file)
  }
  // Files that were made from those, such as previews.
  await discardAll(library, await markFilesOf(db, userId))
  return deleted
}

async function discardAll(library: Library, files: StagedFile[]): Promise<void> {
  for (let begin = 0; begin < files.length; begin += FILES_AT_A_TIME) {
    await Promise.all(files.slice(begin, begin + FILES_AT_A_TIME).map((file) => discardFile(library, file)))
  }
}

/** Calls `work` until it has deleted nothing. */
async function repeat(pace: Pace, work: (limit: number) => Promise<number>): Promise<void> {
  while ((await pace.run(() => work(pace.limit))) > 0);
}
