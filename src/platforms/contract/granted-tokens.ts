import type { OAuth, Tokens } from './oauth.ts'

/** In UTF-16 units. Meta says that tokens have no fixed length. */
const VALUE_LENGTH_MAX = 16_384

export const isText = (value: unknown): value is string => typeof value === 'string' && value.length <= VALUE_LENGTH_MAX

/** A token with other characters would break the header that carries it. */
export const isPrintable = (value: unknown) => isText(value) && !/\p{Cc}/u.test(value) && value.isWellFormed()

/** Whether tokens that a network sent can be stored and used. */
export const areStorable = ({ credentials, scopes, expiresAt }: Tokens): boolean =>
  Object.values(credentials).every(isPrintable) &&
  scopes.every(isPrintable) &&
  (expiresAt === null || !Number.isNaN(expiresAt.getTime()))

/** The scopes that publishing needs and that were not granted. */
export function missingScopes(
  { requiredScopes, requiredScopesOf = () => requiredScopes }: OAuth,
  { credentials, scopes }: Pick<Tokens, 'credentials' | 'scopes'>,
): string[] {
  return requiredScopesOf(credentials).filter((scope) => !scopes.includes(scope))
}
