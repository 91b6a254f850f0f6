import t from 'tap'
import { createWorld } from '../helpers/app.ts'
import { repeating } from '../helpers/connect-oauth.ts'
import { collectProblems } from '../helpers/problems.ts'
import { checkIssues, toRaw } from '../helpers/rejections.ts'

const { user } = await createWorld(t)
const ada = repeating(await user())
const accountIds = [await ada.account()]
const get = (query: string) => ada.call('GET', `/posts?${query}`)

t.test('a query that is not UTF-8 is rejected, and never read as other text', async (t) => {
  const { problems, check } = collectProblems()
  for (const text of ['%ff', 'caf%E9', '%c0%80', '%ED%A0%80', '%zz', '100%', '%C3']) {
    const { status } = await ada.call('POST', '/posts', { accountIds, externalReference: text })
    check(status, 201, text)
    const message = 'Not valid UTF-8 in percent-encoding: send é as %C3%A9, and % as %25'
    const issue = { code: 'custom', path: ['externalReference'], message }
    checkIssues(check, toRaw(await get(`externalReference=${text}`)), [issue], text)
    checkIssues(check, toRaw(await get(`limit=1&externalReference=${text}&x=1`)), [issue], text)
    const found = (await get(`externalReference=${encodeURIComponent(text)}`)).body.data
    check(
      found.map(({ externalReference }: { externalReference: string }) => externalReference),
      [text],
      `posts with ${text}`,
    )
  }
  t.strictSame(problems, [])
})

t.test('encoded UTF-8 is read, and parameters that the operation does not know stay ignored', async (t) => {
  await ada.call('POST', '/posts', { accountIds, externalReference: 'é 🌊' })
  for (const query of [
    'externalReference=%C3%A9+%F0%9F%8C%8A',
    'externalReference=é%20🌊',
    'externalReference=é 🌊&x=%ff',
  ]) {
    const encoded = query.replaceAll(/[^ -~]/gu, encodeURIComponent).replaceAll(' ', '%20')
    t.equal((await get(encoded)).body.data.length, 1, query)
  }
  t.equal((await get('%ff=1&x=%zz')).status, 200)
  t.equal((await ada.call('GET', '/deliveries?x=%ff')).status, 400, 'where unknown parameters are rejected')
})

t.test('a request without an API key learns nothing about its query', async (t) => {
  const { app } = await createWorld(t)
  const reply = await app.inject({ method: 'GET', url: '/api/v1/posts?externalReference=%ff' })
  t.strictSame([reply.statusCode, reply.json()], [401, { error: 'Missing API key' }])
})
