/** Latin letters with diacritics, as twitter-text lists them. */
export const latin =
  '\\xC0-\\xD6\\xD8-\\xF6\\xF8-\\u024F\\u0253\\u0254\\u0256\\u0257\\u0259\\u025B\\u0263\\u0268\\u026F\\u0272\\u0289\\u028B\\u02BB\\u0300-\\u036F\\u1E00-\\u1EFF'
/** Characters of a query outside of ASCII on Mastodon: neither noncharacters nor tags. */
const wide = '[[\\u{A0}-\\u{D7FF}\\u{E000}-\\u{FFEF}\\u{10000}-\\u{10FFFD}]--\\p{NChar}--[\\u{E0000}-\\u{E0FFF}]]'

/** The characters that a network accepts after a domain. Expressions of runs are sticky. */
export interface Dialect {
  /** The text that may precede the domain, at its end. */
  protocol: RegExp
  path: RegExp
  pathLast: RegExp
  /** Inside of parentheses that end a path. Absent: any of a path, but no punctuation before the parentheses. */
  inLastParentheses?: RegExp
  query: RegExp
  queryLast: RegExp
  /** A link of X's own service, with its name as the first group. */
  shortLink: RegExp
  /** Characters that no domain may have. */
  notInDomain?: RegExp
  /** Whether example.com is a link, as https://example.com is. */
  bareDomains: boolean
}

const pathOfX = new RegExp(`[a-z0-9\\u0400-\\u04FF${latin}!*';:=+,.$/%#[\\]\\-\\u2013_~@|&]*`, 'iy')

export const dialects = {
  // X counts by the rules of https://github.com/twitter/twitter-text, version 3.1.0.
  x: {
    protocol: /https?:\/\/$/i,
    path: pathOfX,
    pathLast: new RegExp(`[a-z0-9\\u0400-\\u04FF${latin}+\\-=_#/]`, 'i'),
    query: /[a-z0-9!?*'@();:&=+$/%#[\]\-_.,~|]*/iy,
    queryLast: /[a-z0-9\-_&=#/]/i,
    shortLink: /^https?:\/\/t\.co\/([a-z0-9]+)(?:\?[a-z0-9!?*'@();:&=+$/%#[\]\-_.,~|]*[a-z0-9\-_&=#/])?/i,
    bareDomains: true,
  },
  // https://github.com/mastodon/mastodon/blob/main/config/initializers/twitter_regex.rb changes these rules of X.
  mastodon: {
    protocol: /(?:https?|dat|dweb|ipfs|ipns|ssb|gopher|gemini):\/\/$/i,
    path: /[^\p{White_Space}<>()?]*/uy,
    pathLast: /[^\p{White_Space}()?!*"'「」<>;:=,.$%[\]~&|@]/u,
    // The Ruby version of twitter-text still uses its own rule here, and takes no query of a short link.
    inLastParentheses: pathOfX,
    shortLink: /^https?:\/\/t\.co\/([a-z0-9]+)/i,
    // Neither emoji nor tags are in Unicode 3.2, which IDNA 2003 is limited to:
    // https://www.gnu.org/software/libidn/manual/libidn.html
    notInDomain: /[\u{1F000}-\u{1FFFF}\u{E0000}-\u{E0FFF}]/u,
    query: new RegExp(`[a-z0-9!?*'\\(\\);:&=+$\\/%#\\[\\]\\-_.,~\\|@\\^${wide}]*`, 'ivy'),
    queryLast: new RegExp(`[a-z0-9_&=#\\/\\-${wide}]`, 'iv'),
    bareDomains: false,
  },
} satisfies Record<string, Dialect>

/** The index after the run of `characters`, a sticky expression, that starts at `start`. */
export function findRunEnd(characters: RegExp, text: string, start: number): number {
  characters.lastIndex = start
  return characters.test(text) ? characters.lastIndex : start
}
