import t from 'tap'
import { replaceCredentials } from '../../db/queries/credentials.ts'
import type { PlatformId } from '../../schemas/platform.ts'
import { createWorld } from '../helpers/app.ts'
import { samplesOf } from '../helpers/scrape.ts'
import { until } from '../helpers/until.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR

t.test('accounts are counted by the codes of attention that the API shows', async (t) => {
  const { db, user, keyring, metrics } = await createWorld(t)
  const ada = await user()
  async function connect(platform: PlatformId, expiresInMs: number, isRefreshable = false) {
    const id = await ada.account(platform)
    const expiresAt = new Date(Date.now() + expiresInMs)
    await replaceCredentials(db, id, keyring.seal(id, {}), { expiresAt, isRefreshable })
    await db.updateTable('accounts').set({ credentialsExpireAt: expiresAt }).where('id', '=', id).execute()
    return id
  }
  const set = (id: string, values: object) => db.updateTable('accounts').set(values).where('id', '=', id).execute()

  for (const days of [30, 6, 0.5, -1]) await connect('linkedin', days * DAY)
  for (const hours of [2, -0.5, -2]) await connect('x', hours * HOUR, true)
  await ada.account('threads')
  await ada.account('threads', { credentials: {} })
  const attention = JSON.stringify({ code: 'unauthorized', message: 'no', since: '2026-11-21T08:15:30.123Z' })
  await set(await connect('facebook', 6 * DAY), { attention })
  await set(await ada.account('facebook'), { disconnectedAt: new Date() })

  const list = () => ada.call('GET', '/accounts')
  const { body } = await until('the accounts are listed', list, { isMet: ({ status }) => status === 200 })
  const shown: Record<string, number> = {}
  for (const { platform, attention } of body.data as { platform: string; attention?: { code: string } }[]) {
    if (!attention) continue
    const labels = `{platform="${platform}",code="${attention.code}"}`
    shown[labels] = (shown[labels] ?? 0) + 1
  }
  t.same(shown, {
    '{platform="linkedin",code="expiring"}': 2,
    '{platform="linkedin",code="reconnect_required"}': 1,
    '{platform="x",code="refresh_failed"}': 1,
    '{platform="threads",code="not_connected"}': 1,
    '{platform="facebook",code="unauthorized"}': 1,
  })
  const name = 'postroom_accounts_attention'
  const samples = Object.entries(samplesOf(await metrics.render())).filter(([key]) => key.startsWith(name))
  t.same(Object.fromEntries(samples.map(([key, count]) => [key.slice(name.length), count])), shown)
})
