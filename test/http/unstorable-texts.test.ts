import t, { type Test } from 'tap'
import { createWorld } from '../helpers/app.ts'
import { collectProblems } from '../helpers/problems.ts'
import { collectRoutes } from '../helpers/routes.ts'
import { signRequest, userRequest } from '../helpers/signed-request.ts'

const APP = { clientId: '998877665544', clientSecret: 'fedcba9876543210fedcba9876543210' }

/** Texts that Postgres cannot store, or that are not UTF-8, as a path or a form has them. */
const TEXTS = [
  '%00',
  'a%00b',
  '%ff',
  '%c3%28',
  '%ed%a0%80',
  '%',
  '%zz',
  '%u0000',
  '%f4%90%80%80',
  '%E2%80%AE',
  'a%0d%0ab',
]

/** All routes of the service, those that the OpenAPI document does not have too. */
async function createScene(t: Test) {
  const [world, routes] = await collectRoutes(() =>
    createWorld(t, { oauthApps: { facebook: APP }, servesDocument: true }),
  )
  return { ...world, ada: await world.user(), routes }
}

t.test('no text in a path is an internal error, on any route and with any method', async (t) => {
  const { app, ada, routes } = await createScene(t)
  const { problems, check } = collectProblems()
  const parameters = routes.flatMap(({ url }) => url.match(/:\w+/g) ?? [])
  t.ok(parameters.length > 50, 'the routes are known')
  for (const { url, method } of routes) {
    for (const parameter of url.match(/:\w+/g) ?? []) {
      for (const text of TEXTS) {
        const path = url
          .replace(parameter, () => text)
          .replaceAll(/:platform/g, 'facebook')
          .replaceAll(/:\w+/g, 'a')
        for (const one of [method].flat()) {
          const isForm = url.startsWith('/connect/')
          const { statusCode } = await app.inject({
            method: one as 'GET',
            url: path,
            headers: {
              authorization: `Bearer ${ada.key}`,
              'content-type': isForm ? 'application/x-www-form-urlencoded' : 'application/json',
            },
            payload: isForm ? 'signed_request=a.b' : '{}',
          })
          check(statusCode < 500, true, `${one} ${path}: ${statusCode}`)
        }
      }
    }
  }
  t.strictSame(problems, [])
})

t.test('no text in a form is an internal error', async (t) => {
  const { app, ada } = await createScene(t)
  const { problems, check } = collectProblems()
  const account = await ada.account('facebook', { username: 'a-page', credentials: { accessToken: 'EAAItoken' } })
  t.ok(account)
  const meta = ['deauthorize', 'delete-data'].map((name) => `/connect/meta/facebook/${APP.clientId}/${name}`)
  const send = async (url: string, payload: string) => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const { statusCode } = await app.inject({ method: 'POST', url, headers, payload })
    check(statusCode < 500, true, `${url} ${payload}: ${statusCode}`)
  }
  for (const text of TEXTS) {
    for (const url of [...meta, '/connect/result/0196f0a1-5b7e-7c3a-9d42-1f6a3b8c2d10']) {
      for (const name of ['signed_request', 'id', text]) await send(url, `${name}=${text}&${name}=${text}`)
    }
    const { statusCode } = await app.inject(`/connect/callback?state=${text}&code=${text}`)
    check(statusCode < 500, true, `the callback ${text}: ${statusCode}`)
  }
  for (const user of ['\0', 'a\0b', '\u202e', '%00']) {
    const request = signRequest(userRequest(user, {}), APP.clientSecret)
    for (const url of meta) await send(url, `signed_request=${encodeURIComponent(request)}`)
  }
  t.strictSame(problems, [])
})
