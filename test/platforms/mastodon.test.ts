import t from 'tap'
import { mastodonAdapter } from '../../src/platforms/mastodon/adapter.ts'
import { actOf, clientOf, ioOf, rejection, TOKEN } from '../helpers/adapter-calls.ts'
import type { Teardown } from '../helpers/database.ts'
import { type FakeMastodon, startMastodon } from '../networks/fakes/mastodon.ts'
import { broken, type Fault, reset } from '../networks/fakes/network.ts'

const { send, identify } = clientOf(mastodonAdapter)

async function start(t: Teardown) {
  const fake = await startMastodon(t)
  return { fake, credentials: fake.credentials }
}

/** Bodies of the calls that create a status. */
const bodies = ({ calls }: FakeMastodon) =>
  calls.filter(({ path, method }) => method === 'POST' && path === '/api/v1/statuses').map(({ body }) => body)

t.test('an account is named with its instance', async (t) => {
  const { fake, credentials } = await start(t)
  t.same(await identify(credentials, ioOf(fake)), {
    externalId: '14715@mastodon.example',
    username: 'alice@mastodon.example',
    displayName: 'Alice A.',
    textLengthMax: 500,
    altTextLengthMax: null,
    facts: {
      server: { host: 'mastodon.example', software: 'Mastodon', version: '4.5.0' },
      page: '/api/v2/instance',
      readOn: new Date().toISOString().slice(0, 10),
      filesMax: 4,
    },
  })
  t.same(fake.log, ['GET /api/v1/accounts/verify_credentials', 'GET /api/v2/instance'])
})

t.test('an account has the text length that its instance allows', async (t) => {
  const { fake, credentials } = await start(t)
  for (const max of [1, 5000, 1_000_000]) {
    fake.maxCharacters = max
    t.equal((await identify(credentials, ioOf(fake))).textLengthMax, max)
  }
  t.equal(
    fake.calls.at(-1)?.headers.authorization,
    `Bearer ${credentials.accessToken}`,
    'instances with limited federation require it',
  )
})

t.test('an instance that does not report its text length can be connected', async (t) => {
  const { fake, credentials } = await start(t)
  fake.maxCharacters = 5000
  const reporting = (max: unknown) => ({ status: 200, body: { configuration: { statuses: { max_characters: max } } } })
  const responses: Fault['instead'][] = [
    ...[0, -500, 500.5, 1_000_001, '5000', null, undefined, [5000]].map(reporting),
    ...['<html>', [], null, {}, { configuration: null }].map((body) => ({ status: 200, body })),
    ...[301, 401, 403, 404, 422, 429, 500, 503].map((status) => ({ status, body: { error: 'Not found' } })),
    reset,
    broken(200),
  ]
  for (const instead of responses) {
    fake.faults.push({ on: 'GET /api/v2/instance', instead })
    const { username, textLengthMax } = await identify(credentials, ioOf(fake))
    t.same([username, textLengthMax], ['alice@mastodon.example', null], JSON.stringify(instead))
  }
  t.same(fake.faults, [])
})

t.test('a text becomes a status by one call with an Idempotency-Key', async (t) => {
  const { fake, credentials } = await start(t)
  const sent = await send(actOf(), credentials, ioOf(fake))
  t.same(fake.log, ['intend', 'POST /api/v1/statuses'])
  t.same(bodies(fake), [{ status: 'A lighthouse at dusk', visibility: 'public', sensitive: false }])
  t.match(fake.calls[0]?.headers, { 'idempotency-key': TOKEN, 'content-type': 'application/json' })
  t.same(sent, { id: fake.statuses[0]?.id, url: fake.statuses[0]?.url })
  t.match(fake.statuses[0], { visibility: 'public', sensitive: false }, 'the settings of the account do not count')
})

t.test('the fields of the post are the parameters of the status', async (t) => {
  const { fake, credentials } = await start(t)
  const fields = {
    visibility: 'unlisted',
    sensitive: true,
    spoilerText: 'Sea',
    language: 'en',
    quoteApprovalPolicy: 'followers',
    poll: { options: ['Yes', 'No'], expiresIn: 3600, multiple: true },
  }
  await send(actOf({ fields }), credentials, ioOf(fake))
  t.same(bodies(fake), [
    {
      status: 'A lighthouse at dusk',
      visibility: 'unlisted',
      sensitive: true,
      spoiler_text: 'Sea',
      language: 'en',
      quote_approval_policy: 'followers',
      poll: { options: ['Yes', 'No'], expires_in: 3600, multiple: true },
    },
  ])
  const error = await rejection(send(actOf({ fields: { poll: { options: 'Yes' } } }), credentials, ioOf(fake)))
  t.has(error, { code: 'content_refused', maybeSent: false, retryable: false })
})

t.test('the parts of a thread reply to each other, and a comment to its post', async (t) => {
  const { fake, credentials } = await start(t)
  const fields = { visibility: 'unlisted', spoilerText: 'Sea', poll: { options: ['Yes', 'No'], expiresIn: 3600 } }
  const root = await send(actOf({ text: 'One', fields, token: 'a' }), credentials, ioOf(fake))
  const second = await send(actOf({ text: 'Two', fields, parent: root, root, token: 'b' }), credentials, ioOf(fake))
  await send(actOf({ text: 'Three', fields, parent: second, root, token: 'c' }), credentials, ioOf(fake))
  const comment = actOf({ kind: 'comment', text: 'First!', fields, parent: root, root, token: 'd' })
  await send(comment, credentials, ioOf(fake))
  t.same(bodies(fake).slice(1), [
    { status: 'Two', visibility: 'unlisted', sensitive: false, spoiler_text: 'Sea', in_reply_to_id: root.id },
    { status: 'Three', visibility: 'unlisted', sensitive: false, spoiler_text: 'Sea', in_reply_to_id: second.id },
    { status: 'First!', visibility: 'unlisted', sensitive: false, spoiler_text: 'Sea', in_reply_to_id: root.id },
  ])
  t.same(
    fake.statuses.map(({ in_reply_to_id }) => in_reply_to_id),
    [root.id, second.id, root.id, null],
  )
})
