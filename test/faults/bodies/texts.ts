import { integers, pick } from './random.ts'

/** Repeated, these are expensive to measure, to search or to cut. */
const PIECES = [
  'a',
  ' ',
  '\n',
  '\r\n',
  'é',
  '漢',
  '\u0301',
  '\u0316\u0301\u0327',
  '🌊',
  '🇺',
  '👨\u200D',
  '👨🏻\u200D',
  '👨‍👩‍👧‍👦',
  '🏴\u{E0067}',
  '❤️\u200D🔥',
  '1️⃣',
  'क\u094D',
  'กำ',
  'http://',
  'https://a.co/(',
  'a.co?!',
  'a.',
  'a.com ',
  'a_.com',
  '漢.com ',
  '@a',
  '@a ',
  'a.a ',
  '@a@b.c.',
  '@a@b.c ',
  '#a',
  '#a ',
  ' $A',
  '<b>',
  '<',
  '&amp',
  '**',
  '`',
  '](',
  '\\',
  '"',
  '\u200B',
]

/** Parts of emoji. A random sequence of them is rarely the same as another. */
const EMOJI = [
  ...'👨👩🧑👧👦❤🔥💋🏳🏴🌈⚕🚀✈🎓🦰🐕🦺🇩🇪🇺',
  '\u200D',
  '\u200D',
  '\u200D',
  '\u200D',
  '🏻',
  '🏿',
  '\uFE0F',
  '⃣',
  '7',
]
/** Letters of scripts whose graphemes have several code points, and punctuation of links. */
const LETTERS = [...'aZé漢한각가กำक्षি\u0301\u0300\u200C\u200D.@#$/:-_( )\n', 'https://', '.com', 'xn--']

/** Emoji of two to four parts: few of them are in Unicode's list. */
function drawSequences(seed: number, bytes: number): string {
  const next = integers(seed)
  const part = () => pick(next, BASES) + pick(next, MODIFIERS)
  const parts: string[] = []
  for (let size = 0; ; ) {
    const sequence = Array.from({ length: 2 + next(4) }, part).join('\u200D')
    size += sizeOf(sequence)
    if (size > bytes) return parts.join('')
    parts.push(sequence)
  }
}

const BASES = [...'👨👩🧑👧👦❤🔥💋🏳🏴🌈⚕🚀✈🎓🦰🐕🦺🌊😀🐱🍕🧠👀🫶🎉']
const MODIFIERS = ['', '', '🏻', '🏽', '🏿', '\uFE0F']

type Text = (bytes: number) => string

const sizeOf = (text: string) => Buffer.byteLength(JSON.stringify(text)) - 2

/** A text of at most `bytes` bytes in JSON. */
function draw(seed: number, pieces: readonly string[], bytes: number): string {
  const next = integers(seed)
  const parts: string[] = []
  for (let size = 0; ; ) {
    const piece = pick(next, pieces)
    size += sizeOf(piece)
    if (size > bytes) return parts.join('').toWellFormed()
    parts.push(piece)
  }
}

/** Hostile texts by their names. */
export const texts = (seed: number): [name: string, text: Text][] => [
  ['random sequences', (bytes) => drawSequences(seed, bytes)],
  ['random emoji', (bytes) => draw(seed, EMOJI, bytes)],
  ['random letters', (bytes) => draw(seed, LETTERS, bytes)],
  ['random pieces', (bytes) => draw(seed, PIECES, bytes)],
  ...PIECES.map((piece): [string, Text] => [
    JSON.stringify(piece),
    (bytes) => piece.repeat(Math.floor(bytes / sizeOf(piece))),
  ]),
]
