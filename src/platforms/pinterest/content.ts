import type { Content, ContentSource } from '../contract/content.ts'
import { altTextOf } from '../rules/alt-text.ts'
import { textAt } from '../wire/json.ts'
import { pinterest } from './limits.ts'

/** A pin has one alternative text, even if it has several images. */
export const pinterestContent = ({ text, fields, media }: ContentSource): Content => {
  const title = textAt(fields, 'title')?.trim()
  const url = textAt(fields, 'link')
  return {
    text: text.trim(),
    ...(title && { title }),
    altTexts: media.map((file, index) => (index === 0 ? altTextOf(file, fields, pinterest) : undefined)),
    ...(url && { link: { url } }),
  }
}
