import type { Content, ContentSource } from '../contract/content.ts'
import { altTextsOf } from '../rules/alt-text.ts'
import { textAt } from '../wire/json.ts'
import { tiktok } from './limits.ts'

/** Whether the post becomes a draft in the inbox of the account, which its user finishes in the app. */
export const isDraft = ({ fields }: Pick<ContentSource, 'fields'>) => fields.postMode === 'MEDIA_UPLOAD'

/** The draft of a video has no text. The API takes no title of a video. */
export const tiktokContent = (act: ContentSource): Content => {
  const { text, fields, media } = act
  const altTexts = altTextsOf(act, tiktok)
  if (media[0]?.kind === 'video') return { text: isDraft(act) ? '' : text, altTexts }
  const title = textAt(fields, 'title')
  return { text, ...(title !== undefined && { title }), altTexts }
}
