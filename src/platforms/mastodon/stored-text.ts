/**
 * A text as Mastodon stores and counts it: without the white space of ASCII at both ends (`strip` in
 * https://github.com/mastodon/mastodon/blob/main/app/models/status.rb), and empty if it has nothing but white space.
 */
export function asStored(text: string): string {
  if (/^\p{White_Space}*$/u.test(text)) return ''
  let start = 0
  while (isStripped(text, start)) start++
  return withoutEnd(text.slice(start))
}

/** A text without white space of ASCII at its end. */
export function withoutEnd(text: string): string {
  let end = text.length
  while (end > 0 && isStripped(text, end - 1)) end--
  return text.slice(0, end)
}

/** https://docs.ruby-lang.org/en/3.4/String.html#class-String-label-Whitespace+in+Strings */
const isStripped = (text: string, index: number) => ' \t\n\v\f\r\0'.includes(text[index]!)
