import type { FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'
import type { Db } from '../../../../db/client.ts'
import { isId } from '../../../../db/id.ts'
import { findClient } from '../../../../db/queries/oauth/clients.ts'
import { createTokenBuckets } from '../../../base/http/token-buckets.ts'
import { createNetworkLimit } from '../failed-keys.ts'
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

/**
 * How many documents a process fetches in a minute: for one network of clients; or, if addresses are not known, from
 * one host and from all hosts. Requests for one host then leave the others reachable.
 */
const FETCHES = { perNetwork: 30, perHost: 30, all: 300, windowMs: 60_000 }

/** Finds the client with this id for a request. Throws an OAuthError for an unknown one. */
export type FindClient = (id: string, request: FastifyRequest) => Promise<OAuthClient>

interface ClientOptions {
  db: Db
  /** Reaches public addresses only. */
  fetch: typeof globalThis.fetch
  knowsAddresses: boolean
}

export function createClients({ db, fetch, knowsAddresses }: ClientOptions): FindClient {
  const fetchMetadata = createFetchMetadata(fetch)
  const documents = new LRUCache<string, OAuthClient>({
    max: DOCUMENTS_MAX,
    ttl: DOCUMENT_MS,
    noDeleteOnStaleGet: true,
  })
  const fetches = createNetworkLimit(FETCHES, { knowsAddresses })
  const fetchesOfHosts = createTokenBuckets(FETCHES.perHost, FETCHES.windowMs, () => performance.now())
  const mayFetch = (host: string, request: FastifyRequest) =>
    (knowsAddresses || fetchesOfHosts.take(host).isTaken) && fetches.take(request).isTaken

  return async (id, request) => {
    if (isId(id)) {
      const client = await findClient(db, id)
      if (client) return client
    } else if (isMetadataUrl(id)) {
      const cached = documents.get(id)
      if (cached) return cached
      const { host } = new URL(id)
      if (!mayFetch(host, request)) {
        const expired = documents.get(id, { allowStale: true })
        if (expired) return expired
        throw tooManyFetches()
      }
      const client = { id, ...(await fetchMetadata(id)), publishedBy: host }
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
