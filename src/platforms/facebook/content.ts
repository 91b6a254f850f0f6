import type { Content, ContentSource } from '../contract/content.ts'
import { altTextsOf } from '../rules/alt-text.ts'
import { textAt } from '../wire/json.ts'
import { facebook } from './limits.ts'

export const facebookContent = (act: ContentSource): Content => {
  const { kind, postType, text, fields, media } = act
  if (kind === 'comment') return { text, altTexts: [] }
  const altTexts = altTextsOf(act, facebook)
  if (postType === 'story') return { text: '', altTexts }
  const title = media[0]?.kind === 'video' ? textAt(fields, 'title') : undefined
  // Facebook takes either a link or media.
  const url = media.length === 0 ? textAt(fields, 'link') : undefined
  return { text, ...(title && { title }), altTexts, ...(url && { link: { url } }) }
}
