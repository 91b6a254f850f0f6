import { Readable } from 'node:stream'
import type { Db } from '../../../db/client.ts'
import { newId } from '../../../db/id.ts'
import { insertAccount } from '../../../db/queries/accounts.ts'
import { storeAvatar } from '../../../db/queries/avatars.ts'
import { failConnection, insertConnection } from '../../../db/queries/connections.ts'
import { replaceCredentials } from '../../../db/queries/credentials.ts'
import { insertKey } from '../../../db/queries/keys.ts'
import {
  findFirstUser,
  insertOrganization,
  insertUser,
  lockUsers,
  upsertMembership,
} from '../../../db/queries/people.ts'
import { storeSchedule } from '../../../db/queries/schedules.ts'
import { insertWebhook } from '../../../db/queries/webhooks/webhooks.ts'
import { ACCOUNT_EXAMPLES, SANDBOX_ACCOUNT_ID } from '../../../schemas/account.ts'
import { CONNECTION_EXAMPLES } from '../../../schemas/connection.ts'
import type { CreatePost } from '../../../schemas/create-post.ts'
import { FAILED_POST_ID, POST_ID, PUBLISHED_POST_ID, UNCONFIRMED_POST_ID } from '../../../schemas/delivery.ts'
import { KEY_EXAMPLE } from '../../../schemas/key.ts'
import { MEDIA_ID, UNUSED_MEDIA_ID } from '../../../schemas/media.ts'
import { EMPTY_ORGANIZATION_ID, ORGANIZATION_EXAMPLE, OTHER_USER_ID, USER_EXAMPLE } from '../../../schemas/people.ts'
import { AccountSchedule } from '../../../schemas/schedule.ts'
import { WEBHOOK_EXAMPLE } from '../../../schemas/webhook.ts'
import type { Keyring } from '../../base/keyring/keyring.ts'
import { createKey } from '../../features/auth/create-key.ts'
import { generateKey, hashKey, startOfKey } from '../../features/auth/key.ts'
import { markPostPublished } from '../../features/deliveries/settle-delivery.ts'
import { addMedia, type Save } from '../../features/media/add.ts'
import type { Library } from '../../features/media/library.ts'
import { createPost } from '../../features/posts/create.ts'
import { sealSecrets } from '../../features/webhooks/secrets.ts'
import { generateSecret, startOfSecret } from '../../features/webhooks/sign.ts'
import { DEMO_AVATAR, DEMO_PICTURE, DEMO_VIDEO } from './demo-files.ts'

const DAY_MS = 86_400_000

const SANDBOX_USERNAME = 'demo'

/** Accounts, a post, a file, a key and others have the ids of the documented examples, which thus work unchanged. */
const [BLUESKY, X] = ACCOUNT_EXAMPLES

/**
 * Fills an empty database with demo data in one transaction: a user with accounts on several networks, an organisation
 * that shares a colleague's account, media, and a post of each status. With a keyring, there is a webhook, and one
 * account is connected to the sandbox, which publishes, rejects and loses a post. Returns the user's id and key, or
 * undefined if the database has a user already.
 */
export function seedDemo(
  library: Library,
  now: Date,
  keyring: Keyring | undefined,
): Promise<{ userId: string; key: string } | undefined> {
  return library.db.transaction().execute(async (db) => {
    await lockUsers(db)
    if (await findFirstUser(db)) return undefined
    const { id: userId } = USER_EXAMPLE
    await insertUser(db, { id: userId, name: 'Demo' })
    const mastodonId = await seedAccounts(db, userId)
    await seedOrganization(db, userId)
    await seedMedia({ ...library, db, quotaBytes: undefined }, userId)
    await seedPosts(db, userId, mastodonId, now)
    if (keyring) await seedSandbox(db, userId, keyring, now)
    if (keyring) await seedWebhook(db, userId, keyring)
    await seedConnection(db, userId)
    await seedOtherKey(db, userId)
    const { key } = await createKey(db, { userId, name: 'demo', expiresAt: null })
    return { userId, key }
  })
}

