import type { Io, Profile } from '../contract/io.ts'
import type { OAuthIo } from '../contract/oauth.ts'
import { PublishError, unexpected, withMaybeSent } from '../contract/publish-error.ts'
import { literal, NUMBER, object, optional, TEXT } from '../wire/answer.ts'
import { avatarOf } from '../wire/avatar.ts'
import { at, textAt } from '../wire/json.ts'
import type { Content } from '../wire/request-body.ts'
import { hasFreshNonce } from './dpop.ts'
import { resolveHandle } from './identity.ts'
import { findSession, oauthSession, openSession, type Session } from './session.ts'
import { reasonOf, type XrpcRequest, xrpc } from './xrpc.ts'

export interface RecordRef {
  uri: string
  cid: string
}

/** A file on the network, in the form in which records refer to it. */
export type Blob = Readonly<Record<string, unknown>>

const REF = { uri: TEXT, cid: TEXT }

/** A post or a profile. */
const RECORD = object({ $type: optional(TEXT), createdAt: optional(TEXT), text: optional(TEXT) })

/** https://atproto.com/specs/data-model#blob-type */
export const BLOB = object({
  $type: literal('blob'),
  ref: object({ $link: TEXT }),
  mimeType: TEXT,
  size: NUMBER,
})

/** The repository of one account on its server (PDS). Every method throws a PublishError. */
export interface Repo {
  did: string
  /** Origin of the server. */
  server: string
  find(collection: string, rkey: string): Promise<(RecordRef & { value: unknown }) | undefined>
  /** Writes a record unless its key is taken. Returns the record under the key. */
  add(collection: string, rkey: string, record: object): Promise<RecordRef>
  /** Writes a record in place of the one with this hash. Throws InvalidSwap if another one is there. */
  replace(collection: string, rkey: string, record: object, cid: string): Promise<RecordRef>
  /** Deletes a record, or makes sure that it does not exist. */
  remove(collection: string, rkey: string): Promise<void>
  upload(file: Content): Promise<Blob>
  /** The DID of a handle; undefined if the server says that the handle does not exist. */
  resolve(handle: string): Promise<string | undefined>
  /** A token with which another service may call `method` of this server for the account. */
  delegate(method: string, expiresAt: Date): Promise<string>
}

/** Opens a new session, which checks the password. `origin` is the server that has accepted it. */
export async function signIn(io: Io): Promise<{ repo: Repo; handle: string; origin: string }> {
  const session = await openSession(io)
  const { handle, origin } = session
  return { repo: repoOf(session, io, { canRenew: false }), handle, origin }
}

/** Uses the session of the account, or opens one. */
export async function openRepo(io: Io): Promise<Repo> {
  const granted = oauthSession(io)
  if (granted) return repoOf(granted, io, { canRenew: false })
  const session = findSession(io)
  return session ? repoOf(session, io, { canRenew: true }) : (await signIn(io)).repo
}

/**
 * `canRenew`: a new session may replace this one, which may have expired. All calls share the session, so they stand in
 * one function.
 */
