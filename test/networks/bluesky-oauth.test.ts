import { randomBytes } from 'node:crypto'
import { createReadStream, readFileSync } from 'node:fs'
import type { Browser } from 'playwright-core'
import t from 'tap'
import { SCOPES } from '../../src/platforms/bluesky/client.ts'
import { xrpc } from '../../src/platforms/bluesky/xrpc.ts'
import { launchBrowser, needsBrowser } from '../helpers/browser.ts'
import { recordSecrets } from '../helpers/log-record.ts'
import { freePorts } from '../helpers/ports.ts'
import { until } from '../helpers/until.ts'
import { jpeg, upload } from '../helpers/upload.ts'
import { act, failureOf, fileOf, io, recordingFetch, send } from './bluesky-adapter.ts'
import { authorize, createOAuthWorld, passBusyPage, signIn } from './bluesky-oauth-world.ts'
import { blobOf, CLIENT_URL, onlyRecord, type Pds, records, startPds } from './pds.ts'

const MINUTE = 60_000

t.test('OAuth on a real server, with a browser', needsBrowser, async (t) => {
  const [local, remote] = (await freePorts(2)) as [number, number]
  const pds: Pds = await startPds(t, { clientAddress: `http://127.0.0.1:${remote}` })
  const browser: Browser = await launchBrowser()
  t.teardown(() => browser.close())

  t.test('an account is connected, published to and refreshed on the machine of its owner', async (t) => {
    const app = { clientId: 'http://localhost', clientSecret: null }
    const world = await createOAuthWorld(t, { pds, browser, port: local, app, publicUrl: `http://localhost:${local}` })
    const { ada, call, create, readConnection, readCredentials } = world
    const account = await pds.createAccount('olive-1.test')
    const { body: before } = await call('POST', '/accounts', { platform: 'bluesky', credentials: account.credentials })

    const { id, url } = await create({ hint: '@Olive-1.test' })
    t.match(url, `http://127.0.0.1:${local}/connect/`, 'the browser begins where the server leads it back to')
    const page = await world.openPage(url)
    await signIn(page)
    await authorize(page)
    await page.waitForURL(/\/connect\/(?:result\/|callback)/)
    await passBusyPage(page)
    t.match(await page.locator('body').innerText(), /Connected on Bluesky:\s*olive-1\.test/)

    const { state, accounts } = await readConnection(id)
    t.equal(state, 'connected')
    t.hasStrict(accounts, [{ id: before.id, username: 'olive-1.test' }], 'the account keeps its id')
    t.same([...accounts[0].scopes].sort(), [...SCOPES].sort())
    const first = await readCredentials(before.id)
    t.equal(first.password, undefined)
    t.hasStrict(first, { did: account.did, server: pds.url, issuer: pds.url })

    const bytes = await jpeg(64, 48)
    const media = (await upload(world.app, ada, [['file', bytes]])).body
    const accountOverrides = [{ accountId: before.id, fields: { replyGate: 'nobody' } }]
    const caption = 'With a token for @olive-1.test'
    const post = await world.post({ accountIds: [before.id], caption, mediaIds: [media.id], accountOverrides })
    await world.work()
    t.hasStrict(await world.readDelivery(post), { state: 'published', error: null, attempts: 1 })
    const { value } = await onlyRecord(account)
    t.equal(value.text, caption)
    t.same(await blobOf(account, value.embed.images[0].image), { type: 'image/jpeg', bytes })
    t.equal((await records(account, 'app.bsky.feed.threadgate')).length, 1)

    const refreshed = await world.refresh(before.id)
    t.not(refreshed.accessToken, first.accessToken)
    t.not(refreshed.refreshToken, first.refreshToken)
    await world.post({ accountIds: [before.id], caption: 'With a new token' })
    await world.work(MINUTE)
    t.same(
      (await records(account)).map(({ value }) => value.text),
      [caption, 'With a new token'],
    )

    // A spent refresh token ends the session, so that the new tokens are lost too.
    const { refreshToken, ...others } = refreshed
    t.ok(refreshToken)
    const spent = { ...others, refreshToken: first.refreshToken! }
    const { run } = world.networks.bluesky!.oauth!.refresh!
    t.hasStrict(await failureOf(run(spent, app, io({ fetch: pds.fetch }))), { needsAttention: true, maybeSent: false })
    t.hasStrict(await failureOf(run(refreshed, app, io({ fetch: pds.fetch }))), { needsAttention: true })
  })

  t.test('a service with a public address signs with its key', async (t) => {
    const [key, nextKey] = [randomBytes(32).toString('base64'), randomBytes(32).toString('base64')]
    recordSecrets('key', key, nextKey)
    const app = { clientId: `${CLIENT_URL}/oauth/client-metadata.json`, clientSecret: key }
    const world = await createOAuthWorld(t, { pds, browser, port: remote, app, publicUrl: CLIENT_URL })
    const { call, create, readConnection } = world
    const account = await pds.createAccount('paul-1.test')

    const { id, url } = await create({ hint: pds.url, manual: true })
    const page = await world.openPage(url)
    await signIn(page, 'paul-1.test')
    // The name of the service exists nowhere, so that the page does not load.
    const callbackUrl = await authorize(page)
    t.match(callbackUrl, `${CLIENT_URL}/connect/callback?`)
    const completed = await call('POST', `/connections/${id}/complete`, { callbackUrl })
    t.hasStrict(completed.body, { state: 'connected', accounts: [{ username: 'paul-1.test' }] })
    const [{ id: accountId }] = (await readConnection(id)).accounts

    const { clientKeyId } = await world.readCredentials(accountId)
    t.type(clientKeyId, 'string')
    const refreshed = await world.refresh(accountId, { ...app, clientSecret: `${nextKey},${key}` })
    t.equal(refreshed.clientKeyId, clientKeyId, 'a session keeps its key')
    const { run } = world.networks.bluesky!.oauth!.refresh!
    const withoutKey = run(refreshed, { ...app, clientSecret: nextKey }, io({ fetch: pds.fetch }))
    t.match(await failureOf(withoutKey), { message: /The key .* is missing/, needsAttention: false })
    await world.refresh(accountId)

    const path = 'test/samples/plain.mp4'
    const open = async () => createReadStream(path)
    const video = fileOf(readFileSync(path), { kind: 'video', mimeType: 'video/mp4', width: 64, height: 48, open })
    const network = recordingFetch()
    const credentials = await world.readCredentials(accountId)
    await send(act({ text: 'A video', media: [video] }), credentials, io({ fetch: network.fetch }))
    t.equal((await onlyRecord(account)).value.embed.$type, 'app.bsky.embed.video')
    const uploads = network.methods.filter((method) => method === 'com.atproto.repo.uploadBlob')
    t.equal(uploads.length, 1, 'a file is not sent in vain for a nonce')

    // The calls that the video service needs, and nothing more.
    const { accessToken: token = '', dpopKey } = credentials
    const delegate = (lxm: string) => {
      const params = { aud: 'did:web:localhost', lxm }
      const options = { token, dpopKey, params, answer: 'status' } as const
      return xrpc(io({ fetch: pds.fetch }), pds.url, 'com.atproto.server.getServiceAuth', options)
    }
    t.match(await delegate('com.atproto.repo.uploadBlob'), { token: String })
    t.hasStrict(await failureOf(delegate('app.bsky.feed.getTimeline')), { needsAttention: true })

    t.equal((await call('DELETE', `/accounts/${accountId}`)).status, 200)
    await until('the server has revoked the session', async () => world.revocations.includes(200))
    const ended = run(credentials, app, io({ fetch: pds.fetch }))
    t.hasStrict(await failureOf(ended), { needsAttention: true, maybeSent: false }, 'the refresh token does not work')
  })

  t.test('a user who refuses has no account', async (t) => {
    const app = { clientId: 'http://localhost', clientSecret: null }
    const [port] = (await freePorts(1)) as [number]
    const world = await createOAuthWorld(t, { pds, browser, port, app, publicUrl: `http://127.0.0.1:${port}` })
    await pds.createAccount('quinn-1.test')
    const { id, url } = await world.create({ hint: 'quinn-1.test' })
    const page = await world.openPage(url)
    await signIn(page)
    await page.getByRole('button', { name: 'Deny access' }).click()
    await page.waitForURL(/\/connect\/(?:result\/|callback)/)
    await passBusyPage(page)
    t.hasStrict(await world.readConnection(id), { state: 'failed', error: { code: 'denied' }, accounts: [] })
  })
})
