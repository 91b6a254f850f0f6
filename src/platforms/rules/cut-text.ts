import type { TextRule } from '../contract/limits.ts'
import { countLength, segmenter } from './text-length.ts'

/** Units that count a text as the sum of its graphemes. */
type Limits = Pick<TextRule, 'lengthMax' | 'bytesMax'> & { unit: 'code points' | 'graphemes' | 'UTF-16 units' }

/** The beginning of a text that is within the limits. No grapheme is cut apart. */
export function cutText(text: string, { lengthMax, unit, bytesMax = Number.POSITIVE_INFINITY }: Limits): string {
  // No character has more than three bytes for each UTF-16 unit.
  if (text.length <= lengthMax && 3 * text.length <= bytesMax) return text
  let length = 0
  let bytes = 0
  for (const { segment, index } of segmenter.segment(text)) {
    length += unit === 'graphemes' ? 1 : countLength(segment, unit)
    bytes += Buffer.byteLength(segment)
    if (length > lengthMax || bytes > bytesMax) return text.slice(0, index)
  }
  return text
}
