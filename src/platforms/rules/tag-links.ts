import type { PlatformId } from '../../../schemas/platform.ts'
import type { PostLinks } from '../../../schemas/post-links.ts'
import { createMemo, isTooLong } from './text-cache.ts'
import { findUrls } from './urls.ts'

/** Targets of a post share its texts. Each is read once for each network, for as long as the post is there. */
const tagged = new WeakMap<PostLinks, ReturnType<typeof createMemo<string>>>()

/**
 * The text with the parameters of the post in its addresses. `isMarkdown`: only in addresses of `[text](address)`,
 * since elsewhere an underscore is markup.
 */
export function tagLinks(text: string, links: PostLinks, platform: PlatformId, isMarkdown = false): string {
  if (!text.includes('://') || isTooLong(text)) return text
  const memo = tagged.get(links) ?? createMemo<string>()
  tagged.set(links, memo)
  return memo(text, `${platform} ${isMarkdown}`, () => {
    let end = 0
    const pieces = findUrls(text, 'x')
      .map((url, index, urls) => {
        const isWhole = platform === 'x' || !/:\/\/.*[/?]/s.test(text.slice(url.start, url.end))
        return isWhole ? url : { ...url, end: url.end + measureRest(text.slice(url.end, urls[index + 1]?.start)) }
      })
      .filter(({ start, hasProtocol }) => hasProtocol && (!isMarkdown || text.startsWith('](', start - 2)))
      .map((url) => {
        const piece = text.slice(end, url.start) + tagAddress(text.slice(url.start, url.end), links, platform)
        end = url.end
        return piece
      })
    return [...pieces, text.slice(end)].join('')
  })
}

/**
 * The end of an address that X leaves out, and other networks do not: it begins with a letter that is neither Latin nor
 * Cyrillic, a letter outside of ASCII in a query, or some marks. Parameters before it would make another address.
 */
const REST =
  /^(?=[\p{L}\p{M}\p{N}^|\\{]|’\p{L})(?:[\p{L}\p{M}\p{N}\p{Pd}’_.~:/?#@!$&*+,;=%^|\\]|\([^\s()<>]*\)|\{[^\s{}<>]*\})*(?:[\p{L}\p{M}\p{N}/_=#&+-]|\([^\s()<>]*\)|\{[^\s{}<>]*\})/u

const measureRest = (text: string) => REST.exec(text)?.[0].length ?? 0

/** The address with those parameters that it lacks, before its fragment. */
export function tagAddress(address: string, { utm }: PostLinks, platform: PlatformId): string {
  if (!/^https?:\/\//i.test(address)) return address
  const [before = '', ...fragments] = address.split('#')
  const names = new Set(Array.from(before.matchAll(/[?&](?:amp;)?([^=&]+)/g), ([, name]) => name))
  const added = Object.entries(utm).flatMap(([key, value]) => {
    const name = `utm_${key}`
    return names.has(name) ? [] : [`${name}=${encode(value.replaceAll('{platform}', platform))}`]
  })
  if (added.length === 0) return address
  const separator = !before.includes('?') ? '?' : /[?&]$/.test(before) ? '' : '&'
  return [before + separator + added.join('&'), ...fragments].join('#')
}

/** Quotes and parentheses too, which may end an address inside markup. */
const encode = (value: string) =>
  encodeURIComponent(value).replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)
