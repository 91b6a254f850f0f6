/** The codes of https://www.rfc-editor.org/rfc/rfc6749#section-5.2 and of the specifications that add to it. */
type OAuthErrorCode =
  | 'invalid_request'
  | 'invalid_client'
  | 'invalid_grant'
  | 'invalid_scope'
  | 'invalid_target'
  | 'invalid_redirect_uri'
  | 'invalid_client_metadata'
  | 'unsupported_grant_type'
  | 'unsupported_response_type'
  | 'access_denied'
  | 'interaction_required'
  | 'request_not_supported'
  | 'request_uri_not_supported'
  | 'temporarily_unavailable'

/** An error that a client of OAuth gets as `error` and `error_description`. */
export class OAuthError extends Error {
  readonly code: OAuthErrorCode

  constructor(code: OAuthErrorCode, description: string) {
    super(description)
    this.code = code
  }

  get status(): number {
    if (this.code === 'invalid_client') return 401
    return this.code === 'temporarily_unavailable' ? 503 : 400
  }
}
