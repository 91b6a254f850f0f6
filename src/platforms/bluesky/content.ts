import type { Content, ContentSource } from '../contract/content.ts'
import { altTextsOf } from '../rules/alt-text.ts'
import { textAt } from '../wire/json.ts'
import { bluesky } from './limits.ts'

export const blueskyContent = (act: ContentSource): Content => {
  const { text, fields, media, parent } = act
  const url = media.length === 0 && parent === null ? textAt(fields, 'linkCard') : undefined
  return { text, altTexts: altTextsOf(act, bluesky), ...(url && { link: cardOf(url, fields) }) }
}

/**
 * A card with what `fields` say, or else with the address alone. The page is not read: another attempt might find
 * another title.
 */
function cardOf(url: string, fields: ContentSource['fields']) {
  const { host = '', pathname = '' } = URL.parse(url) ?? {}
  const address = `${host.replace(/^www\./, '')}${pathname.replace(/\/$/, '')}`
  const imageUrl = textAt(fields, 'linkCardImageUrl')
  return {
    url,
    title: textAt(fields, 'linkCardTitle') ?? address,
    description: textAt(fields, 'linkCardDescription') ?? '',
    ...(imageUrl && { imageUrl }),
  }
}