/** Stores a key that nobody knows, to be looked at, changed and revoked. */
async function seedOtherKey(db: Db, userId: string): Promise<void> {
  const key = generateKey()
  const { id, name, scopes } = KEY_EXAMPLE
  await insertKey(db, { id, userId, name, scopes, hash: hashKey(key), start: startOfKey(key), expiresAt: null })
}

/** Stores a webhook that only tests are sent to, because nobody receives at its address. */
async function seedWebhook(db: Db, userId: string, keyring: Keyring): Promise<void> {
  const { id, url } = WEBHOOK_EXAMPLE
  const secret = generateSecret()
  const secrets = { secretStart: startOfSecret(secret), ...sealSecrets(keyring, id, { secret }) }
  const rights = { types: ['key.expiring'], accountIds: null, allUsers: false, organizationId: null, scopes: null }
  await insertWebhook(db, { id, userId, url, payload: 'full', createdBy: null, ...rights, ...secrets })
}

/** Returns the id of the Mastodon account. */
async function seedAccounts(db: Db, userId: string): Promise<string> {
  const own = { userId, organizationId: null, displayName: 'Demo' }
  const mastodonId = newId()
  await insertAccount(db, { ...own, ...BLUESKY })
  await insertAccount(db, { ...own, ...X, displayName: null })
  await insertAccount(db, { ...own, id: mastodonId, platform: 'mastodon', username: 'demo@social.example' })
  await insertAccount(db, { ...own, id: newId(), platform: 'instagram', username: 'demo' })
  await insertAccount(db, { ...own, id: SANDBOX_ACCOUNT_ID, platform: 'sandbox', username: SANDBOX_USERNAME })
  await storeAvatar(db, { id: BLUESKY.id, bytes: DEMO_AVATAR })
  await storeSchedule(db, { userId, id: BLUESKY.id, keyId: null }, AccountSchedule.examples[0] as AccountSchedule)
  return mastodonId
}

async function seedOrganization(db: Db, userId: string): Promise<void> {
  const colleagueId = newId()
  const { id: organizationId } = ORGANIZATION_EXAMPLE
  await insertUser(db, { id: colleagueId, name: 'Demo colleague' })
  await insertUser(db, { id: OTHER_USER_ID, name: 'Demo customer' })
  await insertOrganization(db, { id: EMPTY_ORGANIZATION_ID, name: 'Demo organisation without accounts' })
  await insertOrganization(db, { id: organizationId, name: 'Demo organisation' })
  await upsertMembership(db, { userId, organizationId, role: 'member' })
  await upsertMembership(db, { userId: colleagueId, organizationId, role: 'admin' })
  await insertAccount(db, {
    id: newId(),
    platform: 'linkedin',
    username: 'demo-organisation',
    displayName: 'Demo organisation',
    userId: colleagueId,
    organizationId,
  })
}

/** Stores a connection that the user has refused. It is shown for a day. */
async function seedConnection(db: Db, userId: string): Promise<void> {
  const { id, platform, error } = CONNECTION_EXAMPLES.failed
  const absent = { organizationId: null, tokenHash: null, returnUrl: null, accountId: null, hint: null }
  const references = { externalReference: null, metadata: null }
  await insertConnection(db, { id, platform, userId, ...absent, ...references }, undefined)
  await failConnection(db, id, error)
}

async function seedMedia(library: Library, userId: string): Promise<void> {
  const savePicture = async (save: Save) => {
    await save(Readable.from([DEMO_PICTURE]))
    return { fileName: 'lighthouse.png', altText: 'A lighthouse at dusk.' }
  }
  const saveVideo = async (save: Save) => {
    await save(Readable.from([DEMO_VIDEO]))
    return { fileName: 'lighthouse.mp4' }
  }
  await addMedia(library, userId, savePicture, { id: MEDIA_ID })
  await addMedia(library, userId, saveVideo, { id: UNUSED_MEDIA_ID })
}

