/** The texts of Postiz's editor are HTML; older ones, and those of its API, are plain. */
const isHtml = (content: string) => content.includes('<p>') || content.includes('<p ')

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'", nbsp: ' ' }

/** The text as Postiz publishes it, and what its formatting loses. */
export function readText(content: string): { text: string; lost: string[] } {
  if (!isHtml(content)) return { text: content, lost: [] }
  const text = content
    // An address is published in place of its link.
    .replaceAll(/<a\b[^>]*?\bhref="([^"]*)"[^>]*>.*?<\/a>/gis, '$1')
    .replaceAll(/<li\b[^>]*>\s*(?:<p\b[^>]*>)?/gi, '\n- ')
    .replaceAll(/<\/p>\s*<\/li>/gi, '')
    .replaceAll(/<(?:p|h[1-6])\b[^>]*>|<br\s*\/?>/gi, '\n')
    .replaceAll(/<\/?[a-z][^>]*>/gi, '')
    .replaceAll(/&(#39|[a-z]+);/gi, (entity, name: string) => ENTITIES[name.toLowerCase()] ?? entity)
  const lost = [
    ...(/<(?:strong|b|u|em|i)\b/i.test(content) ? ['bold, italic and underlined letters'] : []),
    ...(/data-mention-id=/i.test(content) ? ['links of mentions, whose names are in the text'] : []),
  ]
  return { text: text.trim(), lost }
}
