import t from 'tap'
import { collectProblems } from '../helpers/problems.ts'
import { checkRejected, createTarget } from '../helpers/rejections.ts'

t.test('every Authorization header is a success, a missing key or an invalid key', async (t) => {
  const { send, ada } = await createTarget(t)
  const list = (authorization: string) => send('GET', '/api/v1/accounts', undefined, { authorization })
  const { problems, check } = collectProblems()
  for (const text of ['', ' ', 'Bearer', 'Bearer ', 'Basic YTpi', ada.key, `Bearer\t${ada.key}`, `Token ${ada.key}`]) {
    checkRejected(check, await list(text), 401, 'Missing API key', JSON.stringify(text))
  }
  for (const text of [
    'x',
    'x'.repeat(10_000),
    'pr_',
    'é',
    '\u0080',
    `${ada.key} x`,
    `${ada.key},`,
    `${ada.key}A`,
    "' or 1=1",
  ]) {
    checkRejected(check, await list(`Bearer ${text}`), 401, 'Invalid API key', JSON.stringify(text.slice(0, 40)))
  }
  for (const text of [`bearer ${ada.key}`, `BEARER   ${ada.key}  `])
    check((await list(text)).status, 200, text.slice(0, 8))
  t.strictSame(problems, [])
})
