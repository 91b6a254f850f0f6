import type { Db } from '../../db/client.ts'
import { newId } from '../../db/id.ts'
import { insertAccount } from '../../db/queries/accounts.ts'
import { replaceCredentials } from '../../db/queries/credentials.ts'
import { insertMedia } from '../../db/queries/media.ts'
import { findFirstUser, insertOrganization, insertUser, lockUsers, upsertMembership } from '../../db/queries/people.ts'
import { markPostPublished } from '../../db/queries/posts.ts'
import { ACCOUNT_EXAMPLES } from '../../schemas/account.ts'
import { MEDIA_ID } from '../../schemas/media.ts'
import type { CreatePost } from '../../schemas/post.ts'
import { createKey } from '../auth/create-key.ts'
import type { Keyring } from '../credentials/keyring.ts'
import { createPost } from '../posts/create.ts'

const DAY_MS = 86_400_000

/**
 * Fills an empty database with something to try things on: a user with accounts on several networks, an organisation
 * through which another user's account is reached, media, and a post in each state. All of it or nothing. The ids of the
 * documented examples exist in it, so that they can be sent as they are. One account is on the sandbox and connected, where
 * there is a key to encrypt its credentials with: what is posted to it is published. Gives the user's id and a key; nothing
 * where there is a user already.
 */
export function seedDemo(
  db: Db,
  now: Date,
  keyring: Keyring | undefined,
): Promise<{ userId: string; key: string } | undefined> {
  return db.transaction().execute(async (db) => {
    await lockUsers(db)
    if (await findFirstUser(db)) return undefined
    const userId = newId()
    const colleagueId = newId()
    const organizationId = newId()
    await insertUser(db, { id: userId, name: 'Demo' })
    await insertUser(db, { id: colleagueId, name: 'Demo colleague' })
    await insertOrganization(db, { id: organizationId, name: 'Demo organisation' })
    await upsertMembership(db, { userId, organizationId, role: 'member' })
    await upsertMembership(db, { userId: colleagueId, organizationId, role: 'admin' })

    const own = { userId, organizationId: null }
    const [bluesky, x] = ACCOUNT_EXAMPLES
    const mastodonId = newId()
    await insertAccount(db, { ...own, ...bluesky })
    await insertAccount(db, { ...own, displayName: null, ...x })
    const handle = { displayName: 'Demo', username: 'demo@social.example' }
    await insertAccount(db, { ...own, ...handle, id: mastodonId, platform: 'mastodon' })
    await insertAccount(db, { ...own, ...handle, id: newId(), platform: 'instagram', username: 'demo' })
    await insertAccount(db, {
      id: newId(),
      platform: 'linkedin',
      username: 'demo-organisation',
      displayName: 'Demo organisation',
      userId: colleagueId,
      organizationId,
    })

    const image = { mimeType: 'image/jpeg', bytes: 482_113, width: 1080, height: 1350, durationSeconds: null }
    const video = { mimeType: 'video/mp4', bytes: 6_291_456, width: 1080, height: 1920, durationSeconds: 21.5 }
    await insertMedia(db, { id: MEDIA_ID, userId, ...image })
    await insertMedia(db, { id: newId(), userId, ...video })

    const post = (body: Partial<CreatePost> & Pick<CreatePost, 'accountIds' | 'caption'>) =>
      createPost(db, userId, { postType: 'post', mediaIds: [], accountOverrides: [], ...body })
    const published = await post({ accountIds: [bluesky.id, x.id], caption: 'Hello, world.' })
    await markPostPublished(db, published.id)
    await post({
      accountIds: [bluesky.id, mastodonId, x.id],
      caption: 'Something to look at.',
      mediaIds: [MEDIA_ID],
      accountOverrides: [{ accountId: mastodonId, captionOverride: 'Something to look at, with a #hashtag.' }],
      scheduledAt: new Date(now.getTime() + 7 * DAY_MS).toISOString(),
    })
    await post({ accountIds: [bluesky.id], caption: 'An idea that is not ready yet.' })

    if (keyring) {
      const sandbox = { ...own, id: newId(), platform: 'sandbox' as const, username: 'demo', displayName: 'Demo' }
      await insertAccount(db, sandbox)
      await replaceCredentials(db, sandbox.id, keyring.seal(sandbox.id, { username: sandbox.username }))
      await post({
        accountIds: [sandbox.id],
        caption: 'Hello, sandbox.',
        firstComment: 'This went out by itself.',
        scheduledAt: now.toISOString(),
      })
    }

    const { key } = await createKey(db, { userId, name: 'demo', expiresAt: null })
    return { userId, key }
  })
}
