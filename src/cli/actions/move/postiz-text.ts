/** The texts of Postiz's editor are HTML; older ones, and those of its API, are plain. */
const isHtml = (content: string) => content.includes('<p>') || content.includes('<p ')

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'", nbsp: ' ' }

/** A tag ends before the next `<` outside of quotes, so that the time is linear in a text of tags without an end. */
const TAG = /<(\/?)([a-z][a-z0-9]*)\b((?:[^<>"]|"[^"]*")*)>/gi

/** The text as Postiz publishes it, and what its formatting loses. */
export function readText(content: string): { text: string; lost: string[] } {
  if (!isHtml(content)) return { text: content, lost: [] }
  const text = withoutTags(content).replaceAll(
    /&(#39|[a-z]+);/gi,
    (entity, name: string) => ENTITIES[name.toLowerCase()] ?? entity,
  )
  const lost = [
    ...(/<(?:strong|b|u|em|i)\b/i.test(content) ? ['bold, italic and underlined letters'] : []),
    ...(/data-mention-id=/i.test(content) ? ['links of mentions, whose names are in the text'] : []),
  ]
  return { text: text.trim(), lost }
}

function withoutTags(html: string): string {
  const pieces: string[] = []
  let link: { start: number; href: string } | undefined
  let previous = ''
  let end = 0
  for (const { 0: tag, 1: slash, 2: name, 3: attributes, index } of html.matchAll(TAG)) {
    const kind = `${slash}${name!.toLowerCase()}`
    const between = html.slice(end, index)
    end = index + tag.length
    const isBlank = between.trim() === ''
    const beginsItem = isBlank && previous === 'li' && kind === 'p'
    // The spaces between the tags of a list are not published.
    const isLayout = isBlank && (previous === 'li' || (previous === '/p' && kind === '/li'))
    if (!isLayout) pieces.push(between)
    if (kind === 'a') link ??= openLink(pieces.length, attributes!)
    else if (kind === '/a' && link) {
      // An address is published in place of its link.
      pieces.splice(link.start)
      pieces.push(link.href)
      link = undefined
    } else if (kind === 'li') pieces.push('\n- ')
    else if (/^(?:p|h[1-6]|br)$/.test(kind) && !beginsItem) pieces.push('\n')
    previous = kind
  }
  return [...pieces, html.slice(end)].join('')
}

function openLink(start: number, attributes: string): { start: number; href: string } | undefined {
  const href = /\shref="([^"]*)"/i.exec(attributes)?.[1]
  return href === undefined ? undefined : { start, href }
}
