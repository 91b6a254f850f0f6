import type { Act } from '../contract/adapter.ts'
import { textAt } from '../wire/json.ts'
import { jsonWithFiles } from './base64.ts'
import { idOf } from './client.ts'
import { pinterestContent } from './content.ts'

/** The texts that readers see with a pin's files. Absent if the post has none. */
export interface PinTexts {
  title: string | undefined
  description: string | undefined
  link: string | undefined
  altText: string | undefined
}

export function textsOf(act: Act): PinTexts {
  const { text, title, altTexts, link } = pinterestContent(act)
  return { title, description: text || undefined, link: link?.url, altText: altTexts[0] }
}

/** The board of an act, and the section of it. Throws if the ids cannot be ones of Pinterest. */
export const placeOf = ({ fields: { boardId, boardSectionId } }: Act) => ({
  boardId: idOf(boardId, 'boardId'),
  sectionId: boardSectionId ? idOf(boardSectionId, 'boardSectionId') : undefined,
})

/** The body of `POST /pins`. Images go with it, so that Pinterest has nothing to fetch. */
export function pinOf(act: Act, videoId: string | null): object {
  const { media, fields } = act
  const { boardId, sectionId } = placeOf(act)
  const { title, description, link, altText } = textsOf(act)
  const pin = {
    board_id: boardId,
    board_section_id: sectionId,
    title,
    description,
    link,
    alt_text: altText,
    dominant_color: textAt(fields, 'dominantColor') || undefined,
    ai_disclosures: isFilled(fields.aiDisclosures) ? { values: fields.aiDisclosures } : undefined,
  }
  if (videoId !== null) {
    return { ...pin, media_source: { source_type: 'video_id', media_id: videoId, ...coverOf(act) } }
  }
  return jsonWithFiles(media, (places) => {
    const items = media.map(({ mimeType }, index) => ({ content_type: mimeType, data: places[index]! }))
    const source =
      items.length === 1
        ? { source_type: 'image_base64', ...items[0]! }
        : { source_type: 'multiple_image_base64', items, index: 0 }
    return { ...pin, media_source: source }
  })
}

const isFilled = (value: unknown) => Array.isArray(value) && value.length > 0

/** A video has exactly one cover. The time is in seconds. */
const coverOf = ({ fields: { coverUrl, coverTimestampSeconds } }: Act) =>
  coverUrl ? { cover_image_url: coverUrl } : { cover_image_key_frame_time: coverTimestampSeconds }
