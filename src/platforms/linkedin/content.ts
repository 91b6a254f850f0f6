import type { Content, ContentSource } from '../contract/content.ts'
import { altTextsOf } from '../rules/alt-text.ts'
import { textAt } from '../wire/json.ts'
import { linkedin } from './limits.ts'
import { littleText } from './little-text.ts'

/** The text of a comment is plain, not "little text". */
export const linkedinContent = (act: ContentSource): Content => {
  const { kind, text, fields, media } = act
  if (kind === 'comment') return { text, altTexts: [] }
  const url = textAt(fields, 'link')
  const title = media.length === 1 ? textAt(fields, 'mediaTitle') : undefined
  return {
    text,
    escapedText: littleText(text),
    ...(title && { title }),
    altTexts: altTextsOf(act, linkedin),
    ...(url && { link: articleOf(url, fields) }),
  }
}

/**
 * LinkedIn does not read the page. If the post has no title, the address stands for it, because the card would have
 * none.
 */
function articleOf(url: string, fields: ContentSource['fields']) {
  const { host = '', pathname = '' } = URL.parse(url) ?? {}
  const title = textAt(fields, 'linkTitle') || `${host.replace(/^www\./, '')}${pathname.replace(/\/$/, '')}`
  const description = textAt(fields, 'linkDescription')
  const imageUrl = textAt(fields, 'linkImageUrl')
  return { url, title, ...(description && { description }), ...(imageUrl && { imageUrl }) }
}
