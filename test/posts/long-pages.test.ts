import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import t from 'tap'
import { newId } from '../../db/id.ts'
import { sandboxStore } from '../../db/queries/sandbox.ts'
import { PAGE } from '../../schemas/shared.ts'
import { createKey } from '../../src/features/auth/create-key.ts'
import { call, createWorld, type Person } from '../helpers/app.ts'

const LONG = 'a'.repeat(900_000)
const LONG_POSTS = 6
/** A page may have a long item after its limit is nearly reached. */
const PAGE_BYTES_MAX = PAGE.bytesMax + 1_200_000

interface Item {
  id: string
  caption: string
  targets?: { accountId: string }[]
}

/** Reads a list to its end by its cursors. */
async function readAll(person: Pick<Person, 'call'>, path: string): Promise<{ items: Item[]; pages: number }> {
  const items: Item[] = []
  let query = ''
  for (let pages = 1; ; pages++) {
    const { status, body } = await person.call('GET', `${path}${query}`)
    if (status !== 200) throw new Error(JSON.stringify(body))
    const bytes = JSON.stringify(body.data).length
    if (bytes > PAGE_BYTES_MAX) throw new Error(`${path} has a page of ${bytes} bytes`)
    items.push(...body.data)
    if (body.nextCursor === null) return { items, pages }
    query = `&cursor=${body.nextCursor}`
  }
}

const idsOf = (items: { id: string }[]) => items.map(({ id }) => id)

t.test('a page of long posts ends early, and its cursor leads to each of the others once', async (t) => {
  const { app, db, user } = await createWorld(t)
  const ada = await user()
  const account = await ada.account('sandbox')
  const created: string[] = []
  for (let number = 0; number < LONG_POSTS; number++) {
    const accountOverrides = [{ accountId: account, captionOverride: 'short', fields: { note: LONG.slice(0, 1_000) } }]
    for (const caption of [`${number} ${LONG}`, `${number}`]) {
      const { status, body } = await ada.call('POST', '/posts', { accountIds: [account], caption, accountOverrides })
      t.equal(status, 201)
      created.unshift(body.id)
    }
  }
  const { key } = await createKey(db, { userId: ada.id, name: null, expiresAt: null, accountIds: [account] })
  const asListed: Pick<Person, 'call'> = { call: (...request) => call(app, key, ...request) }
  for (const [reader, path] of [
    [ada, '/posts?limit=100'],
    [asListed, '/posts?limit=100'],
    [ada, '/posts?limit=100&status=draft'],
    [ada, '/posts?limit=100&include=targets'],
  ] as const) {
    const { items, pages } = await readAll(reader, path)
    t.strictSame(idsOf(items), created, path)
    t.ok(pages > 1 && pages <= LONG_POSTS, `${pages} pages`)
    t.ok(
      items.every(({ caption }, index) => caption.length === (index % 2 === 0 ? 1 : LONG.length + 2)),
      'no text is missing',
    )
  }

  // A client that knows the contract alone adds the limit that was applied to its offset.
  const byOffset: string[] = []
  for (;;) {
    const { body } = await ada.call('GET', `/posts?limit=100&offset=${byOffset.length}`)
    if (body.data.length === 0) break
    byOffset.push(...idsOf(body.data))
    if (body.nextCursor !== null) t.equal(body.limit, body.data.length)
  }
  t.strictSame(byOffset, created)
})

t.test('so does a page of posts whose accounts are long', async (t) => {
  const { user } = await createWorld(t)
  const ada = await user()
  const account = await ada.account('sandbox')
  const created: string[] = []
  for (let number = 0; number < LONG_POSTS; number++) {
    const accountOverrides = [{ accountId: account, fields: { note: LONG } }]
    const post = { accountIds: [account], caption: `${number}`, accountOverrides }
    created.unshift((await ada.call('POST', '/posts', post)).body.id)
  }
  for (const path of ['/posts?limit=100&include=targets', '/posts?limit=100&status=draft&include=targets']) {
    const { items, pages } = await readAll(ada, path)
    t.strictSame(idsOf(items), created, path)
    t.equal(pages, LONG_POSTS / 3)
  }
})

t.test('so does a page of posts with many files', async (t) => {
  const { db, user } = await createWorld(t)
  const ada = await user()
  const [account, file] = [await ada.account('sandbox'), await ada.media()]
  await db
    .updateTable('media')
    .set({ altText: LONG.slice(0, 5_000) })
    .execute()
  const created: string[] = []
  for (let number = 0; number < 5; number++) {
    const { body } = await ada.call('POST', '/posts', { accountIds: [account], caption: '', mediaIds: [file] })
    created.unshift(body.id)
  }
  // More files than the limits of networks allow now: earlier ones may have.
  await sql`
    insert into post_media (user_id, post_id, position, media_id)
    select user_id, post_id, number, media_id from post_media, generate_series(1000, 1198) as number`.execute(db)
  const { items, pages } = await readAll(ada, '/posts?limit=100&include=media')
  t.strictSame(idsOf(items), created)
  t.equal(pages, 2)
})

t.test('so does a page of posts with thousands of accounts, none of which is missing', async (t) => {
  const { db, user } = await createWorld(t)
  const ada = await user()
  const accounts = Array.from({ length: 1_500 }, (_, number) => ({
    id: newId(),
    platform: 'sandbox',
    username: `ada${number}`,
    displayName: null,
    userId: ada.id,
    organizationId: null,
  }))
  await db.insertInto('accounts').values(accounts).execute()
  const accountIds = idsOf(accounts)
  const created: string[] = []
  for (let number = 0; number < 3; number++) {
    created.unshift((await ada.call('POST', '/posts', { accountIds, caption: `${number}` })).body.id)
  }
  const { items, pages } = await readAll(ada, '/posts?limit=100&include=targets')
  t.strictSame(idsOf(items), created)
  t.equal(pages, 2)
  for (const { targets } of items)
    t.strictSame(
      targets?.map(({ accountId }) => accountId),
      accountIds,
    )
})

t.test('so does a page of long calls to the sandbox', async (t) => {
  const { db, user } = await createWorld(t)
  const ada = await user()
  const accountId = await ada.account('sandbox')
  const kept = { kind: 'post' as const, fields: {}, media: [], parentId: null, fault: null, accepted: true, number: 1 }
  const created: string[] = []
  for (let number = 0; number < 25; number++) {
    const text = number < 12 ? LONG.slice(0, 300_000) : 'a'
    created.unshift(await sandboxStore(db).keep({ ...kept, accountId, token: randomUUID(), text }))
  }
  const { items, pages } = await readAll(ada, '/sandbox/calls?limit=100')
  t.strictSame(idsOf(items), created)
  t.ok(pages > 1)
})
