import type { Io, Profile } from '../contract/io.ts'
import { unexpected } from '../contract/publish-error.ts'
import { object, optional, TEXT } from '../wire/answer.ts'
import { avatarOf } from '../wire/avatar.ts'
import { textAt } from '../wire/json.ts'
import { type Client, call, HOST } from './client.ts'

const ORGANIZATION = 'urn:li:organization:'

/** The member or organization with a URN, which is the external id. */
export const readProfile = (author: string, client: Client, io: Pick<Io, 'fetch' | 'signal'>): Promise<Profile> =>
  author.startsWith(ORGANIZATION) ? readOrganization(author, client, io) : readMember(client, io)

/** The member whose token it is. Which endpoint may be called depends on the products of the app. */
export async function readMember(client: Client, io: Pick<Io, 'fetch' | 'signal'>): Promise<Profile> {
  // https://learn.microsoft.com/en-us/linkedin/consumer/integrations/self-serve/sign-in-with-linkedin-v2
  if (client.scopes.includes('openid')) {
    const { body } = await call(client, io, '/v2/userinfo', { answer: object({ sub: TEXT, name: optional(TEXT) }) })
    const profile = profileOf(`urn:li:person:${textAt(body, 'sub') ?? ''}`, textAt(body, 'name'), undefined)
    return { ...profile, ...avatarOf(textAt(body, 'picture')) }
  }
  // https://learn.microsoft.com/en-us/linkedin/shared/integrations/people/profile-api
  const { body } = await call(client, io, '/v2/me', { answer: object({ id: TEXT }) })
  const name = [textAt(body, 'localizedFirstName'), textAt(body, 'localizedLastName')].filter(Boolean).join(' ')
  return profileOf(`urn:li:person:${textAt(body, 'id') ?? ''}`, name, textAt(body, 'vanityName'))
}

/** https://learn.microsoft.com/en-us/linkedin/marketing/community-management/organizations/organization-lookup-api */
async function readOrganization(urn: string, client: Client, io: Pick<Io, 'fetch' | 'signal'>): Promise<Profile> {
  const answer = object({ localizedName: TEXT, vanityName: optional(TEXT) })
  const { body } = await call(client, io, `/rest/organizations/${urn.slice(ORGANIZATION.length)}`, { answer })
  return profileOf(urn, textAt(body, 'localizedName'), textAt(body, 'vanityName'))
}

/** The part of the address of a profile is its handle. If it is missing, the name stands for it. */
function profileOf(urn: string, name: string | undefined, vanityName: string | undefined): Profile {
  if (!/^urn:li:(?:person|organization):[\w-]{1,64}$/.test(urn)) throw unexpected(HOST, false)
  const username = vanityName || name || urn
  return { externalId: urn, username, displayName: name || null }
}
