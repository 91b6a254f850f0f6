import { sql } from 'kysely'
import t from 'tap'
import { createDeliveryWorld } from '../helpers/publisher.ts'
import { scriptedNetwork } from '../helpers/scripted-network.ts'

t.test('a delivery whose intent cannot be stored is sent when the database has space again', async (t) => {
  const mastodon = scriptedNetwork()
  const { db, connectAccount, post, work, readDelivery } = await createDeliveryWorld(t, { mastodon })
  const id = await post({ accountIds: [await connectAccount('mastodon')], caption: 'hello' })
  // Refuses only the statement that stores an intent.
  await sql`
    create function refuse() returns trigger language plpgsql as
    $$ begin raise exception 'could not extend file' using errcode = '53100'; end $$`.execute(db)
  await sql`
    create trigger refuse before update on post_targets for each row
    when (new.intent is not null) execute function refuse()`.execute(db)
  await work()
  const error = { code: 'database_unavailable', message: 'The database has no space left', retryable: true }
  t.hasStrict(await readDelivery(id), { state: 'queued', error })
  t.strictSame(mastodon.posts, [], 'nothing is sent without an intent')
  await sql`drop trigger refuse on post_targets`.execute(db)
  await work(3_600_000)
  t.hasStrict(await readDelivery(id), { state: 'published', error: null })
  t.strictSame(mastodon.posts, ['hello'])
})
