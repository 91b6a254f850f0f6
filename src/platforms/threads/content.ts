import type { Content, ContentSource } from '../contract/content.ts'
import { altTextsOf } from '../rules/alt-text.ts'
import { textAt } from '../wire/json.ts'
import { threads } from './limits.ts'

export const threadsContent = (act: ContentSource): Content => {
  const { kind, text, fields, media, parent } = act
  // The parameters of a link are those of a first post without media.
  const url = kind === 'post' && parent === null && media.length === 0 ? textAt(fields, 'linkAttachment') : undefined
  return { text, altTexts: altTextsOf(act, threads), ...(url && { link: { url } }) }
}
