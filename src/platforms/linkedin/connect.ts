import { setTimeout } from 'node:timers/promises'
import type { OAuth, OAuthAccount, OAuthIo, Tokens } from '../contract/oauth.ts'
import { PublishError } from '../contract/publish-error.ts'
import { standardOAuth } from '../families/oauth/standard-oauth.ts'
import { either, list, object, TEXT } from '../wire/answer.ts'
import { at, textAt } from '../wire/json.ts'
import { type Client, call, clientFor, isOrganization, limitKeyOf } from './client.ts'
import { readMember, readProfile } from './profile.ts'

/** https://learn.microsoft.com/en-us/linkedin/shared/authentication/authorization-code-flow */
const standard = standardOAuth({
  host: 'www.linkedin.com',
  authorizationEndpoint: 'https://www.linkedin.com/oauth/v2/authorization',
  tokenEndpoint: 'https://www.linkedin.com/oauth/v2/accessToken',
  authentication: 'body',
  pkce: false,
  // The scopes of the products "Sign In with LinkedIn using OpenID Connect" and "Share on LinkedIn", which any app can
  // have. LinkedIn refuses a request with a scope that the app lacks, so that an app for organizations names its own
  // scopes.
  scopes: ['openid', 'profile', 'w_member_social'],
  requiredScopes: ['w_member_social'],
  // The same refresh token comes back each time:
  // https://learn.microsoft.com/en-us/linkedin/shared/authentication/programmatic-refresh-tokens
  afterLostResponse: 'repeatable',
  listAccounts,
})

const { run, ...refresh } = standard.refresh!

export const linkedinOAuth: OAuth = {
  ...standard,
  requiredScopesOf: (credentials) => [isOrganization(credentials) ? 'w_organization_social' : 'w_member_social'],
  refresh: {
    ...refresh,
    async run(credentials, app, io) {
      const tokens = await run(credentials, app, io)
      return { ...tokens, credentials: { ...tokens.credentials, issuedAt: String(Date.now()) } }
    },
  },
}

/**
 * Roles that may post:
 * https://learn.microsoft.com/en-us/linkedin/marketing/community-management/organizations/organization-access-control-by-role
 */
const POSTING_ROLES = ['ADMINISTRATOR', 'CONTENT_ADMINISTRATOR', 'CONTENT_ADMIN']

/** The two names of the organization belong to two versions of the API. */
const ACLS = object({
  elements: list(either(object({ role: TEXT, organization: TEXT }), object({ role: TEXT, organizationTarget: TEXT }))),
})

/** Each organization is a call of its own. */
const ORGANIZATIONS_MAX = 100

/** The member, and the organizations that the member may post for. All of them have the member's token. */
async function listAccounts({ credentials, scopes, expiresAt }: Tokens, io: OAuthIo): Promise<OAuthAccount[]> {
  // The author is not known yet, and none of these calls names it.
  const provisional = { ...credentials, author: 'urn:li:person:unknown', scopes: scopes.join(' ') }
  const client = clientFor({ credentials: provisional })
  const member = await retryingFreshToken(io, () => readMember(client, io))
  const limitKey = limitKeyOf(member.externalId)
  const accountOf = (profile: OAuthAccount['profile'], kind: string): OAuthAccount => ({
    profile: { ...profile, limitKey },
    kind,
    tokens: {
      credentials: {
        ...provisional,
        author: profile.externalId,
        member: member.externalId,
        issuedAt: String(Date.now()),
      },
      scopes,
      expiresAt,
    },
  })
  const accounts = scopes.includes('w_member_social') ? [accountOf(member, 'member')] : []
  if (!scopes.includes('w_organization_social')) return accounts
  for (const urn of await readOrganizations(client, io)) {
    accounts.push(accountOf(await readProfile(urn, client, io), 'organization'))
  }
  return accounts
}

/**
 * https://learn.microsoft.com/en-us/linkedin/marketing/community-management/organizations/organization-access-control-by-role
 */
async function readOrganizations(client: Client, io: OAuthIo): Promise<string[]> {
  const urns = new Set<string>()
  const count = 50
  for (let start = 0; urns.size < ORGANIZATIONS_MAX; start += count) {
    const query = new URLSearchParams({ q: 'roleAssignee', state: 'APPROVED', start: `${start}`, count: `${count}` })
    const { body } = await call(client, io, `/rest/organizationAcls?${query}`, { answer: ACLS })
    const elements = at(body, 'elements') as unknown[]
    for (const element of elements) {
      const urn = textAt(element, 'organization') ?? textAt(element, 'organizationTarget')
      const mayPost = POSTING_ROLES.includes(textAt(element, 'role') ?? '')
      if (mayPost && urn && /^urn:li:organization:\d{1,32}$/.test(urn)) urns.add(urn)
    }
    if (elements.length < count) break
  }
  return [...urns].slice(0, ORGANIZATIONS_MAX)
}

/**
 * A token may be refused as revoked for some seconds after it was issued, and the code that it was issued for is spent.
 */
async function retryingFreshToken<T>(io: OAuthIo, work: () => Promise<T>): Promise<T> {
  for (const pauseMs of [500, 1_000, 2_000, 4_000]) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof PublishError) || error.code !== 'unauthorized') throw error
    }
    await setTimeout(pauseMs, undefined, { signal: io.signal })
  }
  return work()
}
