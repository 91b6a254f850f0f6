import { findUrls } from '../../../src/platforms/rules/urls.ts'
import type { Post } from './x.ts'

const encode = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/**
 * A text as X returns it: special characters as entities, links shortened, and links to the quoted post and the post's
 * own files appended (https://docs.x.com/x-api/fundamentals/data-dictionary).
 */
export function displayed({ id, sent, media, referenced_tweets: references }: Post, username: string) {
  const urls: { url: string; expanded_url: string; display_url: string }[] = []
  const shorten = (expanded: string) => {
    const url = `https://t.co/${id.slice(-6)}a${String(urls.length).padStart(3, '0')}`
    urls.push({ url, expanded_url: expanded, display_url: expanded.replace(/^https?:\/\//, '') })
    return url
  }
  let text = ''
  let end = 0
  for (const found of findUrls(sent, 'x')) {
    const typed = sent.slice(found.start, found.end)
    text += encode(sent.slice(end, found.start)) + shorten(found.hasProtocol ? typed : `http://${typed}`)
    end = found.end
  }
  text += encode(sent.slice(end))
  const quoted = references.find(({ type }) => type === 'quoted')
  const appended = [
    ...(quoted ? [`https://twitter.com/someone/status/${quoted.id}`] : []),
    ...(media.length > 0 ? [`https://x.com/${username}/status/${id}/photo/1`] : []),
  ]
  for (const link of appended) text = `${text.trimEnd()} ${shorten(link)}`
  const shown = text.trim()
  /** Positions count code points. */
  const placed = urls.map((link) => {
    const start = [...shown.slice(0, shown.indexOf(link.url))].length
    return { start, end: start + link.url.length, ...link }
  })
  return { text: shown, urls: placed }
}