function repoOf(first: Session, io: Io, { canRenew }: { canRenew: boolean }): Repo {
  let session = first
  let mayBeStale = canRenew

  /** Calls with the session. If it has expired or was revoked, calls once more with a new one. */
  async function call(method: string, request: XrpcRequest): Promise<unknown> {
    try {
      return await xrpc(io, session.server, method, { ...request, token: session.token, dpopKey: session.dpopKey })
    } catch (error) {
      if (!mayBeStale || !(error instanceof PublishError) || !error.needsAttention) throw error
      mayBeStale = false
      session = await openSession(io)
      return xrpc(io, session.server, method, { ...request, token: session.token, dpopKey: session.dpopKey })
    }
  }

  const { did, server, dpopKey } = first
  const { host } = new URL(server)

  const refIn = (response: unknown, visible: boolean): RecordRef => {
    const uri = textAt(response, 'uri')
    const cid = textAt(response, 'cid')
    if (!uri || !cid || !RECORD_URI.test(uri) || !CID.test(cid)) throw unexpected(host, visible)
    return { uri, cid }
  }

  // https://docs.bsky.app/docs/api/com-atproto-repo-get-record
  async function find(collection: string, rkey: string) {
    try {
      const response = await call('com.atproto.repo.getRecord', {
        params: { repo: did, collection, rkey },
        answer: object({ ...REF, value: RECORD }),
      })
      return { ...refIn(response, false), value: at(response, 'value') }
    } catch (error) {
      if (reasonOf(error) === 'RecordNotFound') return undefined
      throw error
    }
  }

  /*
   * `swapRecord: null` demands that the key is free. If it is taken, a PDS sends 200 and changes nothing if the record
   * is the same, and InvalidSwap if it differs. A call that lacks `swapRecord` would overwrite the record. createRecord
   * and applyWrites send 500 for a taken key, which looks like a server in trouble.
   * https://docs.bsky.app/docs/api/com-atproto-repo-put-record
   */
  async function add(collection: string, rkey: string, record: object) {
    try {
      const json = { repo: did, collection, rkey, record, swapRecord: null }
      return refIn(await call('com.atproto.repo.putRecord', { json, visible: true, answer: object(REF) }), true)
    } catch (error) {
      if (reasonOf(error) !== 'InvalidSwap') throw error
      const existing = await find(collection, rkey).catch((error) => {
        throw error instanceof PublishError ? withMaybeSent(error, true) : error
      })
      if (!existing) throw error
      return existing
    }
  }

  return {
    did,
    server,
    find,
    add,
    replace: async (collection, rkey, record, cid) => {
      const json = { repo: did, collection, rkey, record, swapRecord: cid }
      return refIn(await call('com.atproto.repo.putRecord', { json, visible: true, answer: object(REF) }), true)
    },
    // https://docs.bsky.app/docs/api/com-atproto-repo-delete-record
    remove: async (collection, rkey) => {
      const json = { repo: did, collection, rkey }
      const answer = object({ commit: optional(object({ cid: TEXT })) })
      const response = await call('com.atproto.repo.deleteRecord', { json, visible: true, answer })
      // Servers before 2024-07 name no commit, and others none for a record that is not there.
      if (!at(response, 'commit') && (await find(collection, rkey))) throw unexpected(host, true)
    },
    // https://docs.bsky.app/docs/api/com-atproto-repo-upload-blob: the server removes a blob without a record by
    // itself.
    upload: async (file) => {
      // A proof with an old nonce would be refused after the whole file was sent.
      if (dpopKey && !hasFreshNonce(new URL(server), dpopKey))
        await call('com.atproto.server.getSession', { answer: 'status' })
      return at(await call('com.atproto.repo.uploadBlob', { file, answer: object({ blob: BLOB }) }), 'blob') as Blob
    },
    resolve: (handle) => resolveHandle(handle, host, call),
    // https://docs.bsky.app/docs/api/com-atproto-server-get-service-auth
    delegate: async (method, expiresAt) => {
      const exp = String(Math.floor(expiresAt.getTime() / 1000))
      const params = { aud: `did:web:${host}`, lxm: method, exp }
      const answer = object({ token: TEXT })
      return textAt(await call('com.atproto.server.getServiceAuth', { params, answer }), 'token')!
    },
  }
}

/**
 * Checked, since anyone can run a server: pages show these values as addresses. https://atproto.com/specs/at-uri-scheme
 */
const RECORD_URI = /^at:\/\/[\w.:%-]{1,2048}\/[\w.-]{1,317}\/[\w.~:-]{1,512}$/
const CID = /^\w{1,256}$/

type Owner = Pick<Repo, 'did' | 'server'>

/** The name and the picture in the record of a profile. https://docs.bsky.app/docs/api/com-atproto-sync-get-blob */
export function shownIn(profile: unknown, { did, server }: Owner): Pick<Profile, 'displayName' | 'avatarUrl'> {
  const cid = textAt(profile, 'avatar', 'ref', '$link')
  const avatarUrl = cid && `${server}/xrpc/com.atproto.sync.getBlob?${new URLSearchParams({ did, cid })}`
  return { displayName: textAt(profile, 'displayName') || null, ...avatarOf(avatarUrl) }
}

/** The name and the picture that a profile shows. Anyone may read them. */
export async function readShown(owner: Owner, io: OAuthIo) {
  const params = { repo: owner.did, collection: 'app.bsky.actor.profile', rkey: 'self' }
  return shownIn(
    at(await xrpc(io, owner.server, 'com.atproto.repo.getRecord', { params, answer: object() }), 'value'),
    owner,
  )
}
