import { normalizeText } from '../rules/normal-form.ts'

/** How a status compares with a text that may have been rewritten: similar ones may be the same. */
type Likeness = 'same' | 'similar' | 'other'

/** The share of the shorter text with which both begin, from which on they are similar. */
const SIMILAR_SHARE = 0.5

/**
 * Compares the HTML of a status with the text that was sent, without tags, white space and the domains of mentions,
 * which software changes in its own way. Takes linear time.
 */
export function compareContent(html: string, sent: string): Likeness {
  const shown = normalize(html, true)
  const expected = normalize(sent, false)
  if (shown === expected) return 'same'
  const characters = [...shown]
  const others = [...expected]
  const shorter = Math.min(characters.length, others.length)
  if (shorter === 0) return 'other'
  let common = 0
  while (common < shorter && characters[common] === others[common]) common++
  return common >= shorter * SIMILAR_SHARE ? 'similar' : 'other'
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' }

function normalize(text: string, isHtml: boolean): string {
  const plain = isHtml ? decode(text.replace(/<[^<>]*>/g, '')) : text.replace(/<[^<>]*>/g, '')
  const compared = plain.replace(/@([\w.-]{1,100})@[\w.:-]{1,253}/g, '@$1').replace(/[\s\p{Cf}\p{Cc}]+/gu, '')
  return normalizeText(compared, 'NFC')
}

const decode = (text: string) =>
  text.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,6}));/gi, (whole, decimal, hex, name) => {
    if (name !== undefined) return ENTITIES[name.toLowerCase()] ?? whole
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal)
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole
  })
