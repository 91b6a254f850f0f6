import { eastAsianWidth } from 'get-east-asian-width'

const PRINTABLE_ASCII = /^[ -~]*$/
/** Emoji of one or several code points, which terminals show in two columns. */
const EMOJI = /^\p{RGI_Emoji}/v
/** Marks that join the character before them, and characters that show nothing. */
const WITHOUT_WIDTH = /^[\p{M}\p{Cf}\p{Default_Ignorable_Code_Point}]/u

const segmenter = new Intl.Segmenter()

const widthOfCharacter = (character: string): number => {
  if (WITHOUT_WIDTH.test(character)) return 0
  return EMOJI.test(character) ? 2 : eastAsianWidth(character.codePointAt(0)!)
}

/** The number of columns that a terminal needs for a text without control characters. */
export const widthOf = (text: string): number =>
  PRINTABLE_ASCII.test(text)
    ? text.length
    : [...segmenter.segment(text)].reduce((sum, { segment }) => sum + widthOfCharacter(segment), 0)

/** A text of at most `widthMax` columns: a longer one ends with an ellipsis, and no character is cut apart. */
export function cutToWidth(text: string, widthMax: number): string {
  if (widthOf(text) <= widthMax) return text
  let cut = ''
  let width = 0
  for (const { segment } of segmenter.segment(text)) {
    width += widthOfCharacter(segment)
    if (width > widthMax - 1) break
    cut += segment
  }
  return `${cut}…`
}

export const padToWidth = (text: string, width: number): string => text + ' '.repeat(Math.max(0, width - widthOf(text)))
