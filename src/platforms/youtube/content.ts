import type { Content, ContentSource } from '../contract/content.ts'
import { deriveTitle } from '../rules/title.ts'
import { youtube } from './limits.ts'

/** The API takes no alternative texts. */
export const youtubeContent = ({ kind, text, fields: { title }, media }: ContentSource): Content => {
  const altTexts = media.map(() => undefined)
  if (kind === 'comment') return { text, altTexts }
  const own = typeof title === 'string' && title.trim() !== '' ? title : undefined
  return { text, title: own ?? deriveTitle(text, youtube.title!), altTexts }
}
