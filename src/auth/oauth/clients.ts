import { LRUCache } from 'lru-cache'
import type { Db } from '../../../db/client.ts'
import { isId } from '../../../db/id.ts'
import { findClient } from '../../../db/queries/oauth/clients.ts'
import { createTokenBuckets } from '../../http/token-buckets.ts'
import { createFetchMetadata, isMetadataUrl, tooManyFetches } from './metadata-document.ts'
import { OAuthError } from './oauth-error.ts'

/** An app that wants access. */
export interface OAuthClient {
  id: string
  name: string
  redirectUris: string[]
  /** The host that publishes the metadata; undefined of a client that has registered itself under any name. */
  publishedBy?: string
}

/** For this long, a changed document is not seen. */
const DOCUMENT_MS = 300_000
const DOCUMENTS_MAX = 1_000

/** Documents that one network of clients may make a process fetch in a minute. */
const FETCHES_PER_MINUTE = 30

/** Finds a client by its id, for a request from `network`. Throws an OAuthError for an unknown one. */
export type FindClient = (id: string, network: string) => Promise<OAuthClient>

export function createClients(db: Db, fetch: typeof globalThis.fetch): FindClient {
  const fetchMetadata = createFetchMetadata(fetch)
  const documents = new LRUCache<string, OAuthClient>({ max: DOCUMENTS_MAX, ttl: DOCUMENT_MS })
  const fetches = createTokenBuckets(FETCHES_PER_MINUTE, 60_000, () => performance.now())

  return async (id, network) => {
    if (isId(id)) {
      const client = await findClient(db, id)
      if (client) return client
    } else if (isMetadataUrl(id)) {
      const cached = documents.get(id)
      if (cached) return cached
      if (!fetches.take(network).isTaken) throw tooManyFetches()
      const client = { id, ...(await fetchMetadata(id)), publishedBy: new URL(id).host }
      documents.set(id, client)
      return client
    }
    throw unknownClient()
  }
}

/** Clients register again after this error. */
export const unknownClient = () =>
  new OAuthError('invalid_client', 'client_id is unknown or has expired: register the client again')

/** Whether a client may still get tokens: one that has registered itself may have expired. */
export const isKnownClient = async (db: Db, id: string): Promise<boolean> =>
  isMetadataUrl(id) || (isId(id) && (await findClient(db, id)) !== undefined)
