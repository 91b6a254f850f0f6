/** Latin letters with diacritics, as twitter-text lists them. */
export const latin =
  '\\xC0-\\xD6\\xD8-\\xF6\\xF8-\\u024F\\u0253\\u0254\\u0256\\u0257\\u0259\\u025B\\u0263\\u0268\\u026F\\u0272\\u0289\\u028B\\u02BB\\u0300-\\u036F\\u1E00-\\u1EFF'
const wide = '\\u{A0}-\\u{D7FF}\\u{E000}-\\u{FDCF}\\u{FDF0}-\\u{FFEF}\\u{10000}-\\u{10FFFD}'

/** The characters that a network accepts after a domain. Expressions of runs are sticky. */
export interface Dialect {
  path: RegExp
  pathLast: RegExp
  query: RegExp
  queryLast: RegExp
  /** Whether example.com is a link, as https://example.com is. */
  bareDomains: boolean
}

export const dialects = {
  // X counts by the rules of https://github.com/twitter/twitter-text, version 3.1.0.
  x: {
    path: new RegExp(`[a-z0-9\\u0400-\\u04FF${latin}!*';:=+,.$/%#[\\]\\-\\u2013_~@|&]*`, 'iy'),
    pathLast: new RegExp(`[a-z0-9\\u0400-\\u04FF${latin}+\\-=_#/]`, 'i'),
    query: /[a-z0-9!?*'@();:&=+$/%#[\]\-_.,~|]*/iy,
    queryLast: /[a-z0-9\-_&=#/]/i,
    bareDomains: true,
  },
  // https://github.com/mastodon/mastodon/blob/main/config/initializers/twitter_regex.rb changes these rules of X.
  mastodon: {
    path: /[^\s\x85<>()?]*/uy,
    pathLast: /[^\s\x85()?!*"'「」<>;:=,.$%[\]~&|@]/u,
    query: new RegExp(`[a-z0-9!?*'();:&=+$/%#[\\]\\-_.,~|@^${wide}]*`, 'iuy'),
    queryLast: new RegExp(`[a-z0-9_&=#/\\-${wide}]`, 'iu'),
    bareDomains: false,
  },
} satisfies Record<string, Dialect>

/** The index after the run of `characters`, a sticky expression, that starts at `start`. */
export function findRunEnd(characters: RegExp, text: string, start: number): number {
  characters.lastIndex = start
  return characters.test(text) ? characters.lastIndex : start
}
