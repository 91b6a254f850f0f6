import { sql } from 'kysely'
import t from 'tap'
import { createNetworkWorld } from '../helpers/network-world.ts'
import { DAY_MS, sweepNow } from '../helpers/sweeps.ts'

t.test('old calls to the sandbox are removed, and no others', async (t) => {
  const world = await createNetworkWorld(t)
  const { db, ada, connect, post, work, time } = world
  const account = await connect('sandbox')
  const calls = async () => (await ada.call('GET', '/sandbox/calls')).body.data.length
  await post({ accountIds: [account], caption: 'one' })
  await work()
  await sql`
    insert into sandbox_calls (id, account_id, token, accepted, content)
    select overlay(gen_random_uuid()::text placing '0190' from 1)::uuid, account_id, token, accepted, content
    from sandbox_calls, generate_series(1, 1500)`.execute(db)
  const sweep = async () => (await sweepNow(world, { retention: { sandboxCallsMs: 30 * DAY_MS } }))?.sandboxCalls
  t.equal(await sweep(), 1_500)
  t.equal(await calls(), 1)
  time.now = new Date(time.now.getTime() + 31 * DAY_MS)
  t.equal(await sweep(), 1)
  t.equal(await calls(), 0)
})
