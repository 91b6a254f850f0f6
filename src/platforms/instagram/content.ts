import type { Content, ContentSource } from '../contract/content.ts'
import { altTextsOf } from '../rules/alt-text.ts'
import { instagram } from './limits.ts'

/** A story shows its file alone. */
export const instagramContent = (act: ContentSource): Content => ({
  text: act.postType === 'story' && act.kind === 'post' ? '' : act.text,
  altTexts: altTextsOf(act, instagram),
})
