import type { Content, ContentSource } from '../contract/content.ts'
import { altTextsOf } from '../rules/alt-text.ts'
import { x } from './limits.ts'

export const xContent = (act: ContentSource): Content => ({ text: act.text, altTexts: altTextsOf(act, x) })
