import t from 'tap'
import { call } from '../helpers/app.ts'
import { createScene, type Scene } from './scene.ts'

/* The steps that hosted clients are documented, or were observed, to take. */

const MESSAGE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'hosted', version: '1' } },
}

/** Finds the endpoints as a client does that knows the address of /mcp alone. */
async function discover({ app, origin }: Scene) {
  const refused = await app.inject({ method: 'POST', url: '/mcp', payload: MESSAGE })
  const [, address] = /resource_metadata="([^"]+)"/.exec(String(refused.headers['www-authenticate']))!
  const resource = (await app.inject(new URL(address!).pathname)).json()
  const metadata = await app.inject('/.well-known/oauth-authorization-server')
  const server = metadata.json()
  if (`${resource.authorization_servers}` !== server.issuer || server.issuer !== origin)
    throw new Error('not the issuer')
  const pathOf = (name: string) => new URL(server[name]).pathname
  return { resource: resource.resource as string, pathOf, readAt: metadata.headers['x-request-id'] }
}

t.test('claude.ai registers, sends a secret that it never got, and registers again after it has expired', async (t) => {
  const scene = await createScene(t)
  const { app, db, user, begin, approve, post, steps, register } = scene
  const ada = await user()
  const { resource, pathOf, readAt } = await discover(scene)
  t.equal((await app.inject('/.well-known/oauth-authorization-server/mcp')).statusCode, 404)
  t.equal((await app.inject('/.well-known/openid-configuration')).statusCode, 404)

  const redirectUri = 'https://claude.ai/api/mcp/auth_callback'
  const metadata = {
    client_name: 'Claude',
    redirect_uris: [redirectUri],
    scope: 'posts:read posts:write',
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'client_secret_post',
  }
  const registered = await app.inject({ method: 'POST', url: pathOf('registration_endpoint'), payload: metadata })
  t.match(registered.json(), { client_name: 'Claude', token_endpoint_auth_method: 'none', client_secret: undefined })
  const { client_id: clientId } = registered.json()

  const scope = 'posts:read posts:write posts:publish offline_access'
  const { path, verifier } = begin({ client_id: clientId, redirect_uri: redirectUri, resource, scope })
  const answer = await approve(path, ada.key)
  t.equal(answer.origin + answer.pathname, redirectUri)
  const client = { client_id: clientId, client_secret: 'never-issued', resource }
  const code = { code: answer.searchParams.get('code')!, code_verifier: verifier, redirect_uri: redirectUri }
  const { body } = await post(pathOf('token_endpoint'), { grant_type: 'authorization_code', ...client, ...code })
  t.match(body, { token_type: 'Bearer', expires_in: 3600, scope: 'posts:read posts:write' })
  t.equal((await call(app, body.access_token, 'POST', '/mcp', MESSAGE)).status, 200)
  const next = { grant_type: 'refresh_token', ...client, refresh_token: body.refresh_token }
  t.equal((await post(pathOf('token_endpoint'), next)).status, 200)

  t.match(
    steps.map(({ step }) => step).join(),
    'metadata,metadata,registered,asked,signed in,approved,authorization_code',
  )
  t.ok(
    steps.some(({ reqId, step }) => reqId === readAt && step === 'metadata'),
    'a step has the id of its request',
  )

  await db
    .updateTable('oauthClients')
    .set({ expiresAt: new Date(0) })
    .execute()
  await db.deleteFrom('oauthTokens').execute()
  t.match(await post(pathOf('token_endpoint'), next), { status: 401, body: { error: 'invalid_client' } })
  t.not(await register(metadata), clientId)
})

t.test('ChatGPT comes with the document of its client, and echoes the resource', async (t) => {
  const clientId = 'https://chatgpt.com/oauth/postroom/client.json'
  const redirectUri = 'https://chatgpt.com/connector/oauth/0123456789ab'
  const document = {
    client_id: clientId,
    client_name: 'ChatGPT',
    redirect_uris: [redirectUri],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'private_key_jwt',
    jwks_uri: 'https://chatgpt.com/oauth/jwks.json',
    token_endpoint_auth_methods_supported: ['none', 'private_key_jwt'],
  }
  const scene = await createScene(t, { fetch: (async () => Response.json(document)) as typeof fetch })
  const { app, user, begin, approve, post, steps } = scene
  const { resource, pathOf } = await discover(scene)
  const { path, verifier } = begin({ client_id: clientId, redirect_uri: redirectUri, resource })
  const answer = await approve(path, (await user()).key, { publish: 'yes' })
  const code = { code: answer.searchParams.get('code')!, code_verifier: verifier, redirect_uri: redirectUri }
  const form = { grant_type: 'authorization_code', client_id: clientId, resource, ...code }
  const { body } = await post(pathOf('token_endpoint'), form)
  t.match(body.scope, 'posts:publish')
  t.equal((await call(app, body.access_token, 'POST', '/mcp', MESSAGE)).status, 200)
  const next = { grant_type: 'refresh_token', client_id: clientId, refresh_token: body.refresh_token, resource }
  t.equal((await post(pathOf('token_endpoint'), next)).status, 200)
  t.match(
    steps.map(({ step }) => step).join(),
    'metadata,metadata,asked,signed in,approved,authorization_code,refresh_token',
  )
})
