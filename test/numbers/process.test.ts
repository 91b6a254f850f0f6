import { randomBytes } from 'node:crypto'
import t from 'tap'
import { connect } from '../../db/client.ts'
import { newId } from '../../db/id.ts'
import { createKeyring } from '../../src/base/keyring/keyring.ts'
import { createFolder } from '../helpers/app.ts'
import { runService } from '../helpers/command.ts'
import { createDatabase } from '../helpers/database.ts'
import { loadReadings } from '../helpers/due-readings.ts'
import { startStatusServer } from '../helpers/status-server.ts'
import { until } from '../helpers/until.ts'

t.test('a worker with METRICS=on reads what is due, and one without does not', async (t) => {
  const server = await startStatusServer(t)
  const key = randomBytes(32)
  const url = await createDatabase(t)
  const db = connect({ url })
  t.teardown(() => db.destroy())
  const userId = newId()
  await db.insertInto('users').values({ id: userId, name: 'ada' }).execute()
  await loadReadings(db, createKeyring([key]), { userId, credentials: server.credentials, posts: 45, accounts: 3 })
  const env = { DATABASE_URL: url, CREDENTIALS_KEY: key.toString('base64'), MEDIA_DIR: await createFolder(t) }

  const off = await runService('worker', { ...env, ...server.env, METRICS: 'off' })
  t.equal(await off.stop(), 0)
  t.equal(server.read(), 0)

  const worker = await runService('worker', { ...env, ...server.env })
  t.teardown(() => worker.stop())
  const countRead = async () => {
    const rows = await db.selectFrom('deliveryMetrics').select('counts').where('fetchedAt', 'is not', null).execute()
    return rows.filter(({ counts }) => (counts as Record<string, number>).favourites_count === 7).length
  }
  await until('all posts are read', countRead, { isMet: (count) => count === 45 })
  t.equal(server.read(), 45, 'each once')
})
