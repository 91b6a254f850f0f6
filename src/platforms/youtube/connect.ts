import { googleOAuth } from '../families/google/oauth.ts'
import { readProfile } from './profile.ts'

/**
 * One scope for all calls. `youtube.upload` would not allow comments:
 * https://developers.google.com/youtube/v3/docs/commentThreads/insert#auth. A consent is for one channel, which the
 * user chooses on Google's page.
 */
export const youtubeOAuth = googleOAuth({
  scopes: ['https://www.googleapis.com/auth/youtube.force-ssl'],

  async listAccounts(tokens, io, { clientId }) {
    // The id of the app names the accounts that share its quota.
    const credentials = { ...tokens.credentials, clientId }
    const profile = await readProfile({ ...io, credentials })
    const channel = { ...tokens, credentials: { ...credentials, channelId: profile.externalId } }
    return [{ profile, kind: 'channel', tokens: channel }]
  },
})
