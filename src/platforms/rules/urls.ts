import { domainRun, findDomainEnd, findLabels, findLatinDomains, hasTooLongLabel, type Label } from './domains.ts'
import { type Dialect, dialects, findRunEnd } from './url-characters.ts'

/** A URL inside a text, in UTF-16 units; `end` is exclusive. */
export interface FoundUrl {
  start: number
  end: number
  hasProtocol: boolean
}

const mayPrecede = /[^A-Za-z0-9@＠$#＃\uFFFE\uFEFF\uFFFF]/
const port = /:[0-9]+/y

// Both from twitter-text.
const URL_MAX = 4096
const SHORT_LINK_SLUG_MAX = 40

/**
 * The URLs in `text` that `network` turns into links. Their domains end in a known top-level domain; e-mail addresses
 * are not links. Takes linear time: labels of domains are evaluated from right to left, while the regular expression of
 * twitter-text starts again at every character.
 */
export function findUrls(text: string, network: keyof typeof dialects): FoundUrl[] {
  const dialect: Dialect = dialects[network]
  const found: FoundUrl[] = []
  if (!text.includes(dialect.bareDomains ? '.' : '://')) return found

  // A URL starts the text, or follows a character that may precede it and is not part of the URL before.
  let searched = 0
  const isPreceded = (start: number) => start === 0 || (start > searched && mayPrecede.test(text[start - 1]!))

  for (const { 0: run, index: runStart } of text.matchAll(domainRun)) {
    if (runStart + run.length <= searched || !run.includes('.')) continue
    for (const label of findLabels(text, runStart, run)) {
      for (let domain = Math.max(label.start, searched); domain < label.end; domain++) {
        const domainEnd = findDomainEnd(text, domain, label)
        if (domainEnd === undefined || precedesUrl(text, domain, label)) continue
        const protocol = domain === runStart ? measureProtocol(text, domain, dialect) : 0
        const hasProtocol = protocol > 0 && isPreceded(domain - protocol)
        if (!hasProtocol && !isPreceded(domain)) continue

        const start = hasProtocol ? domain - protocol : domain
        const { end, hasPath } = findUrlEnd(text, domainEnd, dialect)
        searched = end
        const name = text.slice(domain, domainEnd)
        if (end - start > URL_MAX || hasTooLongLabel(name, end - start) || dialect.notInDomain?.test(name)) break
        if (hasProtocol) {
          const length = measureLink(text.slice(start, end), dialect)
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

/** As in twitter-text, the first letter of a text precedes a URL, and is no part of it, if it may precede one. */
const precedesUrl = (text: string, domain: number, label: Label): boolean =>
  domain === 0 && label.end > 1 && mayPrecede.test(text[0]!) && findDomainEnd(text, 1, label) !== undefined

const PROTOCOL_LENGTH_MAX = 'gopher://'.length

/** The length of the protocol that ends at `end`; 0 if none ends there. */
function measureProtocol(text: string, end: number, { protocol }: Dialect): number {
  if (text[end - 1] !== '/') return 0
  return protocol.exec(text.slice(Math.max(0, end - PROTOCOL_LENGTH_MAX), end))?.[0].length ?? 0
}

/** The end of the URL with this domain: after its port, path and query, if it has them. */
function findUrlEnd(text: string, domainEnd: number, dialect: Dialect): { end: number; hasPath: boolean } {
  let end = findRunEnd(port, text, domainEnd)
  const hasPath = text[end] === '/'
  if (hasPath) end = findPathEnd(text, end, dialect)
  if (text[end] === '?') {
    end = trimEnd(text, end + 1, findRunEnd(dialect.query, text, end + 1), dialect.queryLast) ?? end
  }
  return { end, hasPath }
}

/** A path may contain pairs of parentheses, and end with one. */
function findPathEnd(text: string, slash: number, { path, pathLast, inLastParentheses }: Dialect): number {
  let end = slash + 1
  let from = end
  for (;;) {
    const to = findRunEnd(path, text, from)
    end = trimEnd(text, from, to, pathLast) ?? end
    const closed = findParenthesesEnd(text, to, path)
    if (closed === undefined) return end
    const isEnd = inLastParentheses ? findParenthesesEnd(text, to, inLastParentheses) === closed : to === end
    if (isEnd) end = closed
    from = closed
  }
}

/** The end of the pair of parentheses at `start`. It may contain one more pair, and must not be empty. */
function findParenthesesEnd(text: string, start: number, path: RegExp): number | undefined {
  if (text[start] !== '(') return undefined
  const first = findRunEnd(path, text, start + 1)
  if (text[first] === ')') return first > start + 1 ? first + 1 : undefined
  if (text[first] !== '(') return undefined
  const inner = findRunEnd(path, text, first + 1)
  if (text[inner] !== ')' || inner === first + 1) return undefined
  const second = findRunEnd(path, text, inner + 1)
  return text[second] === ')' ? second + 1 : undefined
}

/** The end of text[start, end) without trailing characters that `last` excludes; undefined if none remains. */
function trimEnd(text: string, start: number, end: number, last: RegExp): number | undefined {
  let trimmed = end
  while (trimmed > start) {
    const character = lastCharacter(text, trimmed)
    if (last.test(character)) return trimmed
    trimmed -= character.length
  }
  return undefined
}

/** The character before `end`, which may be a surrogate pair. */
const lastCharacter = (text: string, end: number): string =>
  end > 1 && (text.codePointAt(end - 2) ?? 0) > 0xffff ? text.slice(end - 2, end) : text[end - 1]!

/** The length of the link in `url`: X's own short links end earlier than others. 0 if it is not a link. */
function measureLink(url: string, { shortLink }: Dialect): number {
  const short = shortLink.exec(url)
  if (!short) return url.length
  return short[1]!.length > SHORT_LINK_SLUG_MAX ? 0 : short[0].length
}
