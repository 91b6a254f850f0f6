import { randomBytes } from 'node:crypto'
import type { Test } from 'tap'
import { createKeyring, KEY_BYTES } from '../../src/base/keyring/keyring.ts'
import { blueskyAdapter } from '../../src/platforms/bluesky/adapter.ts'
import { createDeliveryWorld } from '../helpers/publisher.ts'
import { jpeg, upload } from '../helpers/upload.ts'
import { records, type StoredRecord, startPds, type TestAccount } from './pds.ts'

/** Longer than the first two backoffs. */
export const MINUTE = 60_000

export interface Account extends TestAccount {
  /** Id in Postroom. */
  id: string
}

/** Starts a Bluesky PDS, and the service with a user and workers that publish to it. */
export async function createBlueskyWorld(t: Test) {
  const pds = await startPds(t)
  const key = randomBytes(KEY_BYTES)
  const keyring = createKeyring([key])
  const world = await createDeliveryWorld(t, { bluesky: blueskyAdapter }, { keyring, fetch: pds.fetch })
  const { ada, app } = world

  const connect = (credentials: TestAccount['credentials']) =>
    ada.call('POST', '/accounts', { platform: 'bluesky', credentials })

  return {
    ...world,
    pds,
    key,
    connect,
    /** Creates an account on the PDS, and connects it. */
    async connectNew(handle: string): Promise<Account> {
      const account = await pds.createAccount(handle)
      const { status, body } = await connect(account.credentials)
      if (status !== 201) throw new Error(body.error)
      return { ...account, id: body.id }
    },
    /** Uploads an image. Returns its id and bytes. */
    async uploadImage(altText: string) {
      const bytes = await jpeg(64, 48)
      const { id } = (await upload(app, ada, [['file', bytes]])).body
      await ada.call('PATCH', `/media/${id}`, { altText })
      return { id, bytes }
    },
    /**
     * Requires exactly these records, each a reply to the one before, and a delivery that refers to them. Those after
     * the first `parts` are comments, and reply to the last part.
     */
    async assertPublished(t: Test, account: Account, postId: string, texts: string[], parts = texts.length) {
      const found = await records(account)
      t.same(textsOf(found), texts)
      const refOf = ({ uri, cid }: StoredRecord) => ({ uri, cid })
      const replies = found.map((_, index) =>
        index === 0 ? undefined : { root: refOf(found[0]!), parent: refOf(found[Math.min(index, parts) - 1]!) },
      )
      t.same(
        found.map(({ value }) => value.reply),
        replies,
      )
      const acts = found.map((record) => externalOf(account, record))
      const delivery = await world.readDelivery(postId)
      t.hasStrict(delivery, { state: 'published', error: null, nextAttemptAt: null, ...acts[0] })
      t.strictSame(delivery.acts, acts)
      t.equal(await world.readStatus(postId), 'published')
    },
  }
}

/** A thread for one account. */
export const thread = ({ id }: Account, ...parts: string[]) => ({
  accountIds: [id],
  postType: 'thread',
  threadParts: { [id]: parts },
})

export const textsOf = (found: StoredRecord[]) => found.map(({ value }) => value.text)

const externalOf = (account: Account, { uri }: StoredRecord) => ({
  externalId: uri,
  externalUrl: `https://bsky.app/profile/${account.did}/post/${uri.split('/').pop()}`,
})
