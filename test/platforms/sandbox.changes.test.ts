import { randomUUID } from 'node:crypto'
import t from 'tap'
import { sandboxStore } from '../../db/queries/sandbox.ts'
import type { Act } from '../../src/platforms/contract/adapter.ts'
import { createSandboxAdapter } from '../../src/platforms/sandbox/adapter.ts'
import { actOf, clientOf, publishedOf, rejection } from '../helpers/adapter-calls.ts'
import { createWorld } from '../helpers/app.ts'
import type { Teardown } from '../helpers/database.ts'

const credentials = { username: 'ada' }

/** The sandbox with one account, and the calls that changed what it has published. */
async function start(t: Teardown) {
  const { db, user } = await createWorld(t)
  const accountId = await (await user()).account('sandbox')
  const { send, remove, edit } = clientOf(createSandboxAdapter(sandboxStore(db)))
  const io = { fetch, signal: new AbortController().signal }
  const act = (options: Partial<Act> = {}) => actOf({ accountId, token: randomUUID(), ...options })
  return {
    act,
    publish: async (act: Act) => publishedOf(act, await send(act, credentials, io)),
    remove: (published: ReturnType<typeof publishedOf>, given = credentials) => remove(published, given, io),
    edit: (act: Act, published: ReturnType<typeof publishedOf>) => edit(act, published, credentials, io),
    changes: async () => {
      const rows = await db.selectFrom('sandboxCalls').selectAll().orderBy('id').execute()
      const calls = rows.map(({ content, accepted, fault }) => {
        const { kind, text, parentId } = content as { kind: string; text: string; parentId: string | null }
        return { kind, text, parentId, accepted, fault }
      })
      return calls.filter(({ kind }) => kind === 'remove' || kind === 'edit')
    },
  }
}

t.test('removals and edits are stored with the post that they concern', async (t) => {
  const { act, publish, remove, edit, changes } = await start(t)
  const post = act()
  const published = await publish(post)
  const { id, url } = published
  t.strictSame(await edit({ ...post, text: 'A lighthouse at dawn' }, published), { id, url })
  await remove(published)
  await remove(published)
  const removal = { kind: 'remove', text: '', parentId: id, accepted: true, fault: null }
  t.strictSame(await changes(), [{ ...removal, kind: 'edit', text: 'A lighthouse at dawn' }, removal, removal])
  await remove({ ...published, id: 'of another network' })
  t.equal((await changes()).length, 3, 'an id that the sandbox never gave out is already gone')
})

t.test('faultCall chooses the call that fails', async (t) => {
  const { act, publish, remove, edit, changes } = await start(t)
  for (const fault of ['server_error', 'timeout_after', 'rate_limited', 'content_refused'] as const) {
    const fields = { fault, faultCall: 'remove' }
    const post = act({ fields })
    const published = await publish(post)
    await edit(post, published)
    const accepted = fault === 'timeout_after'
    t.has(await rejection(remove(published)), { maybeSent: ['server_error', 'timeout_after'].includes(fault) })
    await remove(published)
    const mine = (await changes()).filter(({ parentId }) => parentId === published.id)
    t.match(mine, [
      { kind: 'edit', accepted: true, fault: null },
      { kind: 'remove', accepted, fault },
      { kind: 'remove', accepted: true, fault: null },
    ])
  }
})

t.test('an expired token removes nothing', async (t) => {
  const { act, publish, remove, changes } = await start(t)
  const published = await publish(act())
  const expired = { ...credentials, token: 'expired' }
  t.has(await rejection(remove(published, expired)), { code: 'unauthorized', needsAttention: true })
  t.strictSame(await changes(), [])
})
