import t from 'tap'
import type { Credentials } from '../../src/platforms/contract/io.ts'
import { mastodonAdapter } from '../../src/platforms/mastodon/adapter.ts'
import { actOf, clientOf, fileOf, ioOf, rejection } from '../helpers/adapter-calls.ts'
import type { Teardown } from '../helpers/database.ts'
import { startMastodon } from '../networks/fakes/mastodon.ts'

const { send, identify, reconcile } = clientOf(mastodonAdapter)

async function start(t: Teardown) {
  const fake = await startMastodon(t)
  return { fake, credentials: fake.credentials }
}

t.test('an instance refuses a status that is longer than its maximum', async (t) => {
  const { fake, credentials } = await start(t)
  fake.maxCharacters = 600
  const error = await rejection(send(actOf({ text: 'a'.repeat(601) }), credentials, ioOf(fake)))
  t.match(error, { code: 'content_refused', message: /character limit of 600 exceeded$/ })
  await send(actOf({ text: 'a'.repeat(600) }), credentials, ioOf(fake))
  t.equal(fake.statuses.length, 1)
})

t.test('invalid credentials are refused, and no message contains them', async (t) => {
  const { fake, credentials } = await start(t)
  const wrong: Credentials[] = [
    { ...credentials, accessToken: 'another' },
    { ...credentials, accessToken: 's3cret\nx-evil: 1' },
    { ...credentials, instance: 'http://mastodon.example' },
    { ...credentials, instance: 'https://s3cret:pw@mastodon.example' },
    { ...credentials, instance: 'https://mastodon.example/s3cret' },
    { ...credentials, instance: 's3cret' },
    {},
  ]
  for (const credentials of wrong) {
    for (const attempt of [identify, send.bind(null, actOf())] as const) {
      const error = await rejection(attempt(credentials, ioOf(fake)))
      t.has(error, { code: 'unauthorized', maybeSent: false, retryable: false, needsAttention: true })
      t.notMatch(error.message, /s3cret|another/)
    }
  }
  const on = 'GET /api/v1/accounts/verify_credentials'
  const error = 'This method requires an authenticated user'
  fake.faults.push({ on, instead: { status: 422, body: { error } } })
  t.has(await rejection(identify(credentials, ioOf(fake))), { code: 'unauthorized', needsAttention: true })
  t.equal(fake.statuses.length, 0)
})

t.test('ids, URLs and messages of an instance are checked', async (t) => {
  const { fake, credentials } = await start(t)
  const on = 'POST /api/v1/statuses'
  for (const id of ['../../x', '', 'a'.repeat(65), { a: 1 }, null]) {
    fake.faults.push({ on, instead: { status: 200, body: { id } } })
    t.has(await rejection(send(actOf(), credentials, ioOf(fake))), { code: 'unexpected_answer', maybeSent: true })
  }
  for (const url of ['javascript:alert(1)', `https://example.com/${'a'.repeat(2048)}`, null, 7]) {
    fake.faults.push({ on, instead: { status: 200, body: { id: '1', url } } })
    t.same(await send(actOf(), credentials, ioOf(fake)), { id: '1', url: null })
  }
  const error = `${'a'.repeat(480)} ${credentials.accessToken} \0\n${'b'.repeat(1000)}`
  fake.faults.push({ on, instead: { status: 422, body: { error } } })
  const { message } = await rejection(send(actOf(), credentials, ioOf(fake)))
  t.match(message, /^mastodon\.example: a{480} … {2}b{98}$/, 'cut after the token, without control characters')
})

t.test('a refusal has the words of Mastodon', async (t) => {
  const { fake, credentials } = await start(t)
  const refusals: [Parameters<typeof actOf>[0], string][] = [
    [{ text: '' }, "Validation failed: Text can't be blank"],
    [{ text: 'a'.repeat(501) }, 'Validation failed: Text character limit of 500 exceeded'],
    [{ media: [fileOf('image/bmp')] }, 'Validation failed: File content type is invalid, File is invalid'],
    [{ parent: { id: '1', url: null } }, 'The post you are trying to reply to does not appear to exist.'],
    [
      { fields: { poll: { options: ['Yes'], expiresIn: 3600 } } },
      'Validation failed: Options must be more than one item',
    ],
    [
      { fields: { poll: { options: ['Yes', 'Yes'], expiresIn: 3600 } } },
      'Validation failed: Options contain duplicate items',
    ],
  ]
  for (const [act, words] of refusals) {
    t.has(await rejection(send(actOf(act), credentials, ioOf(fake))), {
      code: 'content_refused',
      message: `mastodon.example: ${words}`,
      maybeSent: false,
      retryable: false,
      needsAttention: false,
    })
  }
  t.equal(fake.statuses.length, 0)
})

t.test('a token without the scopes needs its owner; the documented scopes are enough', async (t) => {
  const { fake, credentials } = await start(t)
  fake.scopes = new Set(['read', 'write:media'])
  t.has(await rejection(send(actOf(), credentials, ioOf(fake))), {
    code: 'unauthorized',
    message: 'mastodon.example: This action is outside the authorized scopes',
    maybeSent: false,
    retryable: false,
    needsAttention: true,
  })
  fake.scopes = new Set(['read:accounts', 'read:statuses', 'write:media', 'write:statuses'])
  const act = actOf({ media: [fileOf('video/mp4')] })
  await identify(credentials, ioOf(fake))
  const { id, url } = await send(act, credentials, ioOf(fake))
  t.same(await reconcile(act, credentials, ioOf(fake)), { id, url })
})
