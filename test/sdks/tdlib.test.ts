import fc, { type Arbitrary } from 'fast-check'
import t from 'tap'
import { telegramMarkup } from '../../src/platforms/telegram/markup.ts'
import { asStored } from '../../src/platforms/telegram/stored-text.ts'
import { importPackage } from './sdk.ts'

/*
 * Telegram's Bot API reads markup by TDLib: get_formatted_text in
 * https://github.com/tdlib/telegram-bot-api/blob/master/telegram-bot-api/Client.cpp. These calls of it need no account.
 */

type Mode = keyof typeof telegramMarkup

const MODES = {
  HTML: { _: 'textParseModeHTML' },
  MarkdownV2: { _: 'textParseModeMarkdown', version: 2 },
  Markdown: { _: 'textParseModeMarkdown', version: 1 },
}

const SEED = Number(process.env.SEED ?? 28)
const TEXTS = Number(process.env.TEXTS ?? 5000)

const { configure, execute } = await importPackage('tdl')
const { getTdjson } = await importPackage('prebuilt-tdlib')
configure({ tdjson: getTdjson(), verbosityLevel: 0 })

interface Formatted {
  text: string
  entities: { offset: number; length: number }[]
}

/** Parses a text with markup as TDLib does. Returns its error if it refuses the text. */
function parse(text: string, mode: Mode): Formatted | { message: string } {
  try {
    return execute({ _: 'parseTextEntities', text, parse_mode: MODES[mode] })
  } catch (error) {
    return error as Error
  }
}

/** A text as TDLib cleans it before it is sent. The letter keeps it from removing white space alone. */
const clean = (text: string): string =>
  execute({ _: 'getMarkdownText', text: { _: 'formattedText', text: `${text}x`, entities: [] } }).text.slice(0, -1)

/** fix_formatted_text of TDLib trims: at the start up to the first entity, of which characters are left. */
function trim({ text, entities }: Formatted): string {
  const starts = entities
    .map(({ offset, length }) => [offset, offset + length].map((end) => clean(text.slice(0, end)).length))
    .filter(([start, end]) => start! < end!)
    .map(([start]) => start!)
  const leading = /^[ \n]*/.exec(clean(text))![0].length
  return clean(text).trimEnd() === ''
    ? ''
    : clean(text)
        .slice(Math.min(leading, ...starts))
        .replace(/[ \n]+$/, '')
}

/** Texts without a visible character are empty. TDLib says so only when it sends them. */
const isInvisible = (text: string) => /^[\s\p{Cf}\u180E\u2800\uFFFC\u{E0000}-\u{E007F}]*$/u.test(text)

const COMMON = [
  ...[
    'a',
    'b c',
    ' ',
    '\n',
    '\r',
    '\t',
    '\r\n',
    'é',
    '👍',
    '👨‍👩‍👧',
    'क्ष',
    '\u200B',
    '\u2028',
    '\u202E',
    'A\u030A',
    '\u0333',
  ],
  ...[
    '\u200E',
    '\u200F',
    '.',
    '!',
    '-',
    '(',
    ')',
    '1.2',
    '\uFEFF',
    '\u3000',
    '\u2800',
    '{',
    '}',
    '=',
    '+',
    '#',
    '|',
    '>',
    '\\',
  ],
]

const MARKUP: Record<Mode, string[]> = {
  HTML: [
    ...[
      '<b>',
      '</b>',
      '<i>',
      '</i>',
      '<a href="http://a.b">',
      '<a href=x.y>',
      '<a>',
      '</a>',
      '</>',
      '<span>',
      '</span>',
    ],
    ...['<span class="tg-spoiler">', '<tg-emoji emoji-id="5">', '</tg-emoji>', '<tg-emoji emoji-id=x>', '<p>', '<br/>'],
    ...[
      '<tg-time unix=5 format="tT">',
      '</tg-time>',
      '<pre>',
      '</pre>',
      '<code class="language-x">',
      '</code>',
      '<B >',
    ],
    ...[
      '<blockquote expandable>',
      '</blockquote>',
      '</B >',
      '&lt;',
      '&lt',
      '&gt;',
      '&amp;',
      '&ampx',
      '&quot;',
      '&nbsp;',
    ],
    ...[
      '&#65;',
      '&#x41;',
      '&#x1F600',
      '&#13;',
      '&#0;',
      '&#xD800;',
      '&#10;',
      '<',
      '</',
      '&',
      '&#',
      '"',
      "'",
      '=',
      '<b x=">',
    ],
  ],
  MarkdownV2: [
    ...[
      '*',
      '_',
      '__',
      '~',
      '||',
      '`',
      '```',
      '[',
      '](',
      '](http://a.b/c)',
      ')',
      '](tg://user?id=5)',
      '](bad)',
      '![',
      ']',
    ],
    ...[
      '](tg://emoji?id=12)',
      '](tg://time?unix=12&format=tT)',
      '\n>',
      '**>',
      '\\.',
      '\\!',
      '\\-',
      '\\*',
      '||\n',
      '```py\n',
    ],
  ],
  Markdown: [
    ...['*', '_', '`', '```', '[', '](', '](http://a.b/c)', ')', '](bad)', ']', '```py\n', '\\*', '\\_', '\\`', '\\['],
  ],
}

