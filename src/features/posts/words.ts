import type { PostTexts } from '../../../db/queries/posts/words.ts'
import { normalizeText } from '../../platforms/rules/normal-form.ts'

/*
 * Searches compare words, whatever their case, accents, points and width. Scripts without spaces have no words that a
 * program could tell apart: there, each pair of neighbouring characters is one, and each character. An emoji is a word.
 * The rule is here, because not every server of Postgres has ICU and the extension unaccent. A change of it needs
 * another WORDS_RULE, so that workers write the words of existing posts again.
 */

/** Scripts that are written without spaces, and Korean, whose particles are written without. */
const UNSPACED = String.raw`[[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}]&&[\p{L}\p{M}\p{N}]]`
const RUN = new RegExp(
  String.raw`(?<unspaced>${UNSPACED}+)|\p{Extended_Pictographic}|\p{RI}{2}|[[\p{L}\p{M}\p{N}]--${UNSPACED}]+`,
  'gv',
)

/** Longer words are compared by their beginning. An entry of the index has a limit of its own. */
const WORD_MAX = 64
/** A post of 1 MiB would have a hundred times as many. Its later words are not found. */
const WORDS_MAX = 5_000
/** The characters of all texts of a post that are searched. Decomposed, Korean has three times as many. */
const TEXT_MAX = 65_536

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

/** The letters alone. Lower case after upper case is Unicode's case folding: ß and ẞ become ss, and ı becomes i. */
function fold(text: string): string {
  const letters = normalizeText(text, 'NFKD')
    .slice(0, 3 * TEXT_MAX)
    .replace(IGNORED, '')
    .toLowerCase()
    .toUpperCase()
    .toLowerCase()
    .replace(UNDECOMPOSED, (letter) => LETTERS.get(letter)!)
  return normalizeText(letters, 'NFKC')
}

interface Run {
  characters: string[]
  isUnspaced: boolean
}

const runsOf = (text: string): Run[] =>
  Array.from(fold(text).matchAll(RUN), ({ 0: run, groups }) => ({
    characters: [...run],
    isUnspaced: groups!.unspaced !== undefined,
  }))

const pairsOf = (characters: string[]) => characters.slice(1).map((character, index) => characters[index] + character)

const toWord = (characters: string[]) => characters.slice(0, WORD_MAX).join('')

/** The words that a search requires. Empty if the text has neither letter nor digit nor emoji. */
export const searchedWords = (text: string): string[] => [
  ...new Set(
    runsOf(text).flatMap(({ characters, isUnspaced }) =>
      isUnspaced && characters.length > 1 ? pairsOf(characters) : [toWord(characters)],
    ),
  ),
]

/**
 * The words of a post as they are stored. The first one is the span of the user that the post is in, some days: a
 * search reads one span after the other, so that it finds the newest posts first and stops when a page is full. It has
 * a hyphen, as no word has.
 */
export function storedWords({ userId, postId, texts }: PostTexts): string[] {
  const words = new Set<string>()
  let left = TEXT_MAX
  for (const text of texts) {
    const searched = text.slice(0, left)
    left -= searched.length
    for (const { characters, isUnspaced } of runsOf(searched)) {
      const found = isUnspaced ? [...characters, ...pairsOf(characters)] : [toWord(characters)]
      for (const word of found) if (words.size < WORDS_MAX) words.add(word)
    }
  }
  return [`${userId}:${postId.slice(0, SPAN_DIGITS)}`, ...words]
}

/** The first digits of an id are milliseconds in hexadecimal. These stand for 3 days. */
const SPAN_DIGITS = 5
