import t from 'tap'
import { insertAccount } from '../../db/queries/accounts.ts'
import { replaceCredentials } from '../../db/queries/credentials.ts'
import { ACCOUNT_EXAMPLES, LISTED_ACCOUNTS, SANDBOX_ACCOUNT_ID } from '../../schemas/account.ts'
import { MEDIA_ID } from '../../schemas/media.ts'
import { createWorld, networkOptions } from '../helpers/app.ts'
import { json, operationsOf, readDocument } from '../helpers/document.ts'

t.test('the service accepts every example of a post, and lists accounts as their examples show', async (t) => {
  const { db, user } = await createWorld(t)
  const ada = await user()
  for (const account of ACCOUNT_EXAMPLES) {
    await insertAccount(db, { displayName: null, ...account, userId: ada.id, organizationId: null })
  }
  const sandbox = await ada.account('sandbox')
  await db.updateTable('accounts').set({ id: SANDBOX_ACCOUNT_ID }).where('id', '=', sandbox).execute()
  const media = await ada.media()
  await db.updateTable('media').set({ id: MEDIA_ID }).where('id', '=', media).execute()

  const operation = operationsOf(readDocument()).find(({ operationId }) => operationId === 'createPost')!
  const { examples } = json(operation.requestBody!)
  t.ok(Object.keys(examples).length >= 3)
  for (const [name, { value }] of Object.entries(examples)) {
    const { status, body } = await ada.call('POST', '/posts', value)
    t.equal(status, 201, `${name}: ${body.error}`)
  }

  const [{ id }, , { id: other }] = ACCOUNT_EXAMPLES
  for (const connected of [id, other]) {
    await replaceCredentials(db, connected, networkOptions(db).keyring!.seal(connected, {}))
  }
  const accounts = await ada.call('GET', '/accounts')
  t.strictSame(
    new Set(accounts.body.data.filter(({ id }: { id: string }) => id !== SANDBOX_ACCOUNT_ID)),
    new Set(LISTED_ACCOUNTS.map((account) => ({ ...account, ownerId: ada.id }))),
  )
})
