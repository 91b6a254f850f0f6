import type { Content, ContentSource } from '../contract/content.ts'
import { altTextsOf } from '../rules/alt-text.ts'
import { mastodon } from './limits.ts'

export const mastodonContent = (act: ContentSource): Content => ({
  text: act.text,
  altTexts: altTextsOf(act, mastodon),
})
