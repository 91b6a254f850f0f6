import type { Content, ContentSource } from '../contract/content.ts'
import { altTextsOf } from '../rules/alt-text.ts'
import { textAt } from '../wire/json.ts'
import { pinterest } from './limits.ts'

export const pinterestContent = (act: ContentSource): Content => {
  const { text, fields } = act
  const title = textAt(fields, 'title')?.trim()
  const url = textAt(fields, 'link')
  return {
    text: text.trim(),
    ...(title && { title }),
    altTexts: altTextsOf(act, pinterest),
    ...(url && { link: { url } }),
  }
}
