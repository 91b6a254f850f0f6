import fc from 'fast-check'
import { type form, jpeg } from '../../helpers/upload.ts'
import type { Expected } from './mutations.ts'
import { valid } from './values.ts'

/** Few and small: a long run uploads and deletes them all the time. */
export const IMAGES = await Promise.all(Array.from({ length: 16 }, (_, index) => jpeg(40, 30, index * 16)))

type Parts = Parameters<typeof form>[0]

/** Upload forms, valid ones and ones with a single error. */
export const forms = fc
  .record({
    image: fc.nat({ max: IMAGES.length - 1 }),
    altText: fc.option(
      valid({ type: 'string', maxLength: 5_000 }).map((text) => String(text).replace(/\r\n?|\n/g, ' ')),
    ),
    kind: fc.constantFrom('valid', 'valid', 'no file', 'unknown', 'twice', 'NUL', 'too long', 'no image', 'no form'),
  })
  .map(({ image, altText, kind }) => {
    const file: Parts[number] = ['file', IMAGES[image]!]
    const parts: Parts = [file, ...(altText === null ? [] : [['altText', altText] satisfies Parts[number]])]
    const withAltText = (text: string): Parts => [['altText', text], file]
    const cases: Record<string, [Parts, Expected]> = {
      valid: [parts, 'valid'],
      'no file': [parts.slice(1), { code: 'invalid_type', path: ['file'] }],
      unknown: [[['unknown', 'a'], ...parts], { code: 'unrecognized_keys', path: [], keys: ['unknown'] }],
      twice: [[file, ...parts], { code: 'custom', path: ['file'] }],
      NUL: [withAltText('a\0'), { code: 'custom', path: ['altText'] }],
      'too long': [withAltText('a'.repeat(5_001)), { code: 'too_big', path: ['altText'] }],
      'no image': [[['file', Buffer.from('<html>')]], 'valid'],
      'no form': [parts, { code: 'invalid_content_type', path: [] }],
    }
    return { what: kind, parts: cases[kind]![0], expected: cases[kind]![1] }
  })
