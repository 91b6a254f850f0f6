import type { AnyAdapter } from './adapter.ts'
import type { Platform } from './limits.ts'
import type { OAuthApp } from './oauth.ts'
import type { SandboxStore } from './sandbox-store.ts'

/** One network. Limits, adapters, variables of the environment and tables of all networks are derived from these. */
export interface Network {
  /** As people call it in a sentence. */
  name: string
  limits: Platform
  /** A function if the adapter keeps something, such as the calls to the sandbox. */
  adapter: AnyAdapter | ((sandbox: SandboxStore) => AnyAdapter)
  /** How long access tokens from OAuth work, and whether they can be refreshed; for the documentation. */
  tokens?: { life: string; refresh: string }
  /**
   * An app that needs no registration. Absent: if accounts are connected by OAuth, the operator registers an app, or
   * the adapter does.
   */
  client?: UnregisteredClient
}

/**
 * A client that servers know by its address
 * (https://www.ietf.org/archive/id/draft-ietf-oauth-client-id-metadata-document-00.html).
 */
export interface UnregisteredClient {
  /** Describes the variable with the client's key, whose name begins with the network's id. */
  keyDescription: string
  /** The app of a service with this public address; undefined if it can have none. */
  appAt(publicUrl: string | undefined, key: string | undefined): OAuthApp | undefined
  /** Completes "NAME needs a …". */
  requirement: string
}
