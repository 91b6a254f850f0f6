import type { Content, ContentSource } from '../contract/content.ts'
import { altTextsOf } from '../rules/alt-text.ts'
import { textAt } from '../wire/json.ts'
import { googleBusiness } from './limits.ts'

/** A call goes to the number of the location, and an offer has no button. */
export const googleBusinessContent = (act: ContentSource): Content => {
  const { text, fields } = act
  const topicType = textAt(fields, 'topicType') ?? 'STANDARD'
  const title = topicType === 'STANDARD' ? undefined : textAt(fields, 'eventTitle')
  const action = topicType === 'OFFER' ? undefined : textAt(fields, 'callToActionType')
  const url = action && action !== 'CALL' ? textAt(fields, 'callToActionUrl') : undefined
  return { text, ...(title && { title }), altTexts: altTextsOf(act, googleBusiness), ...(url && { link: { url } }) }
}
