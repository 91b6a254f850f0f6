import type { Content, ContentSource } from '../contract/content.ts'
import { altTextsOf } from '../rules/alt-text.ts'
import { instagram } from './limits.ts'

/** A story shows its file alone. */
export const instagramContent = (act: ContentSource): Content =>
  act.postType === 'story' && act.kind === 'post'
    ? { text: '', altTexts: act.media.map(() => undefined) }
    : { text: act.text, altTexts: altTextsOf(act, instagram) }
