import t from 'tap'
import { createBrowser, redirectBack } from '../helpers/connect-oauth.ts'
import { grantedAccount } from '../helpers/scripted-oauth.ts'
import { createConnectionWorld } from './scene.ts'

t.test('without an address that the browser reaches, the program passes on what the browser showed', async (t) => {
  const { app, ada, oauth, create, read, user, accounts } = await createConnectionWorld(t)
  const begin = async () => {
    const { body } = await create({ manual: true })
    const callbackUrl = String(await redirectBack()(new URL(body.url)))
    return { id: body.id as string, url: new URL(body.url), callbackUrl }
  }
  const complete = (id: string, callbackUrl: string, person = ada) =>
    person.call('POST', `/connections/${id}/complete`, { callbackUrl })
  const [own, other] = [await begin(), await begin()]
  t.equal(own.url.origin, 'https://network.example', 'the address is that of the network')
  t.equal((await read(own.id)).state, 'opened')

  const page = await createBrowser(app).get(own.callbackUrl)
  t.equal(page.status, 200)
  t.match(page.body, 'Copy the address of this page')
  t.equal(oauth.finished.length, 0, 'the page connects nothing')

  t.equal((await complete(own.id, own.callbackUrl, await user('bob'))).status, 404)
  const state = new URL(own.callbackUrl).searchParams.get('state')!
  for (const [callbackUrl, code] of [
    [other.callbackUrl, 'other_connection'],
    [own.callbackUrl.replace(state, `${state}a`), 'other_connection'],
    [`${own.callbackUrl}&state=${state}`, 'other_connection'],
    [own.callbackUrl.replace('state=', 'stat='), 'other_connection'],
    ['not an address', 'other_connection'],
    ['', 'other_connection'],
    [`https://a.example/?${'a'.repeat(17_000)}`, 'invalid_request'],
  ] as const) {
    const { status, headers } = await complete(own.id, callbackUrl)
    t.strictSame([status, headers['x-error-code']], [400, code], callbackUrl.slice(0, 100).replaceAll(state, '…'))
  }
  t.strictSame([(await read(own.id)).state, oauth.finished.length], ['opened', 0])

  const completed = await complete(own.id, own.callbackUrl)
  t.strictSame([completed.status, completed.body.state], [200, 'connected'])
  t.strictSame(completed.body.accounts, await accounts())
  t.hasStrict(await complete(own.id, own.callbackUrl), {
    status: 409,
    headers: { 'x-error-code': 'connection_not_opened' },
  })
  t.equal(oauth.finished.length, 1)

  const denied = await complete(other.id, String(await redirectBack({ error: 'access_denied' })(other.url)))
  t.strictSame([denied.status, denied.body.state, denied.body.error.code], [200, 'failed', 'denied'])

  oauth.accounts = [grantedAccount('2'), grantedAccount('3')]
  const several = await begin()
  t.equal((await complete(several.id, several.callbackUrl)).body.state, 'choosing')
  const { body } = await ada.call('POST', `/connections/${several.id}/choose`, { ids: ['3'] })
  t.equal(body.accounts[0].username, 'user3')
})
