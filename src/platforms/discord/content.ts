import type { Content, ContentSource } from '../contract/content.ts'
import { altTextsOf } from '../rules/alt-text.ts'
import { textAt } from '../wire/json.ts'
import { discord } from './limits.ts'

export const discordContent = (act: ContentSource): Content => {
  const title = act.parent === null ? textAt(act.fields, 'threadName') : undefined
  return { text: act.text, ...(title && { title }), altTexts: altTextsOf(act, discord) }
}
