import type { Act, Sent } from '../contract/adapter.ts'
import { normalizeText } from '../rules/normal-form.ts'
import { object, optional, TEXT } from '../wire/answer.ts'
import { at, textAt } from '../wire/json.ts'
import { earliestCreation } from '../wire/lost-response.ts'
import { type Client, isId, sentOf } from './client.ts'
import { type PinTexts, placeOf, textsOf } from './pin.ts'

/** Pages of 250 pins each. All are read, because no page says in which order pins are listed. */
const PAGES_MAX = 4

/** A pin as far as it is compared. */
const PIN = object({
  id: TEXT,
  created_at: optional(TEXT),
  title: optional(TEXT),
  description: optional(TEXT),
  link: optional(TEXT),
  alt_text: optional(TEXT),
})

/**
 * The pins that an act may have made: those on its board, or in its section, that were created since its first attempt
 * and have its texts. None if it has no texts, because nothing else tells one pin from another.
 */
export async function findPins(client: Client, act: Act): Promise<Sent[]> {
  const texts = textsOf(act)
  if (!Object.values(texts).some((text) => text !== undefined)) return []
  const { boardId, sectionId } = placeOf(act)
  const path = sectionId ? `/boards/${boardId}/sections/${sectionId}/pins` : `/boards/${boardId}/pins`
  const since = earliestCreation(act)
  const isNew = (pin: unknown) => createdAt(pin) >= since
  const pins = await client.list(path, PIN, PAGES_MAX)
  return pins
    .filter((pin) => isNew(pin) && isOwn(pin) && isIn(pin, sectionId) && isShown(pin, act) && hasTexts(pin, texts))
    .flatMap((pin) => {
      const id = textAt(pin, 'id')
      return isId(id) ? [sentOf(id)] : []
    })
}

/** In UTC, with or without a `Z`. NaN if it is missing: such a pin may be older than the act. */
function createdAt(pin: unknown): number {
  const time = textAt(pin, 'created_at') ?? ''
  return Date.parse(/(?:Z|[+-]\d\d:?\d\d)$/.test(time) ? time : `${time}Z`)
}

/** A group board has pins of others. */
const isOwn = (pin: unknown) => at(pin, 'is_owner') !== false

const isIn = (pin: unknown, sectionId: string | undefined) => textAt(pin, 'board_section_id') === sectionId

function isShown(pin: unknown, { media }: Act): boolean {
  const type = textAt(pin, 'media', 'media_type')
  const expected = media[0]?.kind === 'video' ? 'video' : media.length > 1 ? 'multiple_images' : 'image'
  return type === undefined || type === expected
}

/** Pinterest may describe an image by itself, so that an alt text counts only if the act has one. */
const hasTexts = (pin: unknown, { title, description, link, altText }: PinTexts): boolean =>
  isSame(textAt(pin, 'title'), title) &&
  isSame(textAt(pin, 'description'), description) &&
  isSame(textAt(pin, 'link')?.replace(/\/$/, ''), link?.replace(/\/$/, '')) &&
  (altText === undefined || isSame(textAt(pin, 'alt_text'), altText))

const isSame = (shown = '', sent = '') => comparable(shown) === comparable(sent)

const comparable = (text: string) => normalizeText(text, 'NFC').replaceAll(/\s+/g, ' ').trim()
