import type { Content, ContentSource } from '../contract/content.ts'
import { altTextsOf } from '../rules/alt-text.ts'
import { telegram } from './limits.ts'

export const telegramContent = (act: ContentSource): Content => ({
  text: act.text,
  altTexts: altTextsOf(act, telegram),
})
