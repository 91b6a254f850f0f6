import type { Content, ContentSource } from '../contract/content.ts'
import { altTextsOf } from '../rules/alt-text.ts'
import { deriveTitle } from '../rules/title.ts'
import { youtube } from './limits.ts'

export const youtubeContent = (act: ContentSource): Content => {
  const {
    kind,
    text,
    fields: { title },
  } = act
  const altTexts = altTextsOf(act, youtube)
  if (kind === 'comment') return { text, altTexts }
  const own = typeof title === 'string' && title.trim() !== '' ? title : undefined
  return { text, title: own ?? deriveTitle(text, youtube.title!), altTexts }
}
