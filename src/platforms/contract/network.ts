import type { AccountFacts } from '../../../schemas/account-facts.ts'
import type { PlatformAppearance } from '../../../schemas/platform-appearance.ts'
import type { AnyAdapter } from './adapter.ts'
import type { ChangeRules } from './changes.ts'
import type { Content, ContentSource, EntityFinder } from './content.ts'
import type { ErrorRow } from './error-table.ts'
import type { Platform } from './limits.ts'
import type { MetricRules } from './metrics.ts'
import type { OAuthApp } from './oauth.ts'
import type { PostAddresses } from './post-address.ts'
import type { SandboxStore } from './sandbox-store.ts'
import type { Source } from './source.ts'

/**
 * One network. Limits, adapters, variables of the environment and tables of all networks are derived from these. Facts
 * are read without the adapter's code, which takes time and memory that only the service has to spend.
 */
export interface Network {
  /** As people call it in a sentence. */
  name: string
  limits: Platform
  /** The service plays the network itself, and nobody sees its posts. */
  isSimulated?: true
  /** The limits of an account with these facts. Never throws. Absent: accounts of the network have no facts. */
  limitsFor?: (facts: AccountFacts) => Platform
  /** How its app shows a post. Previews are drawn from it, nothing is checked against it. */
  appearance: PlatformAppearance
  /** The texts of an act, from which the adapter makes its calls. Takes any value of `fields`, and never throws. */
  content: (act: ContentSource) => Content
  /** The rules of the software that accounts' own servers run, by its name. */
  software?: Readonly<Record<string, { source: Source }>>
  /** The numbers that it tells about published posts. */
  metrics: MetricRules
  /** The addresses of its posts. Absent: any address may be one. */
  addresses?: PostAddresses
  /** How its published posts are removed and edited. */
  changes: ChangeRules
  /** The meanings of its refusals. */
  errors: readonly ErrorRow[]
  /** Loads the function that finds the links, mentions and tags of a text. Absent: the rules that X has published. */
  loadEntityFinder?: (kind: 'post' | 'comment') => EntityFinder | Promise<EntityFinder>
  /** Loads the adapter, or its function if the adapter keeps something, such as the calls to the sandbox. */
  adapter: () => Promise<AnyAdapter | ((sandbox: SandboxStore) => AnyAdapter)>
  /**
   * How long access tokens from OAuth work, and whether they can be refreshed; for the documentation. Absent unless
   * accounts are connected with an app of the deployment.
   */
  tokens?: { life: string; refresh: string }
  /** The form of the ids of apps, where the network documents it. */
  clientIds?: ClientIds
  /** Meta signs the requests with which a user of the network removes an app, or asks for deletion. */
  isOfMeta?: true
  /** An app of the deployment that needs no registration. Absent if the operator has to register it. */
  client?: UnregisteredClient
}

export interface ClientIds {
  pattern: RegExp
  /** The form in words, and where people find an id. */
  form: string
}

/**
 * A client that servers know by its address
 * (https://www.ietf.org/archive/id/draft-ietf-oauth-client-id-metadata-document-00.html).
 */
interface UnregisteredClient {
  /** Describes the variable with the client's key, whose name begins with the network's id. */
  keyDescription: string
  /** The app of a service with this public address; undefined if it can have none. */
  appAt(publicUrl: string | undefined, key: string | undefined): OAuthApp | undefined
  /** Completes "NAME needs a …". */
  requirement: string
}
