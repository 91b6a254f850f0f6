import type { Credentials, Io, Json, Profile } from './io.ts'

/** The app that was registered with the network. Its secret is never logged, never returned. */
export interface OAuthApp {
  clientId: string
  /** null for an app without a secret. */
  clientSecret: string | null
}

/** The dependencies of calls of the flow. */
export type OAuthIo = Pick<Io, 'fetch' | 'signal'>

/** One run of the flow, the same in `begin` and `finish`. */
interface Authorization {
  app: OAuthApp
  /** The address to which the network sends the browser back, as it is registered with the network. */
  redirectUri: string
  /** The handle or the server that the user named. */
  hint: string | null
  /** The scopes to request if the app has others than `OAuth.scopes`. */
  scopes?: readonly string[]
}

/** Tokens of one account, as they are stored. */
export interface Tokens {
  /**
   * `accessToken`, `refreshToken` if the network has one, and everything else that the adapter reads from its
   * credentials.
   */
  credentials: Credentials
  /** The scopes that the user granted. */
  scopes: readonly string[]
  /** When `accessToken` expires; null if it does not, or the network does not say. */
  expiresAt: Date | null
}

/** Tokens after a refresh. `scopes` is null if the response names none: those granted before still apply. */
export type RefreshedTokens = Omit<Tokens, 'scopes'> & { scopes: Tokens['scopes'] | null }

/** An account that the user can publish to after consenting. */
export interface OAuthAccount {
  profile: Profile
  /** In the network's own terms, such as `page`, `organization` or `profile`. */
  kind: string
  tokens: Tokens
}

/** How apps are registered with the servers of a network that has many. Throws like the methods of `OAuth`. */
export interface AppRegistration {
  /** The server in a handle or an address, in one form for each server; undefined if it names none. */
  serverOf(hint: string): string | undefined
  /** Registers an app that asks for `OAuth.scopes`. */
  register(server: string, redirectUri: string, io: OAuthIo): Promise<OAuthApp>
  /** Whether the server still knows an app that was registered with it. */
  isKnown(server: string, app: OAuthApp, io: OAuthIo): Promise<boolean>
}

/**
 * How accounts of a network are connected by OAuth 2. Every method throws a PublishError when the network or the
 * connection fails: `retryable` means that the same call may succeed later, `needsAttention` that the code, the token
 * or the app was refused.
 */
export interface OAuth {
  /** The scopes that the user is asked for. */
  scopes: readonly string[]
  /** Those among `scopes` without which nothing can be published. */
  requiredScopes: readonly string[]
  /** Those that one account needs; absent if each needs `requiredScopes`. */
  requiredScopesOf?(credentials: Credentials): readonly string[]
  /**
   * The redirect URI as the network takes it; absent if it takes every one. The link of a connection has its origin.
   */
  toRedirectUri?(redirectUri: string): string
  /** Why a hint cannot be used; undefined if it can. Absent if each can, or `registration` decides. */
  hintProblem?(hint: string): string | undefined
  /** The hint that leads to a connected account again; absent if a flow begins without one. */
  hintOf?(account: { username: string; externalId: string }): string
  /** Absent if a person registers the app. If it is present, `hint` is never null. */
  registration?: AppRegistration
  /**
   * Prepares the redirect to the page where the user consents. `kept` is stored encrypted and passed to `finish`: it
   * has the PKCE verifier, or whatever else proves that the same service began the flow.
   */
  begin(authorization: Authorization & { state: string }, io: OAuthIo): Promise<{ url: URL; kept: Json }>
  /**
   * Exchanges the code in the parameters of the callback, and returns the accounts that the user can publish to. They
   * have a `code`, and their `state` is verified.
   */
  finish(authorization: Authorization & { callback: URLSearchParams; kept: Json }, io: OAuthIo): Promise<OAuthAccount[]>
  /** Absent if tokens cannot be refreshed. */
  refresh?: {
    /** Whether these credentials can be refreshed. Some networks give a refresh token to some apps only. */
    isPossible(credentials: Credentials): boolean
    /**
     * Returns the new tokens. They keep the old refresh token if the network sends none. `needsAttention` of a thrown
     * error means that the token was refused for good. `maybeSent` means that the network may have refreshed it.
     */
    run(credentials: Credentials, app: OAuthApp, io: OAuthIo): Promise<RefreshedTokens>
    /**
     * The state of the refresh token after a lost response. repeatable: the same token can be used again. single-use:
     * it may be spent, one more try shows it. revokes-reuse: using a spent token revokes all tokens of the account, so
     * it is not tried while the access token works.
     */
    afterLostResponse: 'repeatable' | 'single-use' | 'revokes-reuse'
  }
  /**
   * Ends the tokens of one account. Absent if the network has no call for this, or if that call ends the tokens of
   * other accounts too.
   */
  revoke?(credentials: Credentials, app: OAuthApp, io: OAuthIo): Promise<void>
}
