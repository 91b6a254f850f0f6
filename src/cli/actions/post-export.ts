import { once } from 'node:events'
import type { Writable } from 'node:stream'
import type { Db } from '../../../db/client.ts'
import { NO_ID } from '../../../db/id.ts'
import { userExists } from '../../../db/queries/people.ts'
import { listPostDetails } from '../../../db/queries/posts/detail.ts'
import { listUserIds } from '../../../db/queries/retention/users.ts'
import { readConfig } from '../../run/config/config.ts'
import { openDatabase } from '../../run/runtime/database.ts'
import { escapeControls } from '../../run/runtime/terminal.ts'
import type { Io } from '../action.ts'
import { requireFound } from './on-database.ts'

const USERS_PER_PAGE = 100

/** Prints the posts of one user, or of all, while it reads them. */
export async function exportPosts({ env, stdout }: Io, user: string | undefined): Promise<void> {
  const { db, close } = await openDatabase(readConfig(env), { purpose: 'post export' })
  try {
    if (user !== undefined) requireFound(await userExists(db, user), 'user')
    await printPosts(user === undefined ? allUserIds(db) : [user], db, stdout)
  } finally {
    await close()
  }
}

async function* allUserIds(db: Db): AsyncGenerator<string> {
  for (let after = NO_ID; ; ) {
    const users = await listUserIds(db, { after, limit: USERS_PER_PAGE })
    if (users.length === 0) return
    for (const { id } of users) yield id
    after = users.at(-1)!.id
  }
}

/** Prints page by page, so that memory stays the same for any number of posts, and no transaction stays open. */
async function printPosts(userIds: Iterable<string> | AsyncIterable<string>, db: Db, stdout: Writable): Promise<void> {
  let isClosed = false
  // The reader has seen enough, such as `head`.
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
    isClosed = true
  })
  for await (const userId of userIds) {
    for (let after = NO_ID; ; ) {
      const posts = await listPostDetails(db, { userId, after })
      if (posts.length === 0) break
      const text = posts.map((post) => `${JSON.stringify(post)}\n`).join('')
      if (!stdout.write(escapeControls(text)) && !isClosed) await once(stdout, 'drain').catch(() => {})
      if (isClosed) return
      after = posts.at(-1)!.id
    }
  }
}
