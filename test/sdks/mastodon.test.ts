import t from 'tap'
import { startMastodon } from '../networks/fakes/mastodon.ts'
import { failure, importPackage, useFetch } from './sdk.ts'

const URL_ = 'https://mastodon.example'
const REDIRECT_URI = 'https://app.example/callback'
const SCOPES = 'read:accounts read:statuses write:media write:statuses'

t.test('masto.js registers an app, logs in and posts at the fake of Mastodon', async (t) => {
  const fake = await startMastodon(t)
  useFetch(fake)
  const { createRestAPIClient, createOAuthAPIClient } = await importPackage('masto')
  const app = await createRestAPIClient({ url: URL_ }).v1.apps.create({
    clientName: 'Test',
    redirectUris: [REDIRECT_URI],
    scopes: SCOPES,
  })
  t.strictSame([app.name, app.redirectUris, app.clientSecretExpiresAt], ['Test', [REDIRECT_URI], 0])

  const oauth = createOAuthAPIClient({ url: URL_ })
  const page = new URL(`${URL_}/oauth/authorize`)
  const parameters = { response_type: 'code', client_id: app.clientId, redirect_uri: REDIRECT_URI, scope: SCOPES }
  page.search = String(new URLSearchParams(parameters))
  const code = fake.login.consent(page).searchParams.get('code')!
  const token = await oauth.token.create({
    grantType: 'authorization_code',
    code,
    clientId: app.clientId,
    clientSecret: app.clientSecret,
    redirectUri: REDIRECT_URI,
  })
  t.strictSame([token.tokenType, token.scope, typeof token.createdAt], ['Bearer', SCOPES, 'number'])

  const masto = createRestAPIClient({ url: URL_, accessToken: token.accessToken })
  const me = await masto.v1.accounts.verifyCredentials()
  t.strictSame([me.id, me.username, me.displayName], ['14715', 'alice', 'Alice A.'])
  const file = new File(['an image'], 'a.png', { type: 'image/png' })
  const media = await masto.v2.media.create({ file, description: 'The sea' })
  const status = await masto.v1.statuses.create({
    status: 'A lighthouse',
    mediaIds: [media.id],
    visibility: 'unlisted',
  })
  t.strictSame([status.visibility, status.mediaAttachments[0].description], ['unlisted', 'The sea'])
  const statuses = await masto.v1.accounts.$select(me.id).statuses.list({ limit: 5 })
  t.strictSame(
    statuses.map(({ id }: { id: string }) => id),
    [status.id],
  )
  t.equal((await masto.v1.statuses.$select(status.id).source.fetch()).text, 'A lighthouse')
  t.match(await failure(masto.v1.statuses.create({ status: '' })), { statusCode: 422 })

  Object.assign(fake.statuses[0]!, { favourites_count: 3 })
  const own = masto.v1.statuses.$select(status.id)
  t.match(await own.fetch(), { favouritesCount: 3, reblogsCount: 0, repliesCount: 0, editedAt: null })
  const edited = await own.update({ status: 'A lighthouse at dawn', mediaIds: [media.id] })
  t.match([edited.id, await own.source.fetch()], [status.id, { text: 'A lighthouse at dawn' }])
  t.type(edited.editedAt, 'string')
  t.equal((await own.remove()).text, 'A lighthouse at dawn', 'it returns the source')
  t.match(await failure(own.remove()), { statusCode: 404 })
  t.match(await failure(own.fetch()), { statusCode: 404 })
  const spent = oauth.token.create({ grantType: 'authorization_code', code, ...app, redirectUri: REDIRECT_URI })
  t.match(await failure(spent), { statusCode: 400 })
})
