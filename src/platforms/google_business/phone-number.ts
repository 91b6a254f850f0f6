/** Numbers that look like those of phones: dates, times, and numbers that are named as something else. */
const OTHER = [
  String.raw`\d{4}[-./]\d{1,2}[-./]\d{1,2}(?!\d)`,
  String.raw`(?<!\d)\d{1,2}(?:[./]|[-.] ?)\d{1,2}(?:[./]|[-.] ?)(?:\d{4}|\d{2})(?!\d|[ ./-]\d)`,
  String.raw`\d{1,2}[:.h]\d{2}(?!\d)(?:\s?(?:[-–—]|to|bis)\s?\d{1,2}[:.h]\d{2}(?!\d))?`,
  String.raw`(?:#|№|\b(?:order|no|nr|number|nummer|ref|reference|code|sku|isbn|ean|gtin|iban|item|article|artikel|bestellung|invoice)\b[.:#\s]{0,3})[A-Z]{0,4}\d[\dA-Z /-]{3,40}`,
  String.raw`[$€£¥]\s?\d[\d., ]*`,
]

const SEPARATOR = '[ \\u00A0./-]{0,2}'

const PHONE = [
  // An international number.
  String.raw`\+\d{1,3}${SEPARATOR}(?:\(\d{1,4}\)${SEPARATOR})?\d(?:${SEPARATOR}\d){5,12}`,
  // An area code in parentheses, such as (020) 7946 0018.
  String.raw`\(\d{2,5}\)${SEPARATOR}\d(?:${SEPARATOR}\d){4,9}`,
  // A national number with a trunk prefix, such as 030 1234567 and 01 23 45 67 89.
  String.raw`0\d(?:${SEPARATOR}\d){7,10}`,
  // A number of North America.
  String.raw`(?:1[ .-])?[2-9]\d{2}[ .-][2-9]\d{2}[ .-]\d{4}`,
  // Any other number after a word that announces one.
  String.raw`(?:\b(?:tel|tél|teléfono|telefon|telephone|phone|fon|call|mobile|mobil|whatsapp)\b|[☎📞📱])[^\d\n]{0,15}\d(?:${SEPARATOR}\d){5,12}`,
]

const NUMBER = new RegExp(
  `(?:${OTHER.join('|')})|(?<![\\p{L}\\p{N}_.,/-]|\\d[ \\u00A0])(?<phone>${PHONE.join('|')})(?![\\p{L}\\p{N}_])`,
  'giu',
)

/**
 * The first phone number of a text. Google names no form of those that it refuses, so this finds the usual ones. Takes
 * linear time: every repetition is bounded.
 */
export function findPhoneNumber(text: string): string | undefined {
  for (const { groups } of text.matchAll(NUMBER)) {
    if (groups!.phone !== undefined) return groups!.phone
  }
  return undefined
}
