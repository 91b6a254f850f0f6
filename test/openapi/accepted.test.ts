import t from 'tap'
import { createWorld } from '../helpers/app.ts'
import { readDocument, validatorOf } from '../helpers/document.ts'

/** Hosts of receivers and shops that exist in this form, and that URL parsers read. */
const URLS = [
  'https://my_app.example.com/hook',
  'https://build-42_pr.svc.example:8443/hook?a=b',
  'https://bücher.example/hök/ä?q=ü',
  'https://xn--bcher-kva.example./hook',
  'https://example.com:/@ada/a b',
  'HTTPS://[2606:4700::1]/hook',
]
const HEADERS: Record<string, string>[] = [
  { Authorization: 'Bearer abc', 'X_Team!#$%&': 'a b\tc' },
  { teams: 'x', hostname: 'x', 'x-webhook-id': 'x', accepted: '~' },
  { ...Object.fromEntries(Array.from({ length: 10 }, (_, index) => [`X-${index}`, 'v'])) },
]
const REFUSED_HEADERS: Record<string, string>[] = [
  ...['webhook-id', 'Webhook-X', 'CONTENT-TYPE', 'Proxy-Authorization', 'Host', 'tE', 'a b', 'a:b', '', 'ü'],
  'a'.repeat(101),
].map((name) => ({ [name]: 'value' }))
REFUSED_HEADERS.push({ a: '' }, { a: ' b' }, { a: 'b\r\nc: d' }, { a: 'ü' })
REFUSED_HEADERS.push(Object.fromEntries(Array.from({ length: 11 }, (_, index) => [`a${index}`, 'b'])))

t.test('a webhook that the service takes fits the document, and one with other headers does neither', async (t) => {
  const validate = validatorOf(readDocument())
  const { user } = await createWorld(t)
  const ada = await user()
  const bodies = [
    ...URLS.map((url) => ({ url })),
    ...[...HEADERS, ...REFUSED_HEADERS].map((headers) => ({ url: 'https://example.com', headers })),
  ]
  const problems: string[] = []
  let taken = 0
  for (const body of bodies) {
    const { status, body: reply } = await ada.call('POST', '/webhooks', body)
    const mistake = validate({ $ref: '#/components/schemas/CreateWebhook' }, body)
    if (status === 201) taken++
    if ((status === 201) !== (mistake === '')) problems.push(`${JSON.stringify(body)}: ${status}, ${mistake}`)
    if (reply.error && !reply.details) problems.push(`${JSON.stringify(body)}: no details`)
  }
  t.strictSame(problems, [])
  t.equal(taken, URLS.length + HEADERS.length)
})
