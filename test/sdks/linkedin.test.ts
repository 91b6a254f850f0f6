import t from 'tap'
import { startLinkedin } from '../networks/fakes/linkedin.ts'
import { failure, requirePackage, useAxios } from './sdk.ts'

const VERSION = '202606'

t.test('the SDK of LinkedIn logs in, and refreshes', async (t) => {
  const fake = await startLinkedin(t)
  useAxios(fake)
  const { AuthClient } = requirePackage('linkedin-api-client')
  fake.app.hasRefreshTokens = true
  const { clientId, clientSecret, redirectUris, scopes } = fake.app
  const auth = new AuthClient({ clientId, clientSecret, redirectUrl: redirectUris[0] })
  const page = await fake.fetch(auth.generateMemberAuthorizationUrl(scopes, 'the-state'), { redirect: 'manual' })
  const callback = new URL(page.headers.get('location')!).searchParams
  t.equal(callback.get('state'), 'the-state')
  const token = await auth.exchangeAuthCodeForAccessToken(callback.get('code'))
  t.match(token, { access_token: /^AQ/, expires_in: 5_184_000, refresh_token_expires_in: 31_536_000 })
  t.strictSame(token.scope.split(','), scopes)
  const refreshed = await auth.exchangeRefreshTokenForAccessToken(token.refresh_token)
  t.equal(refreshed.refresh_token, token.refresh_token)
  t.not(refreshed.access_token, token.access_token)
})

t.test('the SDK of LinkedIn posts for an organization, comments, and reads both', async (t) => {
  const fake = await startLinkedin(t)
  useAxios(fake)
  const { RestliClient } = requirePackage('linkedin-api-client')
  const client = new RestliClient()
  const { accessToken, author, member } = fake.organization
  const common = { accessToken, versionString: VERSION }

  const { data: me } = await client.get({ resourcePath: '/me', accessToken })
  t.equal(`urn:li:person:${me.id}`, member)
  const roles = await client.finder({ ...common, resourcePath: '/organizationAcls', finderName: 'roleAssignee' })
  t.hasStrict(roles.data.elements, [{ organization: author, role: 'ADMINISTRATOR', state: 'APPROVED' }])
  const id = author!.split(':').at(-1)
  const organization = await client.get({ ...common, resourcePath: '/organizations/{id}', pathKeys: { id } })
  t.strictSame(organization.data, { id: Number(id), localizedName: 'Acme Corp', vanityName: 'acme' })

  const entity = {
    author,
    commentary: 'A lighthouse',
    visibility: 'PUBLIC',
    distribution: { feedDistribution: 'MAIN_FEED', targetEntities: [], thirdPartyDistributionChannels: [] },
    lifecycleState: 'PUBLISHED',
  }
  const created = await client.create({ ...common, resourcePath: '/posts', entity })
  t.equal(created.status, 201)
  t.equal(created.createdEntityId, fake.posts[0]!.id)
  const queryParams = { author, count: 10, start: 0 }
  const { data } = await client.finder({ ...common, resourcePath: '/posts', finderName: 'author', queryParams })
  t.hasStrict(data.elements, [{ id: created.createdEntityId, author, commentary: 'A lighthouse' }])
  t.strictSame(data.paging, { start: 0, count: 10, links: [] })

  const comments = {
    ...common,
    resourcePath: '/socialActions/{urn}/comments',
    pathKeys: { urn: created.createdEntityId },
  }
  const comment = { actor: author, object: created.createdEntityId, message: { text: 'At dusk' } }
  const { createdEntityId } = await client.create({ ...comments, entity: comment })
  const all = await client.getAll(comments)
  t.hasStrict(all.data.elements, [{ id: createdEntityId, message: { text: 'At dusk' } }])

  const post = { ...common, resourcePath: '/posts/{urn}', pathKeys: { urn: created.createdEntityId } }
  const edit = await client.partialUpdate({ ...post, patchSetObject: { commentary: 'A lighthouse at dawn' } })
  t.equal(edit.status, 204)
  const shown = await client.finder({ ...common, resourcePath: '/posts', finderName: 'author', queryParams })
  t.hasStrict(shown.data.elements, [{ commentary: 'A lighthouse at dawn' }])
  t.equal((await client.delete(post)).status, 204)
  t.equal((await client.delete(post)).status, 204, 'deleting twice is deleting once')
})

t.test('the SDK of LinkedIn uploads an image, and gets the errors of the fake', async (t) => {
  const fake = await startLinkedin(t)
  useAxios(fake)
  const { RestliClient } = requirePackage('linkedin-api-client')
  const client = new RestliClient()
  const { accessToken, author } = fake.organization
  const common = { accessToken, versionString: VERSION }
  const images = { ...common, resourcePath: '/images' }
  const data = { initializeUploadRequest: { owner: author } }
  const { value } = (await client.action({ ...images, actionName: 'initializeUpload', data })).data
  t.match(value, { image: /^urn:li:image:/, uploadUrl: /^https:/ })
  await fake.fetch(value.uploadUrl, {
    method: 'PUT',
    headers: { authorization: `Bearer ${accessToken}`, 'content-type': 'image/png' },
    body: 'an image',
  })
  const image = await client.get({ ...common, resourcePath: '/images/{urn}', pathKeys: { urn: value.image } })
  t.match(image.data, { owner: author, status: /^(?:AVAILABLE|PROCESSING)$/ })

  const entity = { author, commentary: 'A lighthouse' }
  const refused = client.create({ ...common, resourcePath: '/posts', entity })
  t.match(await failure(refused), { response: { status: 400, data: { errorDetails: {} } } })
  fake.tokens.get(accessToken!)!.status = 'expired'
  const expired = client.get({ resourcePath: '/me', accessToken })
  t.match(await failure(expired), {
    response: { status: 401, data: { code: 'EXPIRED_ACCESS_TOKEN', serviceErrorCode: 65_602 } },
  })
})
