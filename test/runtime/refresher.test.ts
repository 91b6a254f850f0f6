import { randomBytes } from 'node:crypto'
import t from 'tap'
import { connect } from '../../db/client.ts'
import { newId } from '../../db/id.ts'
import { insertUser } from '../../db/queries/people.ts'
import { createKeyring } from '../../src/base/keyring/keyring.ts'
import { NO_GRANT, storeAccount } from '../../src/features/accounts/store.ts'
import { createFolder } from '../helpers/app.ts'
import { runService } from '../helpers/command.ts'
import { createDatabase } from '../helpers/database.ts'
import { until } from '../helpers/until.ts'

t.test('a worker refreshes tokens that are due', async (t) => {
  const DATABASE_URL = await createDatabase(t)
  const db = connect({ url: DATABASE_URL })
  t.teardown(() => db.destroy())
  const key = randomBytes(32)
  const userId = newId()
  await insertUser(db, { id: userId, name: 'ada' })
  await storeAccount(db, createKeyring([key]), {
    platform: 'x',
    userId,
    organizationId: undefined,
    profile: {
      externalId: '1',
      username: 'ada',
      displayName: null,
      textLengthMax: null,
      altTextLengthMax: null,
      facts: null,
      avatarUrl: null,
      limitKey: null,
    },
    credentials: { accessToken: 'the-access-token', refreshToken: 'the-refresh-token' },
    isRefreshable: true,
    grant: { ...NO_GRANT, clientId: 'an-app-that-is-not-configured', credentialsExpireAt: new Date() },
  })
  await db
    .updateTable('accountCredentials')
    .set({ refreshAt: new Date(0) })
    .execute()
  const env = { DATABASE_URL, MEDIA_DIR: await createFolder(t), CREDENTIALS_KEY: key.toString('base64') }
  const worker = await runService('worker', env)
  t.teardown(() => worker.stop('SIGKILL'))
  const lines = () => worker.output.stderr.split('\n').filter((line) => line.includes('"token refresh"'))
  const [line] = await until('the worker logs the refresh', lines, { isMet: ({ length }) => length > 0 })
  t.hasStrict(JSON.parse(line!), { level: 40, platform: 'x', outcome: 'postponed', errorCode: 'app_missing' })
  const { refreshFailures } = await db
    .selectFrom('accountCredentials')
    .select('refreshFailures')
    .executeTakeFirstOrThrow()
  t.equal(refreshFailures, 1)
  t.equal(await worker.stop(), 0)
})
