import { OAuthError } from './oauth-error.ts'
import { describeTarget, findRedirectProblem } from './redirect-uri.ts'

const NAME_LENGTH_MAX = 100
const REDIRECT_URIS_MAX = 20

/**
 * Characters that a page does not show, or that change how it shows others. A variation selector is a part of an emoji,
 * and U+2800 is a pattern of Braille without dots.
 */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u2800[\p{Default_Ignorable_Code_Point}--[\ufe00-\ufe0f]]]/v
const VISIBLE = /[\p{L}\p{N}\p{P}\p{S}]/u

/** The part that this service keeps of the metadata of a client. */
export interface ClientMetadata {
  name: string
  redirectUris: string[]
}

const invalid = (description: string) => new OAuthError('invalid_client_metadata', description)

/**
 * Reads the metadata with which a client registers, or which it publishes:
 * https://www.rfc-editor.org/rfc/rfc7591#section-2. Properties that this service does not use are ignored.
 */
export function readClientMetadata(metadata: Record<string, unknown>): ClientMetadata {
  const redirectUris = readRedirectUris(metadata.redirect_uris)
  requireListed(metadata, 'grant_types', 'authorization_code')
  requireListed(metadata, 'response_types', 'code')
  return { name: readName(metadata.client_name) ?? describeTarget(redirectUris[0]!).name, redirectUris }
}

function readRedirectUris(value: unknown): string[] {
  const isList = Array.isArray(value) && value.every((uri): uri is string => typeof uri === 'string')
  if (!isList || value.length === 0) {
    throw new OAuthError('invalid_redirect_uri', 'redirect_uris must be a list with at least one URI')
  }
  if (value.length > REDIRECT_URIS_MAX) {
    throw new OAuthError('invalid_redirect_uri', `redirect_uris has more than ${REDIRECT_URIS_MAX} URIs`)
  }
  for (const [index, uri] of value.entries()) {
    const problem = findRedirectProblem(uri)
    if (problem) throw new OAuthError('invalid_redirect_uri', `redirect_uris[${index}] ${problem}`)
  }
  return [...new Set(value)]
}

function requireListed(metadata: Record<string, unknown>, name: string, required: string): void {
  const value = metadata[name]
  // Some clients send null or an empty list for an absent value.
  const isAbsent = value === undefined || value === null || (Array.isArray(value) && value.length === 0)
  if (isAbsent || (Array.isArray(value) && value.includes(required))) return
  throw invalid(`${name} must be a list with ${required}`)
}

/** At a whole character, so that none is cut into another one. */
function shorten(name: string): string {
  if (name.length <= NAME_LENGTH_MAX) return name
  let end = 0
  for (const { index, segment } of new Intl.Segmenter().segment(name)) {
    if (index + segment.length > NAME_LENGTH_MAX - 1) break
    end = index + segment.length
  }
  return `${name.slice(0, end)}…`
}

function readName(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value !== 'string') throw invalid('client_name must be a text')
  if (!value.isWellFormed()) throw invalid('client_name is not well-formed Unicode')
  const name = shorten(value.trim())
  if (INVISIBLE.test(name)) throw invalid('client_name has invisible characters: remove them')
  if (name !== '' && !VISIBLE.test(name)) throw invalid('client_name has no visible character')
  return name || undefined
}
