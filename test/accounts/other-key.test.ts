import { randomBytes } from 'node:crypto'
import t from 'tap'
import { replaceCredentials } from '../../db/queries/credentials.ts'
import { createKeyring } from '../../src/base/keyring/keyring.ts'
import { createWorld, findCredentials } from '../helpers/app.ts'
import { stubNetworks } from '../helpers/stub-networks.ts'

const BODY = { platform: 'sandbox', credentials: { username: 'ada' } }

t.test('no account is connected, and none gets new credentials, while stored ones need another key', async (t) => {
  const { db, user, keyring } = await createWorld(t, { fetch: stubNetworks })
  const ada = await user()
  const connected = await ada.call('POST', '/accounts', BODY)
  t.equal(connected.status, 201)
  const { id } = connected.body
  const other = createKeyring([randomBytes(32)])
  const foreign = await ada.account('mastodon')
  await replaceCredentials(db, foreign, other.seal(foreign, {}))
  const before = await findCredentials(db, id)
  const error = 'Stored credentials are encrypted with a key that this service does not have'

  for (const body of [BODY, { ...BODY, credentials: { username: 'bob' } }]) {
    const reply = await ada.call('POST', '/accounts', body)
    t.strictSame(
      [reply.status, reply.headers['x-error-code'], reply.body],
      [503, 'credentials_key_mismatch', { error }],
    )
  }
  t.strictSame(await findCredentials(db, id), before)
  t.equal((await ada.call('GET', '/accounts')).body.data.length, 2)
  const reply = await ada.call('POST', '/accounts', { ...BODY, organizationId: 'x' })
  t.equal(reply.status, 403, 'the organisation is checked first, as for every connection')

  await replaceCredentials(db, foreign, keyring.seal(foreign, {}))
  t.equal((await ada.call('POST', '/accounts', BODY)).status, 200)
})
