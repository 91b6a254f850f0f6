import t from 'tap'
import { createWorld } from '../helpers/app.ts'
import { collectProblems } from '../helpers/problems.ts'
import { collectRoutes } from '../helpers/routes.ts'

const FORM = 'application/x-www-form-urlencoded'

t.test('every form has at most 64 KiB and 2,000 fields', async (t) => {
  const [{ app }, routes] = await collectRoutes(() => createWorld(t))
  const { problems, check } = collectProblems()
  const forms = routes.filter(({ schema }) => schema?.consumes?.includes(FORM))
  for (const { url, bodyLimit = Infinity } of forms) {
    check(bodyLimit <= 65_536, true, `${url}: ${bodyLimit} bytes`)
    for (const payload of ['a'.repeat(bodyLimit + 1), '&'.repeat(2_000), 'a='.repeat(10).concat('&b'.repeat(2_000))]) {
      const reply = await app.inject({ method: 'POST', url, headers: { 'content-type': FORM }, payload })
      check(reply.statusCode, 413, `${url} with ${payload.length} bytes`)
      check(/larger than (16|64) KiB|more than 2000 fields/.test(reply.body), true, `${url}: ${reply.body}`)
    }
  }
  t.strictSame(problems, [])
  t.ok(forms.length >= 6, 'the routes are known')
  const payload = 'grant_type'
  const reply = await app.inject({ method: 'POST', url: '/oauth/token', headers: { 'content-type': FORM }, payload })
  t.hasStrict(reply.json(), { error: 'invalid_request', error_description: 'client_id is missing: send it' })
})
