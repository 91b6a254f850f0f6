import type { PostTexts } from '../../../db/queries/posts/words.ts'
import { foldText } from '../../platforms/rules/fold-text.ts'

/*
 * Searches compare words, whatever their case, accents, points and width. Scripts without spaces have no words that a
 * program could tell apart: there, each pair of neighbouring characters is one, and each character. An emoji is a word.
 * A change of the rule needs another WORDS_RULE, so that workers write the words of existing posts again.
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
/** The characters of all texts of a post that are searched. */
const TEXT_MAX = 65_536

interface Run {
  characters: string[]
  isUnspaced: boolean
}

const runsOf = (text: string): Run[] =>
  Array.from(foldText(text).matchAll(RUN), ({ 0: run, groups }) => ({
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
