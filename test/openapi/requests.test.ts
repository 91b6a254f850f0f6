import t from 'tap'
import { insertAccount } from '../../db/queries/accounts.ts'
import { replaceCredentials } from '../../db/queries/credentials.ts'
import { ACCOUNT_EXAMPLES, LISTED_ACCOUNTS, SANDBOX_ACCOUNT_ID } from '../../schemas/account.ts'
import { MEDIA_ID } from '../../schemas/media.ts'
import { createWorld, networkOptions } from '../helpers/app.ts'
import { json, operationsOf, readDocument, validatorOf } from '../helpers/document.ts'

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
  for (const { id } of ACCOUNT_EXAMPLES) {
    const schedule = { timeZone: 'UTC', slots: [{ weekday: 'monday', time: '09:30' }] }
    await ada.call('PUT', `/accounts/${id}/schedule`, schedule)
  }
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

const mastodon = (instance: string) => ({ platform: 'mastodon', credentials: { instance, accessToken: 'a' } })
const bluesky = (service: string) => ({ platform: 'bluesky', credentials: { service, identifier: 'a', password: 'b' } })
const local = (timeZone: string) => ({ accountIds: ['a'], scheduledAt: '2030-01-15T09:30:00', timeZone })
const FROM = '2026-11-21T08:15:30Z'

/** Bodies by their schema: those of the right form, and the others with what the service says. */
const FORMS: [schema: string, path: string, right: object[], wrong: [body: object, message: RegExp][]][] = [
  [
    'ConnectMastodon',
    '/accounts',
    [mastodon('https://social.invalid'), mastodon('HTTPS://social.invalid:8443/')],
    ['social.invalid', 'http://social.invalid', 'https://social.invalid/@ada', 'https://a:b@social.invalid'].map(
      (instance) => [mastodon(instance), /^mastodon: instance has to be the https:\/\/ address of a Mastodon server/],
    ),
  ],
  [
    'ConnectBluesky',
    '/accounts',
    [bluesky('https://pds.invalid'), bluesky('https://pds.invalid/xrpc'), bluesky('http://localhost:2583')],
    ['pds.invalid', 'http://pds.invalid', 'ftp://pds.invalid'].map((service) => [
      bluesky(service),
      /^bluesky: service has to be the https:\/\/ address of a Bluesky server/,
    ]),
  ],
  [
    'CreatePost',
    '/posts',
    [local('Europe/Berlin'), local('europe/berlin'), local('America/Argentina/Ushuaia'), local('UTC')],
    [
      [local('CET'), /^Unknown time zone 'CET': use a name such as \w+\/\w+$/],
      [local('+02:00'), /^Unknown time zone '\+02:00': use a name such as Europe\/Berlin$/],
    ],
  ],
  [
    'RedeliverEvents',
    '/webhooks/HOOK/redeliver',
    [{ eventIds: ['a'] }, { from: FROM }, { from: FROM, before: FROM, onlyFailed: false }],
    [
      [{}, /^Send either eventIds or from$/],
      [{ eventIds: ['a'], from: FROM }, /^Send either eventIds or from$/],
      [{ eventIds: ['a'], before: FROM }, /from/],
      [{ onlyFailed: true }, /^Send either eventIds or from$/],
    ],
  ],
]

t.test('the document has the forms of addresses, time zones and redeliveries that the service takes', async (t) => {
  const problemWith = validatorOf(readDocument())
  const ada = await (await createWorld(t)).user()
  const hook = await ada.call('POST', '/webhooks', { url: 'https://app.example.com/hook' })
  for (const [schema, path, right, wrong] of FORMS) {
    const send = async (body: object) => {
      const reply = await ada.call('POST', path.replace('HOOK', hook.body.id), body)
      return [reply.status, reply.body.details?.[0].message ?? reply.body.error] as const
    }
    const problemOf = (body: object) => problemWith({ $ref: `#/components/schemas/${schema}` }, body)
    for (const body of right) {
      t.equal(problemOf(body), '', JSON.stringify(body))
      t.notMatch((await send(body))[1], /has to be the|time zone|either/)
    }
    for (const [body, message] of wrong) {
      t.not(problemOf(body), '', JSON.stringify(body))
      t.match(await send(body), [400, message])
    }
  }
})
