import t from 'tap'
import { createWorld } from '../helpers/app.ts'
import { send } from '../helpers/mcp.ts'
import { jpeg, storeFile } from '../helpers/upload.ts'

const ORIGIN = 'https://example.com'

t.test('with a path, each document about the service is where clients look for it', async (t) => {
  const publicUrl = `${ORIGIN}/tools/postroom`
  const { app, user } = await createWorld(t, {
    publicUrl: () => publicUrl,
    servesDocument: true,
  })
  const read = async (url: string) => (await app.inject(url)).json()

  const challenge = (await app.inject({ method: 'POST', url: '/mcp', payload: {} })).headers['www-authenticate']
  const metadata = `${ORIGIN}/.well-known/oauth-protected-resource/tools/postroom/mcp`
  t.equal(challenge, `Bearer resource_metadata="${metadata}"`)
  const resource = await read(metadata.slice(ORIGIN.length))
  t.strictSame([resource.resource, resource.authorization_servers], [`${publicUrl}/mcp`, [publicUrl]])
  const api = await read('/.well-known/oauth-protected-resource/tools/postroom/api/v1')
  t.equal(api.resource, `${publicUrl}/api/v1`)
  const server = await read('/.well-known/oauth-authorization-server/tools/postroom')
  t.strictSame([server.issuer, server.token_endpoint], [publicUrl, `${publicUrl}/oauth/token`])
  t.strictSame(await read('/.well-known/oauth-authorization-server'), server, 'a proxy may remove the path there too')
  for (const other of ['/tools', '/tools/postroom2', '/other', '/tools/postroom/mcp/x']) {
    const { statusCode } = await app.inject(`/.well-known/oauth-protected-resource${other}`)
    t.equal(statusCode, 404, other)
  }

  t.equal((await read('/openapi.json')).servers[0].url, '/tools/postroom')
  const ada = await user()
  const { status } = await send(ada, 'ping', undefined, { origin: ORIGIN })
  t.equal(status, 200, 'pages of the same origin are own ones')
})

for (const path of ['/postroom', '/api', '/docs', '/api/v1/files']) {
  t.test(`below ${path}, a proxy may remove the path or leave it there`, async (t) => {
    const { app, user } = await createWorld(t, {
      publicUrl: () => `${ORIGIN}${path}`,
      servesDocument: true,
    })
    const ada = await user()
    const mediaIds = [await storeFile(app, ada, [['file', await jpeg()]])]
    await ada.call('POST', '/posts', {
      accountIds: [await ada.account('bluesky')],
      mediaIds,
    })
    const [{ url, previewUrl }] = (await ada.call('GET', '/posts?include=media')).body.data[0].media
    const problems: string[] = []
    const paths = ['/api/v1/accounts', '/api/v1/posts/', '/docs', '/docs/json', '/openapi.json?x', '/readyz']
    const addresses = [url, previewUrl].map((address: string) => {
      if (!address.startsWith(`${ORIGIN}${path}/files/`)) problems.push(address)
      return address.slice(ORIGIN.length + path.length)
    })
    for (const own of [...paths, ...addresses]) {
      for (const sent of [own, `${path}${own}`]) {
        const { statusCode } = await app.inject({
          url: sent,
          headers: { authorization: `Bearer ${ada.key}` },
        })
        if (statusCode !== 200) problems.push(`${statusCode} ${sent}`)
      }
    }
    for (const unknown of [`${path}2/healthz`, `${path}${path}/healthz`, `${path}/unknown`]) {
      const { statusCode } = await app.inject(unknown)
      if (statusCode !== 404) problems.push(`${statusCode} ${unknown}`)
    }
    t.strictSame(problems, [])
  })
}
