import { domainToASCII } from 'node:url'
import tlds from 'tlds' with { type: 'json' }

/** A URL inside a text, in UTF-16 units; `end` is exclusive. */
export interface FoundUrl {
  start: number
  end: number
  hasProtocol: boolean
}

/** What may follow a domain, as sticky expressions, and whether example.com counts as https://example.com does. */
interface Dialect {
  path: RegExp
  query: RegExp
  /** What a path and a query may end in. */
  pathLast: RegExp
  queryLast: RegExp
  bareDomains: boolean
}

const latin =
  '\\xC0-\\xD6\\xD8-\\xF6\\xF8-\\u024F\\u0253\\u0254\\u0256\\u0257\\u0259\\u025B\\u0263\\u0268\\u026F\\u0272\\u0289\\u028B\\u02BB\\u0300-\\u036F\\u1E00-\\u1EFF'
const wide = '\\u{A0}-\\u{D7FF}\\u{E000}-\\u{FDCF}\\u{FDF0}-\\u{FFEF}\\u{10000}-\\u{10FFFD}'

const dialects = {
  // The rules of https://github.com/twitter/twitter-text, version 3.1.0, by which X counts.
  x: {
    path: new RegExp(`[a-z0-9\\u0400-\\u04FF${latin}!*';:=+,.$/%#[\\]\\-\\u2013_~@|&]*`, 'iy'),
    pathLast: new RegExp(`[a-z0-9\\u0400-\\u04FF${latin}+\\-=_#/]`, 'i'),
    query: /[a-z0-9!?*'@();:&=+$/%#[\]\-_.,~|]*/iy,
    queryLast: /[a-z0-9\-_&=#/]/i,
    bareDomains: true,
  },
  // What https://github.com/mastodon/mastodon/blob/main/config/initializers/twitter_regex.rb changes in them.
  mastodon: {
    path: /[^\s\x85<>()?]*/uy,
    pathLast: /[^\s\x85()?!*"'「」<>;:=,.$%[\]~&|@]/u,
    query: new RegExp(`[a-z0-9!?*'();:&=+$/%#[\\]\\-_.,~|@^${wide}]*`, 'iuy'),
    queryLast: new RegExp(`[a-z0-9_&=#/\\-${wide}]`, 'iu'),
    bareDomains: false,
  },
} satisfies Record<string, Dialect>

const marks = '\\u202A-\\u202E\\u061C\\u200E\\u200F\\u2066-\\u2069'
const spaces = '\\t-\\r \\x85\\xA0\\u1680\\u180E\\u2000-\\u200A\\u2028\\u2029\\u202F\\u205F\\u3000'
// Nearly everything may stand in a domain, ideographs and emoji included.
const domainRun = new RegExp(`[^!'#%&()*+,\\\\/:;<=>?@[\\]^{|}~$${spaces}\\uFFFE\\uFEFF\\uFFFF${marks}]+`, 'g')
const mayPrecede = /[^A-Za-z0-9@＠$#＃\uFFFE\uFEFF\uFFFF]/
const latinRun = new RegExp(`[-a-z0-9${latin}]+(?:\\.[-a-z0-9${latin}]+)*\\.?`, 'gi')
const punycodeTld = /xn--[-0-9a-z]+/iy
const asciiAlphanumerics = /[a-z0-9]*/iy
const asciiOnly = /^[\x21-\x7e]*$/
const joinsTld = /[0-9A-Za-z@+-]/
const port = /:[0-9]+/y
const shortLink = /^https?:\/\/t\.co\/([a-z0-9]+)(?:\?[a-z0-9!?*'@();:&=+$/%#[\]\-_.,~|]*[a-z0-9\-_&=#/])?/i

const knownTlds = new Set(tlds)
const wideTlds = Map.groupBy(
  tlds.filter((tld) => !asciiOnly.test(tld)).sort((a, b) => b.length - a.length),
  (tld) => tld[0]!,
)
const URL_MAX = 4096
const LABEL_MAX = 63
const SHORT_LINK_SLUG_MAX = 40

/**
 * The URLs in `text` that `network` would turn into links. A domain has to end in a known top-level domain, and an
 * e-mail address is none. Time is linear: domains are judged label by label from the right, where the regular
 * expression that these rules come from starts anew at every character.
 */
export function findUrls(text: string, network: keyof typeof dialects): FoundUrl[] {
  const dialect: Dialect = dialects[network]
  const found: FoundUrl[] = []
  if (!text.includes(dialect.bareDomains ? '.' : '://')) return found

  // Before a URL stands a character that belongs to no other URL, unless the text starts with it.
  let searched = 0
  const isPreceded = (start: number) => start === 0 || (start > searched && mayPrecede.test(text[start - 1]!))

  for (const { 0: run, index: runStart } of text.matchAll(domainRun)) {
    if (runStart + run.length <= searched || !run.includes('.')) continue
    for (const label of labelsOf(text, runStart, run)) {
      for (let domain = Math.max(label.start, searched); domain < label.end; domain++) {
        const domainEnd = domainEndFrom(text, domain, label)
        if (domainEnd === undefined) continue
        const protocol = domain === runStart ? protocolLength(text, domain) : 0
        const hasProtocol = protocol > 0 && isPreceded(domain - protocol)
        if (!hasProtocol && !isPreceded(domain)) continue

        const start = hasProtocol ? domain - protocol : domain
        const { end, hasPath } = urlEnd(text, domainEnd, dialect)
        searched = end
        if (isTooLong(text.slice(domain, domainEnd), end - start)) break
        if (hasProtocol) {
          const length = linkLength(text.slice(start, end))
          if (length > 0) found.push({ start, end: start + length, hasProtocol })
        } else if (dialect.bareDomains && (start === 0 || !'-_./'.includes(text[start - 1]!))) {
          const latinDomains = findLatinDomains(text.slice(start, domainEnd))
          for (const [from, to] of latinDomains) found.push({ start: start + from, end: start + to, hasProtocol })
          if (hasPath && latinDomains.length > 0) found.at(-1)!.end = end
        }
        break
      }
    }
  }
  return found
}

/** A part of a domain between dots, and where a domain that contains it ends. */
interface Label {
  start: number
  end: number
  lastUnderscore: number
  /** Where the domain ends if the labels that follow are a domain themselves. */
  endAsSubdomain: number | undefined
  /** Where it ends if only a top-level domain follows. */
  endAsName: number | undefined
}

/** The labels of a run of domain characters, first to last, without those that no domain can contain. */
function labelsOf(text: string, runStart: number, run: string): Label[] {
  const parts = run.split('.')
  const labels: Label[] = []
  let following: Label | undefined
  let end = runStart + run.length - parts.pop()!.length - 1
  for (const part of parts.reverse()) {
    const start = end - part.length
    if (part !== '' && isInLabel(part.at(-1)!)) {
      const next = end + 1
      following = {
        start,
        end,
        lastUnderscore: start + part.lastIndexOf('_'),
        endAsSubdomain: following?.start === next ? domainEndFrom(text, next, following) : undefined,
        endAsName: topLevelEnd(text, next),
      }
      labels.push(following)
    }
    end = start - 1
  }
  return labels.reverse()
}

/** Hyphens and underscores stand inside a label only, not at its ends. */
const isInLabel = (end: string) => end !== '-' && end !== '_'

/** Where the longest domain ends that starts at `start`, somewhere in `label`. Underscores are for subdomains. */
function domainEndFrom(text: string, start: number, label: Label): number | undefined {
  if (!isInLabel(text[start]!)) return undefined
  return label.endAsSubdomain ?? (label.lastUnderscore < start ? label.endAsName : undefined)
}

/** Where the top-level domain at `start` ends. An ideograph may follow it directly; a letter, digit or @ may not. */
function topLevelEnd(text: string, start: number): number | undefined {
  const punycodeEnd = runEnd(punycodeTld, text, start)
  if (punycodeEnd > start) return punycodeEnd
  const ascii = text.slice(start, runEnd(asciiAlphanumerics, text, start)).toLowerCase()
  const candidates = knownTlds.has(ascii) ? [ascii] : (wideTlds.get(text[start]?.toLowerCase() ?? '') ?? [])
  for (const tld of candidates) {
    const end = start + tld.length
    if (text.slice(start, end).toLowerCase() === tld && !joinsTld.test(text[end] ?? '')) return end
  }
  return undefined
}

/** The length of the http:// or https:// that ends at `end`, 0 when there is none. */
function protocolLength(text: string, end: number): number {
  if (text[end - 1] !== '/') return 0
  return /https?:\/\/$/i.exec(text.slice(Math.max(0, end - 'https://'.length), end))?.[0].length ?? 0
}

/** Where the URL with this domain ends: after its port, path and query, as far as it has them. */
function urlEnd(text: string, domainEnd: number, dialect: Dialect): { end: number; hasPath: boolean } {
  let end = runEnd(port, text, domainEnd)
  const hasPath = text[end] === '/'
  if (hasPath) end = pathEnd(text, end, dialect)
  if (text[end] === '?') {
    end = trimmedEnd(text, end + 1, runEnd(dialect.query, text, end + 1), dialect.queryLast) ?? end
  }
  return { end, hasPath }
}

/** A path runs on over pairs of parentheses, and ends in one only where no punctuation stands before it. */
function pathEnd(text: string, slash: number, { path, pathLast }: Dialect): number {
  let end = slash + 1
  let from = end
  for (;;) {
    const to = runEnd(path, text, from)
    end = trimmedEnd(text, from, to, pathLast) ?? end
    const closed = parenthesesEnd(text, to, path)
    if (closed === undefined) return end
    if (to === end) end = closed
    from = closed
  }
}

/** Where the pair of parentheses that opens at `start` ends. It may hold one more pair, and may not be empty. */
function parenthesesEnd(text: string, start: number, path: RegExp): number | undefined {
  if (text[start] !== '(') return undefined
  const first = runEnd(path, text, start + 1)
  if (text[first] === ')') return first > start + 1 ? first + 1 : undefined
  if (text[first] !== '(') return undefined
  const inner = runEnd(path, text, first + 1)
  if (text[inner] !== ')' || inner === first + 1) return undefined
  const second = runEnd(path, text, inner + 1)
  return text[second] === ')' ? second + 1 : undefined
}

/** The end of text[start, end) without trailing characters that are not `last`; undefined when none is left. */
function trimmedEnd(text: string, start: number, end: number, last: RegExp): number | undefined {
  let trimmed = end
  while (trimmed > start && !last.test(text[trimmed - 1]!)) trimmed--
  return trimmed > start ? trimmed : undefined
}

/** Where the sticky expression `characters` stops matching. */
function runEnd(characters: RegExp, text: string, start: number): number {
  characters.lastIndex = start
  return characters.test(text) ? characters.lastIndex : start
}

/** Limits the URL, `length` long as written, and each label of its domain in Punycode. */
function isTooLong(domain: string, length: number): boolean {
  if (length > URL_MAX) return true
  if (length <= LABEL_MAX && asciiOnly.test(domain)) return false
  return domain.split('.').some((label) => asciiLength(label) > LABEL_MAX)
}

function asciiLength(label: string): number {
  // Punycode takes a character for each code point at least, so an overlong label needs no conversion.
  if (asciiOnly.test(label) || label.length > 2 * LABEL_MAX) return label.length
  return domainToASCII(label).length || label.length
}

/** How much of `url` is a link: X's own short links end after the slug and a query. 0 when it is none. */
function linkLength(url: string): number {
  const short = shortLink.exec(url)
  if (!short) return url.length
  return short[1]!.length > SHORT_LINK_SLUG_MAX ? 0 : short[0].length
}

/** Without a protocol only the parts of a domain in Latin script are links: [start, end) of each. */
function findLatinDomains(domain: string): [number, number][] {
  const found: [number, number][] = []
  latinRun.lastIndex = 0
  for (let run = latinRun.exec(domain); run; run = latinRun.exec(domain)) {
    for (let dot = run[0].lastIndexOf('.'); dot > 0; dot = run[0].lastIndexOf('.', dot - 1)) {
      const end = topLevelEnd(domain, run.index + dot + 1)
      if (end === undefined) continue
      found.push([run.index, end])
      latinRun.lastIndex = end
      break
    }
  }
  return found
}
