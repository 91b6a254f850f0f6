import t from 'tap'
import { createPublicClient } from '../../src/base/outbound/client.ts'
import { createWebhookWorld, loopbackClient } from './scene.ts'

/** Names that a test resolves without a name server. */
const NAMES: Record<string, string[]> = {
  'public.example': ['93.184.216.34'],
  'private.example': ['10.0.0.5'],
  'metadata.example': ['169.254.169.254'],
  'both.example': ['93.184.216.34', '127.0.0.1'],
}
const resolve = async (name: string) => (NAMES[name] ?? []).map((address) => ({ address, family: 4 }))

t.test('a URL that nothing should be sent to is a clear error, and nothing is stored or changed', async (t) => {
  const { isReachable } = createPublicClient({ resolve })
  const { ada } = await createWebhookWorld(t, { webhookUrls: { allowsHttp: false, isReachable } })
  const { body: hook } = await ada.call('POST', '/webhooks', { url: 'https://public.example/a?b=c#d' })
  t.equal(hook.url, 'https://public.example/a?b=c', 'a fragment is not sent')
  const secure = 'Must be an https address. The operator of the service can allow http: WEBHOOKS_ALLOW_HTTP'
  const publicly =
    'The host of url does not resolve to a public address: check its spelling. The operator of the service can allow private hosts: OUTBOUND_ALLOW'
  const cases: [url: unknown, message: string][] = [
    ['http://public.example', secure],
    ['ftp://public.example', secure],
    ['file:///etc/passwd', secure],
    ['javascript:alert(1)', secure],
    ['https://ada:secret@public.example', 'Must not contain a user name or password'],
    ['https://ada@public.example', 'Must not contain a user name or password'],
    ['public.example', 'Invalid url: begin with https:// and a host, such as https://app.example.com/hook'],
    ['', 'Invalid url: begin with https:// and a host, such as https://app.example.com/hook'],
    ['https://', 'Invalid url: begin with https:// and a host, such as https://app.example.com/hook'],
    [
      'https://public.example:99999',
      'Invalid url: begin with https:// and a host, such as https://app.example.com/hook',
    ],
    [`https://public.example/${'a'.repeat(2_000)}`, 'String must contain at most 2000 character(s)'],
    [7, 'Expected string, received number'],
    ['https://private.example', publicly],
    ['https://metadata.example', publicly],
    ['https://both.example', publicly],
    ['https://unknown.example', publicly],
    ['https://127.0.0.1', publicly],
    ['https://[::1]:8443', publicly],
    ['https://169.254.169.254/latest/meta-data', publicly],
    ['https://[fd00:ec2::254]/', publicly],
    ['https://0x7f000001/', publicly],
    ['https://2130706433/', publicly],
    ['https://[::ffff:10.0.0.1]/', publicly],
    ['https://100.100.100.200/', publicly],
  ]
  for (const [url, message] of cases) {
    for (const [method, path] of [
      ['POST', '/webhooks'],
      ['PATCH', `/webhooks/${hook.id}`],
    ] as const) {
      const { status, body } = await ada.call(method, path, { url, payload: 'thin' })
      t.equal(status, 400, `${method} ${url}`)
      t.match(body.details?.[0].message ?? body.error, message, `${method} ${url}`)
    }
  }
  const { secret: _, ...shown } = hook
  t.strictSame((await ada.call('GET', '/webhooks')).body.data, [shown])
  t.equal((await ada.call('POST', '/webhooks', { url: 'https://public.example:8443' })).status, 201)
  const long = `https://public.example/${'a'.repeat(2_000 - 23)}`
  t.equal((await ada.call('POST', '/webhooks', { url: long })).status, 201, '2,000 characters are allowed')
})

t.test('with WEBHOOKS_ALLOW_HTTP and OUTBOUND_ALLOW, receivers may be in the network of the operator', async (t) => {
  const { isReachable } = loopbackClient()
  const { ada } = await createWebhookWorld(t, { webhookUrls: { allowsHttp: true, isReachable } })
  t.equal((await ada.call('POST', '/webhooks', { url: 'http://127.0.0.1:9999/hook' })).status, 201)
  t.equal((await ada.call('POST', '/webhooks', { url: 'http://10.0.0.1/hook' })).status, 400)
  const { body } = await ada.call('POST', '/webhooks', { url: 'ftp://127.0.0.1/hook' })
  t.equal(body.details[0].message, 'Must be an https or http address')
})
