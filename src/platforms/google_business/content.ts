import type { Content, ContentSource } from '../contract/content.ts'
import { textAt } from '../wire/json.ts'

/** The API takes no alternative texts. A call goes to the number of the location, and an offer has no button. */
export const googleBusinessContent = ({ text, fields, media }: ContentSource): Content => {
  const topicType = textAt(fields, 'topicType') ?? 'STANDARD'
  const title = topicType === 'STANDARD' ? undefined : textAt(fields, 'eventTitle')
  const action = topicType === 'OFFER' ? undefined : textAt(fields, 'callToActionType')
  const url = action && action !== 'CALL' ? textAt(fields, 'callToActionUrl') : undefined
  return { text, ...(title && { title }), altTexts: media.map(() => undefined), ...(url && { link: { url } }) }
}
