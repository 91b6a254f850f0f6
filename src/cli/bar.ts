const WIDTH = 8
/** From an eighth to the whole of a character. */
const BLOCKS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉', '█']

/** A bar of up to 8 characters that shows a number beside the greatest one. A number above 0 has at least a line. */
export function bar(value: number, max: number): string {
  if (value <= 0 || max <= 0) return ''
  const eighths = Math.max(1, Math.round((value / max) * WIDTH * 8))
  return BLOCKS[8]!.repeat(Math.floor(eighths / 8)) + BLOCKS[eighths % 8]!
}
