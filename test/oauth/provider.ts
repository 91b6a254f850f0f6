import type { OAuthClientProvider } from '@modelcontextprotocol/client'

/** A program that connects by the SDK. It stores the client, the tokens and the verifier between the steps. */
export class Provider implements OAuthClientProvider {
  url = new URL('about:blank')
  client: Awaited<ReturnType<OAuthClientProvider['clientInformation']>>
  kept: Awaited<ReturnType<OAuthClientProvider['tokens']>>
  verifier = ''
  readonly redirectUrl = 'http://localhost:7777/callback'
  readonly clientMetadata = { client_name: 'Agent', redirect_uris: [this.redirectUrl] }

  state() {
    return 'state-of-the-agent'
  }
  clientInformation() {
    return this.client
  }
  saveClientInformation(client: typeof this.client) {
    this.client = client
  }
  tokens() {
    return this.kept
  }
  saveTokens(tokens: typeof this.kept) {
    this.kept = tokens
  }
  redirectToAuthorization(url: URL) {
    this.url = url
  }
  saveCodeVerifier(verifier: string) {
    this.verifier = verifier
  }
  codeVerifier() {
    return this.verifier
  }
}
