/** One line: a text with several would look like other lines of the output. */
export const toLine = (text: string): string => text.replace(/\s+/gu, ' ').trim()

/** One line of at most `lengthMax` characters. */
export function shorten(text: string, lengthMax: number): string {
  const line = toLine(text)
  const characters = [...line]
  return characters.length > lengthMax ? `${characters.slice(0, lengthMax - 1).join('')}…` : line
}