const seedPost = (
  db: Db,
  userId: string,
  post: Partial<CreatePost> & Pick<CreatePost, 'accountIds' | 'caption'>,
  id?: string,
) => createPost(db, userId, { postType: 'post', mediaIds: [], accountOverrides: [], ...post }, { ...(id && { id }) })

/** Posts around today, so that a calendar shows a month: days from now, the hour in UTC, the text, the networks. */
const MONTH: [day: number, hour: number, caption: string, networks: ('bluesky' | 'mastodon' | 'x')[]][] = [
  [-12, 9, 'The lantern room is open again on Sundays.', ['bluesky', 'mastodon']],
  [-10, 16, 'How a Fresnel lens bends light: a thread for Friday.', ['x']],
  [-8, 8, 'Fog signal test at noon. Cover your ears.', ['bluesky', 'x']],
  [-5, 18, 'Sunset from the gallery, 17:42.', ['mastodon']],
  [-3, 9, 'We are looking for a keeper for the summer.', ['bluesky', 'mastodon', 'x']],
  [-1, 12, 'New in the shop: postcards of the north coast.', ['x']],
  [1, 9, 'Tomorrow: the tower is closed for painting.', ['bluesky', 'x']],
  [2, 17, 'Which lighthouse should we visit next?', ['mastodon']],
  [4, 8, 'A hundred years ago today, the lamp went electric.', ['bluesky', 'mastodon', 'x']],
  [6, 15, 'Storm warning for the weekend: the path is closed.', ['bluesky']],
  [9, 9, 'Tickets for the night tour are out.', ['mastodon', 'x']],
  [12, 18, 'Thank you for 1,000 visitors this month.', ['bluesky', 'mastodon', 'x']],
]

async function seedPosts(db: Db, userId: string, mastodonId: string, now: Date): Promise<void> {
  const published = await seedPost(db, userId, { accountIds: [BLUESKY.id, X.id], caption: 'Hello, world.' })
  await markPostPublished(db, published.id)
  const scheduled = {
    accountIds: [BLUESKY.id, mastodonId, X.id],
    caption: 'Something to look at.',
    mediaIds: [MEDIA_ID],
    accountOverrides: [{ accountId: mastodonId, captionOverride: 'Something to look at, with a #hashtag.' }],
    scheduledAt: new Date(now.getTime() + 7 * DAY_MS).toISOString(),
  }
  await seedPost(db, userId, scheduled, POST_ID)
  const accounts = { bluesky: BLUESKY.id, mastodon: mastodonId, x: X.id }
  for (const [day, hour, caption, networks] of MONTH) {
    const scheduledAt = new Date(now.getTime() + day * DAY_MS)
    scheduledAt.setUTCHours(hour, 0, 0, 0)
    const accountIds = networks.map((network) => accounts[network])
    const { id } = await seedPost(db, userId, { accountIds, caption, scheduledAt: scheduledAt.toISOString() })
    if (day < 0) await markPostPublished(db, id, scheduledAt)
  }
  await seedPost(db, userId, { accountIds: [BLUESKY.id], caption: 'An idea that is not ready yet.' })
}

async function seedSandbox(db: Db, userId: string, keyring: Keyring, now: Date): Promise<void> {
  const id = SANDBOX_ACCOUNT_ID
  await replaceCredentials(db, id, keyring.seal(id, { username: SANDBOX_USERNAME }))
  const due = { accountIds: [id], scheduledAt: now.toISOString() }
  const withFault = (fault: string) => ({ accountOverrides: [{ accountId: id, fields: { fault } }] })
  const published = { ...due, caption: 'Hello, sandbox.', firstComment: 'This went out by itself.' }
  await seedPost(db, userId, published, PUBLISHED_POST_ID)
  const refused = { ...due, caption: 'The sandbox rejects this once.', ...withFault('content_refused') }
  await seedPost(db, userId, refused, FAILED_POST_ID)
  const lost = { ...due, caption: 'Nobody knows whether this went out.', ...withFault('unknown') }
  await seedPost(db, userId, lost, UNCONFIRMED_POST_ID)
}
