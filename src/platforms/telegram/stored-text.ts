/*
 * Telegram's changes to a text before it counts and stores it: fix_formatted_text in
 * https://github.com/tdlib/td/blob/master/td/telegram/MessageEntity.cpp, and clean_input_string, is_empty_string and
 * replace_offending_characters in https://github.com/tdlib/td/blob/master/td/telegram/misc.cpp.
 */

/** The limit of a text as it is sent: get_formatted_text in https://github.com/tdlib/telegram-bot-api (Client.cpp). */
export const TEXT_BYTES_MAX = 32_768

const REMOVED = /\r|\u030A|\u0333|\u033F|[\u2028-\u202E]/g
/** Control characters that become spaces. A line feed stays. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: Telegram replaces them
const CONTROL = /[\0-\x09\x0B-\x1F]/g
/** A mark of direction that another one follows becomes a zero-width non-joiner. */
const REPEATED_MARK = /[\u200E\u200F](?=[\u200E\u200F])/g
const BLANK = /^[ \n\u00A0\u1680\u180E\u2000-\u200F\u202E\u202F\u205F\u2800\u3000\uFEFF\uFFFC\u{E0000}-\u{E007F}]*$/u

/** Those of the removed characters that readers would miss: marks of letters, and line breaks. */
export const findRemoved = (text: string): string[] => [...new Set(text.match(/\u030A|\u0333|\u033F|[\u2028\u2029]/g))]

/** The text that Telegram stores; empty if it shows nothing. White space inside of the first entity stays. */
export function asStored(text: string, firstEntity = Number.POSITIVE_INFINITY): string {
  const cleaned = text.replace(REMOVED, '').replace(CONTROL, ' ').replace(REPEATED_MARK, '\u200C')
  let end = cleaned.length
  while (end > 0 && isSpace(cleaned[end - 1])) end--
  let start = 0
  while (start < Math.min(end, firstEntity) && isSpace(cleaned[start])) start++
  const stored = cleaned.slice(start, end)
  return BLANK.test(stored) ? '' : stored
}

const isSpace = (character: string | undefined) => character === ' ' || character === '\n'

/** The number of UTF-16 units that Telegram keeps. */
export const countKept = (characters: string): number => characters.replace(REMOVED, '').length
