import type { OAuthIo } from '../contract/oauth.ts'
import { PublishError, unauthorized } from '../contract/publish-error.ts'
import { findIssuer } from './authorization-server.ts'
import { DID, HANDLE, type Identity, isPrivate, readIdentity, resolvePublicHandle } from './identity.ts'

export type Account = {
  did: string
  /** The handle, or the DID if the handle does not lead back to it. */
  username: string
  /** Origin of the account's server. */
  server: string
}

const DEFAULT_SERVER = 'https://bsky.social'

/** A handle or a DID in the form in which servers take it. */
export const nameIn = (hint: string) => hint.trim().replace(/^@/, '').toLowerCase()

const serverAt = (name: string) => {
  const origin = /^https?:/.test(name) ? URL.parse(name)?.origin : undefined
  return origin !== undefined && isPrivate(origin) ? origin : undefined
}

/** The problem of a hint, as far as it shows without a call. */
export function hintProblem(hint: string): string | undefined {
  const name = nameIn(hint)
  const isUsable = serverAt(name) !== undefined || DID.test(name) || HANDLE.test(name)
  return isUsable ? undefined : 'Must be a handle such as alice.bsky.social, a DID, or the https:// address of a server'
}

/** The account that a hint names, or else the server to sign in at. */
export async function findAccount(
  hint: string | null,
  io: OAuthIo,
): Promise<{ account: Account | null; server: string }> {
  if (!hint) return { account: null, server: DEFAULT_SERVER }
  const name = nameIn(hint)
  const server = serverAt(name)
  if (server !== undefined) return { account: null, server }
  const did = DID.test(name) ? name : await resolvePublicHandle(name, io)
  if (!did) throw unauthorized(`There is no account ${name}`)
  const identity = await readIdentity(did, io)
  // Anyone can let a handle lead to the DID of somebody else.
  if (did !== name && identity.handle !== name)
    throw unauthorized(`${name} leads to an account that has another handle`)
  const username = did === name ? await usernameOf(identity, io) : name
  return { account: { did, username, server: identity.server }, server: identity.server }
}

/** The handle if it leads back to the account, otherwise the DID. */
async function usernameOf({ did, handle }: Identity, io: OAuthIo): Promise<string> {
  const owner = handle && HANDLE.test(handle) && (await resolvePublicHandle(handle, io).catch(unknownIfFailed))
  return owner === did ? handle! : did
}

/** A name is worth less than a consent, which cannot be used again. */
export function unknownIfFailed(error: unknown): undefined {
  if (!(error instanceof PublishError)) throw error
}

const notItsServer = (origin: string, did: string) =>
  unauthorized(`${new URL(origin).host} is not the server of ${did}`)

/**
 * Throws if the server that accepted the password of an account is not responsible for it: a server of anyone could
 * name the DID of anybody. A server such as bsky.social signs in for the accounts of others.
 */
export async function requireResponsible(did: string, origin: string, io: OAuthIo): Promise<void> {
  const { server } = await readIdentity(did, io)
  if (server !== origin && (await findIssuer(server, io)) !== origin) throw notItsServer(origin, did)
}

/** The account of a DID that a server has named. Throws if another server is responsible for it. */
export async function findOwner(did: string, issuer: string, io: OAuthIo): Promise<Account> {
  const identity = await readIdentity(did, io)
  if ((await findIssuer(identity.server, io)) !== issuer) throw notItsServer(issuer, did)
  return { did, username: await usernameOf(identity, io), server: identity.server }
}
