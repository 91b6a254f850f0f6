import type { Io, Profile } from '../contract/io.ts'
import type { OAuthIo } from '../contract/oauth.ts'
import { readFacts } from './facts.ts'
import { type Account, findOwner, requireResponsible, unknownIfFailed } from './find-account.ts'
import { readShown, shownIn, signIn } from './repo.ts'
import { oauthSession } from './session.ts'

/** The account of credentials. All about an account that was connected by OAuth is public. */
export async function readProfile(io: Io): Promise<Profile> {
  const { issuer } = io.credentials
  const granted = oauthSession(io)
  if (granted && issuer) return profileOf(await findOwner(granted.did, issuer, io), io)
  const { repo, handle, origin } = await signIn(io)
  await requireResponsible(repo.did, origin, io)
  // From the repository itself: app.bsky.actor.getProfile needs an AppView, which may lag behind or be away.
  const profile = await repo.find('app.bsky.actor.profile', 'self')
  const facts = await readFacts(repo.server, io)
  return { externalId: repo.did, username: handle, ...shownIn(profile?.value, repo), ...facts }
}

/** The profile of an account: its names, its picture, and the facts of its server. */
export async function profileOf(account: Account, io: OAuthIo): Promise<Profile> {
  const { did, username, server } = account
  const [shown, facts] = await Promise.all([readShown(account, io).catch(unknownIfFailed), readFacts(server, io)])
  return { externalId: did, username, displayName: null, ...shown, ...facts }
}
