import { createHmac, randomBytes } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import t from 'tap'
import { InvalidSignature, webhooks } from '../../src/clients/sdk/index.ts'
import { recordSecrets } from '../helpers/log-record.ts'

const newSecret = () => {
  const secret = `whsec_${randomBytes(32).toString('base64')}`
  recordSecrets('key', secret)
  return secret
}
const [SECRET, OTHER] = [newSecret(), newSecret()]
const ID = '0196f0b2-81d4-7e6f-8a15-c07d2e9b4f63'
const EVENT = { id: ID, type: 'delivery.published', timestamp: '2027-01-15T09:30:00.000Z', data: { text: 'é 🎉' } }
const BODY = JSON.stringify(EVENT)
const nowSeconds = () => Math.floor(Date.now() / 1000)

/** The headers of a request that the library of Standard Webhooks signs. */
const sign = (secret = SECRET, { id = ID, at = nowSeconds(), body = BODY } = {}) => ({
  'webhook-id': id,
  'webhook-timestamp': String(at),
  'webhook-signature': new Webhook(secret).sign(id, new Date(at * 1000), body),
})

t.test('what the library of Standard Webhooks signs is accepted, as text and as bytes', async (t) => {
  const bytes = new TextEncoder().encode(BODY)
  const shifted = new Uint8Array(bytes.length + 2)
  shifted.set(bytes, 1)
  const bodies = [BODY, bytes, bytes.buffer, Buffer.from(BODY), shifted.subarray(1, -1)]
  for (const body of bodies) t.strictSame(await webhooks.verify(body, sign(), SECRET), EVENT)
  for (const at of [nowSeconds() - 290, nowSeconds() + 290]) await webhooks.verify(BODY, sign(SECRET, { at }), SECRET)
  t.strictSame(await webhooks.verify(BODY, sign(), SECRET.replace('whsec_', '')), EVENT, 'without the prefix')
})

t.test('headers may come as runtimes give them', async (t) => {
  const headers = sign()
  const upper = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]))
  const lists = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]]))
  for (const each of [headers, new Headers(headers), upper, lists, { ...headers, other: undefined }]) {
    t.strictSame(await webhooks.verify(BODY, each, SECRET), EVENT)
  }
})

t.test('while a secret is rotated, one of several signatures and one of several secrets have to match', async (t) => {
  const at = nowSeconds()
  const [old, current] = [sign(OTHER, { at }), sign(SECRET, { at })]
  const both = { ...current, 'webhook-signature': `${old['webhook-signature']} ${current['webhook-signature']}` }
  t.strictSame(await webhooks.verify(BODY, both, SECRET), EVENT)
  t.strictSame(await webhooks.verify(BODY, both, OTHER), EVENT)
  t.strictSame(await webhooks.verify(BODY, old, [SECRET, OTHER]), EVENT)
  const later = { ...current, 'webhook-signature': `v1a,AAAA ${current['webhook-signature']}` }
  t.strictSame(await webhooks.verify(BODY, later, SECRET), EVENT, 'a version that is not known is passed over')
  await t.rejects(webhooks.verify(BODY, both, newSecret()), InvalidSignature)
})

t.test('forged, changed, old and replayed requests are rejected, as by the library', async (t) => {
  const signed = sign()
  const [, signature] = signed['webhook-signature'].split(',') as [string, string]
  const hmacOf = (text: string, algorithm = 'sha256') =>
    createHmac(algorithm, Buffer.from(SECRET.slice(6), 'base64'))
      .update(text)
      .digest('base64')
  const now = nowSeconds()
  const cases: [string, string, Record<string, string>][] = [
    ['another secret', BODY, sign(OTHER)],
    ['another body', BODY.replace('published', 'failed'), signed],
    ['a body with a blank', `${BODY} `, signed],
    ['an empty body', '', signed],
    ['another id', BODY, { ...signed, 'webhook-id': 'evt_2' }],
    ['an old request', BODY, sign(SECRET, { at: now - 301 - 10 })],
    ['a replay with a new time', BODY, { ...sign(SECRET, { at: now - 400 }), 'webhook-timestamp': String(now) }],
    ['a request from the future', BODY, sign(SECRET, { at: now + 301 + 10 })],
    ['a signature that is cut off', BODY, { ...signed, 'webhook-signature': `v1,${signature.slice(0, 8)}` }],
    ['an empty signature', BODY, { ...signed, 'webhook-signature': 'v1,' }],
    ['a signature of no version', BODY, { ...signed, 'webhook-signature': signature }],
    ['a signature of another version', BODY, { ...signed, 'webhook-signature': `v2,${signature}` }],
    ['the body alone signed', BODY, { ...signed, 'webhook-signature': `v1,${hmacOf(BODY)}` }],
    [
      'SHA-1',
      BODY,
      { ...signed, 'webhook-signature': `v1,${hmacOf(`${ID}.${signed['webhook-timestamp']}.${BODY}`, 'sha1')}` },
    ],
    ['a timestamp that is no number', BODY, { ...signed, 'webhook-timestamp': 'now' }],
    ['no id', BODY, { ...signed, 'webhook-id': '' }],
    ['no timestamp', BODY, { ...signed, 'webhook-timestamp': '' }],
    ['no signature', BODY, { ...signed, 'webhook-signature': '' }],
    ['no headers', BODY, {}],
  ]
  for (const [name, body, headers] of cases) {
    const error = await webhooks.verify(body, headers, SECRET).catch((error) => error)
    t.ok(error instanceof InvalidSignature, `${name}: ${error}`)
    t.throws(() => new Webhook(SECRET).verify(body, headers), name)
  }
})

t.test('a repeated header is rejected, however the runtime joins it', async (t) => {
  const headers = sign()
  for (const name of Object.keys(headers) as (keyof typeof headers)[]) {
    const value = headers[name]
    const joined = new Headers(headers)
    joined.append(name, value)
    for (const twice of [
      { ...headers, [name]: [value, value] },
      { ...headers, [name.toUpperCase()]: value },
      { ...headers, [name]: `${value}, ${value}` },
      joined,
    ]) {
      await t.rejects(webhooks.verify(BODY, twice, SECRET), {
        name: 'InvalidSignature',
        message: /malformed or repeated/,
      })
    }
  }
})

t.test('a wrong use is a TypeError, and a signed body that is not JSON is rejected', async (t) => {
  for (const secret of ['', 'whsec_', 'whsec_not base64!', undefined, []]) {
    await t.rejects(webhooks.verify(BODY, sign(), secret as string), TypeError, `${secret}`)
  }
  await t.rejects(webhooks.verify(EVENT as unknown as string, sign(), SECRET), TypeError, 'a parsed body')
  await t.rejects(webhooks.verify('text', sign(SECRET, { body: 'text' }), SECRET), InvalidSignature)
})
