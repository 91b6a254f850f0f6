import type { World } from './app.ts'

/** All rows of posts, their targets and their attachments. */
export const readStoredPosts = async ({ db }: World) => ({
  posts: await db.selectFrom('posts').selectAll().orderBy('id').execute(),
  targets: await db.selectFrom('postTargets').selectAll().orderBy('accountId').execute(),
  media: await db.selectFrom('postMedia').selectAll().orderBy('position').execute(),
})
