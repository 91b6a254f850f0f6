import { once } from 'node:events'
import type { Command } from 'commander'
import type { Db } from '../../db/client.ts'
import { NO_ID } from '../../db/id.ts'
import { userExists } from '../../db/queries/people.ts'
import { listPostDetails } from '../../db/queries/post-detail.ts'
import { listUserIds } from '../../db/queries/retention/users.ts'
import { readConfig } from '../config.ts'
import { openDatabase } from '../runtime/database.ts'
import { requireFound } from './command.ts'

const POSTS_PER_PAGE = 100
const USERS_PER_PAGE = 100

export function addPostExport(post: Command): void {
  const command = post
    .command('export')
    .description(
      'print posts as lines of JSON, one a post, oldest first: as getPost of the API returns them, with their deliveries and the ids of their files. Posts that are created meanwhile may be missing',
    )
    .option('--user <id>', 'the id of the user whose posts are printed; without it, those of all users')
  command.action(async ({ user }: { user?: string }) => {
    const { db, close } = await openDatabase(readConfig(process.env), { purpose: 'post export' })
    try {
      if (user !== undefined) requireFound(await userExists(db, user), 'user')
      await printPosts(user === undefined ? allUserIds(db) : [user], db)
    } finally {
      await close()
    }
  })
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
async function printPosts(userIds: Iterable<string> | AsyncIterable<string>, db: Db): Promise<void> {
  const { stdout } = process
  let isClosed = false
  // The reader has seen enough, such as `head`.
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
    isClosed = true
  })
  for await (const userId of userIds) {
    for (let after = NO_ID; ; ) {
      const posts = await listPostDetails(db, { userId, after, limit: POSTS_PER_PAGE })
      if (posts.length === 0) break
      const text = posts.map((post) => `${JSON.stringify(post)}\n`).join('')
      if (!stdout.write(text) && !isClosed) await once(stdout, 'drain').catch(() => {})
      if (isClosed) return
      after = posts.at(-1)!.id
    }
  }
}
