import type { Test } from 'tap'
import { blueskyOAuth } from '../../src/platforms/bluesky/connect.ts'
import type { Credentials } from '../../src/platforms/contract/io.ts'
import type { OAuth, OAuthApp } from '../../src/platforms/contract/oauth.ts'
import { facebookOAuth } from '../../src/platforms/facebook/connect.ts'
import { googleBusinessOAuth } from '../../src/platforms/google_business/connect.ts'
import { instagramOAuth } from '../../src/platforms/instagram/connect.ts'
import { linkedinOAuth } from '../../src/platforms/linkedin/connect.ts'
import { pinterestOAuth } from '../../src/platforms/pinterest/connect.ts'
import { redditOAuth } from '../../src/platforms/reddit/connect.ts'
import { threadsOAuth } from '../../src/platforms/threads/connect.ts'
import { tiktokOAuth } from '../../src/platforms/tiktok/connect.ts'
import { xOAuth } from '../../src/platforms/x/connect.ts'
import { youtubeOAuth } from '../../src/platforms/youtube/connect.ts'
import { startBlueskyOAuth } from '../networks/fakes/bluesky-oauth.ts'
import { startFacebook } from '../networks/fakes/facebook.ts'
import { startGoogleBusiness } from '../networks/fakes/google-business.ts'
import { type FakeInstagram, startInstagram } from '../networks/fakes/instagram.ts'
import { ALL_SCOPES, startLinkedin } from '../networks/fakes/linkedin.ts'
import type { FakeNetwork } from '../networks/fakes/network.ts'
import { startPinterest } from '../networks/fakes/pinterest.ts'
import { startReddit } from '../networks/fakes/reddit.ts'
import { type FakeThreads, startThreads } from '../networks/fakes/threads.ts'
import { startTiktok } from '../networks/fakes/tiktok.ts'
import { startX } from '../networks/fakes/x.ts'
import { startYoutube } from '../networks/fakes/youtube.ts'

/** A network that accounts are connected to by OAuth. */
export interface OAuthNetwork {
  oauth: OAuth
  fake: FakeNetwork
  app: OAuthApp
  scopes?: readonly string[]
  /** The user consents on the page. Returns the parameters of the callback. */
  consent(url: URL): URLSearchParams | Promise<URLSearchParams>
  /** Credentials that can be refreshed. Absent: new ones can be. */
  issue?(scopes: readonly string[]): Credentials
}

export const REDIRECT_URI = 'https://postroom.example/connect/callback'

/** Consents by opening the page, which redirects. */
const byRedirect = (fake: FakeNetwork) => async (url: URL) =>
  new URL((await fake.fetch(url, { redirect: 'manual' })).headers.get('location')!).searchParams

/** A network whose fake has the page of the consent as a function. */
const withPage = (
  oauth: OAuth,
  fake: FakeNetwork,
  { app, consent }: { app: OAuthApp; consent(url: URL): URL },
): OAuthNetwork => ({ oauth, fake, app, consent: (url) => consent(url).searchParams })

/** Tokens that are old enough to be refreshed. */
const issuing =
  ({ tokens }: FakeInstagram | FakeThreads) =>
  (scopes: readonly string[]) => {
    const issuedAt = Date.now() - 2 * 86_400_000
    const accessToken = tokens.issue('long', [...scopes], issuedAt)
    return { accessToken, issuedAt: new Date(issuedAt).toISOString() }
  }

export const OAUTH_NETWORKS: Record<string, (t: Test) => Promise<OAuthNetwork>> = {
  async bluesky(t) {
    const fake = await startBlueskyOAuth(t)
    const app = { clientId: 'https://postroom.example/oauth/client-metadata.json', clientSecret: null }
    return { oauth: blueskyOAuth, fake, app, consent: (url) => fake.consent(url) }
  },
  async x(t) {
    const fake = await startX(t)
    return withPage(xOAuth, fake, fake.authorization)
  },
  async linkedin(t) {
    const fake = await startLinkedin(t)
    fake.app.scopes = [...ALL_SCOPES]
    return { oauth: linkedinOAuth, fake, app: fake.app, scopes: ALL_SCOPES, consent: byRedirect(fake) }
  },
  async pinterest(t) {
    const fake = await startPinterest(t)
    const { clientId, clientSecret, redirectUris } = fake.app
    redirectUris.push(REDIRECT_URI)
    return { oauth: pinterestOAuth, fake, app: { clientId, clientSecret }, consent: byRedirect(fake) }
  },
  async reddit(t) {
    const fake = await startReddit(t)
    return withPage(redditOAuth, fake, fake.authorization)
  },
  async facebook(t) {
    const fake = await startFacebook(t)
    fake.login.pages = [{ id: '1', name: 'First', access_token: 'EAAIfirst0page0token', tasks: ['CREATE_CONTENT'] }]
    return { oauth: facebookOAuth, fake, app: fake.login.app, consent: fake.login.consent }
  },
  async google_business(t) {
    const fake = await startGoogleBusiness(t)
    return withPage(googleBusinessOAuth, fake, fake.authorization)
  },
  async instagram(t) {
    const fake = await startInstagram(t)
    return { oauth: instagramOAuth, fake, app: fake.tokens.app, consent: byRedirect(fake), issue: issuing(fake) }
  },
  async threads(t) {
    const fake = await startThreads(t)
    return { oauth: threadsOAuth, fake, app: fake.tokens.app, consent: byRedirect(fake), issue: issuing(fake) }
  },
  async tiktok(t) {
    const fake = await startTiktok(t)
    return withPage(tiktokOAuth, fake, fake.authorization)
  },
  async youtube(t) {
    const fake = await startYoutube(t)
    return withPage(youtubeOAuth, fake, fake.google)
  },
}
