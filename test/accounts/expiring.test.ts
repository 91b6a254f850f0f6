import t from 'tap'
import { replaceCredentials } from '../../db/queries/credentials.ts'
import { createWorld, type Person } from '../helpers/app.ts'
import { scriptedNetwork } from '../helpers/scripted-network.ts'
import { until } from '../helpers/until.ts'

const DAY = 86_400_000

async function readAttention(user: Person) {
  const list = () => user.call('GET', '/accounts')
  return (await until('the accounts are listed', list, { isMet: ({ status }) => status === 200 })).body.data[0]
    .attention
}

t.test('an access token that cannot be refreshed gives a warning 7 days and 1 day before its end', async (t) => {
  const { db, user, keyring } = await createWorld(t, { networks: { x: scriptedNetwork() } })
  const ada = await user()
  const id = await ada.account('x')
  /** Attention and its time, where the access token expires in `days`. */
  async function attentionWith(days: number | null, isRefreshable = false) {
    const expiresAt = days === null ? null : new Date(Date.now() + days * DAY)
    await replaceCredentials(db, id, keyring.seal(id, {}), { expiresAt, isRefreshable })
    await db.updateTable('accounts').set({ credentialsExpireAt: expiresAt }).where('id', '=', id).execute()
    const attention = await readAttention(ada)
    return attention && [attention.code, (expiresAt!.getTime() - Date.parse(attention.since)) / DAY]
  }
  t.equal(await attentionWith(null), undefined)
  t.equal(await attentionWith(7.1), undefined)
  t.same(await attentionWith(6.9), ['expiring', 7])
  t.same(await attentionWith(1.1), ['expiring', 7])
  t.same(await attentionWith(0.9), ['expiring', 1])
  t.same(await attentionWith(-0.1), ['reconnect_required', 0])
  for (const days of [6.9, 0.9, -0.01]) t.equal(await attentionWith(days, true), undefined, 'workers refresh it')
  t.same(await attentionWith(-0.1, true), ['refresh_failed', 0])
})

t.test('what is stored precedes the warning', async (t) => {
  const { db, user } = await createWorld(t, { networks: { x: scriptedNetwork() } })
  const ada = await user()
  await ada.account('x', { credentials: {} })
  const attention = { code: 'unauthorized', message: 'no', since: '2026-11-21T08:15:30.123Z' }
  await db
    .updateTable('accounts')
    .set({ attention: JSON.stringify(attention), credentialsExpireAt: new Date(Date.now() + DAY) })
    .execute()
  t.same(await readAttention(ada), attention)
})
