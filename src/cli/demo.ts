import type { Db } from '../../db/client.ts'
import { newId } from '../../db/id.ts'
import { insertAccount } from '../../db/queries/accounts.ts'
import { insertMedia } from '../../db/queries/media.ts'
import { insertOrganization, insertUser, upsertMembership } from '../../db/queries/people.ts'
import { markPostPublished } from '../../db/queries/posts.ts'
import type { PlatformId } from '../../schemas/platform.ts'
import type { CreatePost } from '../../schemas/post.ts'
import { createKey } from '../auth/keys.ts'
import { createPost } from '../posts/create.ts'

const DAY_MS = 86_400_000

/**
 * Fills an empty database with something to try things on: a user with accounts on several networks, an organisation
 * through which another user's account is reached, media, and a post in each state. All of it or nothing. Gives a key.
 */
export function seedDemo(db: Db, now: Date): Promise<{ userId: string; key: string }> {
  return db.transaction().execute(async (db) => {
    const userId = newId()
    const colleagueId = newId()
    const organizationId = newId()
    await insertUser(db, { id: userId, name: 'Demo' })
    await insertUser(db, { id: colleagueId, name: 'Demo colleague' })
    await insertOrganization(db, { id: organizationId, name: 'Demo organisation' })
    await upsertMembership(db, { userId, organizationId, role: 'member' })
    await upsertMembership(db, { userId: colleagueId, organizationId, role: 'admin' })

    const account = async (platform: PlatformId, username: string, displayName: string, shared = false) => {
      const id = newId()
      await insertAccount(db, {
        id,
        platform,
        username,
        displayName,
        userId: shared ? colleagueId : userId,
        organizationId: shared ? organizationId : null,
      })
      return id
    }
    const bluesky = await account('bluesky', 'demo.example.com', 'Demo')
    const mastodon = await account('mastodon', 'demo@social.example', 'Demo')
    const x = await account('x', 'demo', 'Demo')
    await account('instagram', 'demo.pictures', 'Demo Pictures')
    await account('linkedin', 'demo-organisation', 'Demo organisation', true)

    const file = { userId, durationSeconds: null }
    const imageId = newId()
    await insertMedia(db, { ...file, id: imageId, mimeType: 'image/jpeg', bytes: 482_113, width: 1080, height: 1350 })
    await insertMedia(db, {
      ...file,
      id: newId(),
      mimeType: 'video/mp4',
      bytes: 6_291_456,
      width: 1080,
      height: 1920,
      durationSeconds: 21.5,
    })

    const post = (body: Partial<CreatePost> & Pick<CreatePost, 'accountIds' | 'caption'>) =>
      createPost(db, userId, { postType: 'post', mediaIds: [], accountOverrides: [], ...body })
    const published = await post({ accountIds: [bluesky, x], caption: 'Hello, world.' })
    await markPostPublished(db, published.id)
    await post({
      accountIds: [bluesky, mastodon, x],
      caption: 'Something to look at.',
      mediaIds: [imageId],
      accountOverrides: [{ accountId: mastodon, captionOverride: 'Something to look at, with a #hashtag.' }],
      scheduledAt: new Date(now.getTime() + 7 * DAY_MS).toISOString(),
    })
    await post({ accountIds: [bluesky], caption: 'An idea that is not ready yet.' })

    const { key } = await createKey(db, { userId, name: 'demo', expiresAt: null })
    return { userId, key }
  })
}
