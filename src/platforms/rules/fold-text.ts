import { normalizeText } from './normal-form.ts'

/*
 * Texts as searches compare them, whatever their case, accents, points and width. The rule is here, because not every
 * server of Postgres has ICU and the extension unaccent. A change of it needs another WORDS_RULE, and a migration that
 * empties media.search_text: workers write both again.
 */

/** Signs that make another letter: viramas, and the voiced sound marks of kana. */
const LETTER_SIGNS = String.raw`[\u094d\u09cd\u0a4d\u0acd\u0b4d\u0bcd\u0c4d\u0ccd\u0d4d\u0dca\u0f84\u1039\u103a\u17d2\u1b44\ua9c0\u3099\u309a]`

/**
 * Accents, points and tones, which are written or left out; the Arabic elongation; and characters that do not show, as
 * a soft hyphen does not. Vowel signs stay: without them, most syllables are others.
 */
const IGNORED = new RegExp(
  String.raw`[[\p{Me}\p{Default_Ignorable_Code_Point}\u0640[\p{M}&&[\p{Diacritic}\p{scx=Arab}\p{scx=Hebr}\p{scx=Syrc}\u0300-\u036f]]]--${LETTER_SIGNS}]`,
  'gv',
)

/** Letters that Unicode does not decompose, each before the letters that stand for it on other keyboards. */
const LETTERS = new Map(
  Array.from(
    'æae œoe øo łl đd ðd þth ħh ŧt ŋn ĸk əe ɛe ɔo ɓb ƀb ƈc ɖd ɗd ƒf ɠg ǥg ɨi ƙk ƚl ɲn ɵo ƥp ƭt ʉu ʋv ƴy ƶz ςσ ٱا'.split(
      ' ',
    ),
    ([letter, ...others]) => [letter!, others.join('')] as const,
  ),
)
const UNDECOMPOSED = new RegExp(`[${[...LETTERS.keys()].join('')}]`, 'gu')

/** Texts of 65,536 characters, which Korean has three times when it is decomposed. Some characters become eighteen. */
const DECOMPOSED_MAX = 3 * 65_536

/** The letters alone. Lower case after upper case is Unicode's case folding: ß and ẞ become ss, and ı becomes i. */
export function foldText(text: string): string {
  const letters = normalizeText(text, 'NFKD')
    .slice(0, DECOMPOSED_MAX)
    .replace(IGNORED, '')
    .toLowerCase()
    .toUpperCase()
    .toLowerCase()
    .replace(UNDECOMPOSED, (letter) => LETTERS.get(letter)!)
  return normalizeText(letters, 'NFKC')
}