const PAIRS: Record<Mode, [string, string][]> = {
  HTML: [
    ...tags('b', 'i', 'u', 's', 'code', 'pre', 'blockquote', 'a', 'a href="http://a.b/"', 'a href="bad"'),
    ...tags('span class="tg-spoiler"', 'tg-emoji emoji-id="77"', 'tg-time unix="77"'),
  ],
  MarkdownV2: [
    ...signs('*', '_', '__', '~', '||', '`'),
    ...([
      ['```\n', '```'],
      ['[', '](http://a.b)'],
      ['[', '](nope)'],
      ['[', ']'],
    ] as [string, string][]),
    ...([
      ['![', '](tg://emoji?id=9)'],
      ['\n>', '\n'],
      ['>', '||\n'],
    ] as [string, string][]),
  ],
  Markdown: [...signs('*', '_', '`'), ['```\n', '```'], ['[', '](http://a.b)'], ['[', ']']],
}

function tags(...starts: string[]): [string, string][] {
  return starts.map((start) => [`<${start}>`, `</${start.split(' ')[0]}>`])
}
function signs(...marks: string[]): [string, string][] {
  return marks.map((mark) => [mark, mark])
}

const escapeMarkup = (text: string, mode: Mode) => {
  if (mode === 'HTML') return text.replaceAll('<', '&lt;')
  return text.replaceAll(mode === 'Markdown' ? /[_*`[]/g : /[_*[\]()~`>#+\-=|{}.!\\]/g, '\\$&')
}

/** Most are valid: entities around texts that are escaped. Others are parts of markup in any order. */
function textsOf(mode: Mode): Arbitrary<string> {
  const { balanced } = fc.letrec<{ balanced: string; entity: string }>((tie) => ({
    balanced: fc
      .array(
        fc.oneof(
          { depthSize: 'small' },
          fc.constantFrom(...COMMON).map((part) => escapeMarkup(part, mode)),
          tie('entity'),
        ),
        {
          maxLength: 5,
        },
      )
      .map((parts) => parts.join('')),
    entity: fc
      .tuple(fc.constantFrom(...PAIRS[mode]), tie('balanced'))
      .map(([[start, end], text]) => start + text + end),
  }))
  const mixed = fc.array(fc.constantFrom(...COMMON, ...MARKUP[mode]), { maxLength: 12 }).map((parts) => parts.join(''))
  const texts = fc.oneof({ weight: 2, arbitrary: balanced }, { weight: 1, arbitrary: mixed })
  // TDLib cuts the address of such a link inside of a character, and ends the process when it returns it.
  return mode === 'Markdown' ? texts.filter((text) => !/\[[^\]]*[^\0-\x7F][^\]]*\](?!\()/.test(text)) : texts
}

for (const mode of Object.keys(MODES) as Mode[]) {
  t.test(`${TEXTS} random texts in ${mode} are refused or shortened as by TDLib`, async (t) => {
    let refused = 0
    const property = fc.property(textsOf(mode), (text) => {
      const expected = parse(text, mode)
      const parsed = telegramMarkup[mode](text)
      if ('message' in expected) refused++
      const said = 'message' in expected ? 'refused' : trim(expected)
      const found = 'problem' in parsed ? 'refused' : parsed.text
      if (found !== said && !(found === '' && isInvisible(said))) {
        throw new Error(`expected ${JSON.stringify(expected)}, got ${JSON.stringify(parsed)}`)
      }
      const [, offset] = ('message' in expected && / byte offset (\d+)/.exec(expected.message)) || []
      if (offset === undefined || 'text' in parsed) return
      const found_ = Buffer.byteLength(text.slice(0, parsed.index))
      if (found_ !== Number(offset)) throw new Error(`expected offset ${offset}, got ${found_}: ${parsed.problem}`)
    })
    fc.assert(property, { seed: SEED, numRuns: TEXTS })
    t.ok(refused > TEXTS / 20 && refused < TEXTS * 0.8, `${refused} are refused`)
  })
}

t.test(`${TEXTS} random texts without markup are shortened as by TDLib`, async (t) => {
  const parts = fc.oneof(fc.constantFrom(...COMMON), fc.string({ unit: 'binary', maxLength: 3 }))
  const texts = fc.array(parts, { maxLength: 12 }).map((list) => list.join(''))
  const property = fc.property(texts, (text) => {
    const expected = trim({ text, entities: [] })
    const found = asStored(text)
    if (found !== expected && !(found === '' && isInvisible(expected))) {
      throw new Error(`expected ${JSON.stringify(expected)}, got ${JSON.stringify(found)}`)
    }
  })
  t.doesNotThrow(() => fc.assert(property, { seed: SEED, numRuns: TEXTS }))
})
