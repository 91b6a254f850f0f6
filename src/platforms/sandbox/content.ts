import type { Content, ContentSource } from '../contract/content.ts'
import { altTextsOf } from '../rules/alt-text.ts'
import { sandbox } from './limits.ts'

export const sandboxContent = (act: ContentSource): Content => ({ text: act.text, altTexts: altTextsOf(act, sandbox) })
