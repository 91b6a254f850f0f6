type State = keyof typeof EXPECTED

/** The parts that may follow, by what precedes them. */
const EXPECTED = {
  value: 'a value',
  firstItem: 'a value or ]',
  key: 'a key in double quotes',
  firstKey: 'a key in double quotes or }',
  colon: ':',
  comma: ', or the end of the object or list',
  end: 'the end of the body',
}

const SCALAR = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[Ee][+-]?\d+)?/y
const ESCAPE = /\\(?:["\\/bfnrt]|u[\dA-Fa-f]{4})/y
const BYTE_ORDER_MARK = '\ufeff'

/** A mistake, by the index of its character. */
interface Mistake {
  at: number
  message: string
}

/**
 * Says where a text that is not JSON has its first mistake, and how to mend it. V8 names the place of some mistakes
 * only, and repeats parts of the text. Not recursive: a body may be a million brackets.
 */
export function describeMistake(text: string): string {
  const { at, message } = findMistake(text)
  const lineStart = text.lastIndexOf('\n', at - 1) + 1
  let line = 1
  for (let end = text.indexOf('\n'); end >= 0 && end < at; end = text.indexOf('\n', end + 1)) line++
  return `line ${line}, column ${at - lineStart + 1}: ${message}`
}

function findMistake(text: string): Mistake {
  const open: string[] = []
  let state: State = 'value'
  let at = 0
  const afterValue = () => (open.length > 0 ? 'comma' : 'end')
  for (;;) {
    while (isSpace(text.charCodeAt(at))) at++
    const character = text[at]
    if (character === '"' && (state === 'key' || state === 'firstKey')) {
      const end = endOfString(text, at)
      if (typeof end !== 'number') return end
      at = end
      state = 'colon'
    } else if (character === ':' && state === 'colon') {
      at++
      state = 'value'
    } else if (character === ',' && state === 'comma') {
      at++
      state = open.at(-1) === '{' ? 'key' : 'value'
    } else if (
      (character === '}' && open.at(-1) === '{' && (state === 'comma' || state === 'firstKey')) ||
      (character === ']' && open.at(-1) === '[' && (state === 'comma' || state === 'firstItem'))
    ) {
      at++
      open.pop()
      state = afterValue()
    } else if (state !== 'value' && state !== 'firstItem') {
      return unexpected(text, at, state)
    } else if (character === '{' || character === '[') {
      at++
      open.push(character)
      state = character === '{' ? 'firstKey' : 'firstItem'
    } else {
      const end = character === '"' ? endOfString(text, at) : endOfScalar(text, at)
      if (end === undefined) return unexpected(text, at, state)
      if (typeof end !== 'number') return end
      at = end
      state = afterValue()
    }
  }
}

const isSpace = (code: number) => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09

function endOfScalar(text: string, start: number): number | undefined {
  SCALAR.lastIndex = start
  return SCALAR.test(text) ? SCALAR.lastIndex : undefined
}

/** The index after the string that begins at `start`, or the mistake in it. */
function endOfString(text: string, start: number): number | Mistake {
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 0x22) return at + 1
    if (code < 0x20) return { at, message: `${nameOf(text[at]!)} in a text: escape it, a line break as \\n` }
    if (code !== 0x5c) continue
    ESCAPE.lastIndex = at
    if (!ESCAPE.test(text)) return { at, message: 'unknown escape: write \\ as \\\\' }
    at = ESCAPE.lastIndex - 1
  }
  return { at: text.length, message: 'the body ends within a text: it was cut off, or a " is missing' }
}

function unexpected(text: string, at: number, state: State): Mistake {
  const character = text[at]
  const isAfterComma = (character === '}' && state === 'key') || (character === ']' && state === 'value')
  if (isAfterComma && text.slice(0, at).trimEnd().endsWith(',')) {
    return { at, message: `${character} after a comma: remove the comma` }
  }
  if (character === undefined) return { at, message: `the body ends, expected ${EXPECTED[state]}` }
  if (character === "'") return { at, message: `' in place of ": keys and texts need double quotes` }
  if (character === BYTE_ORDER_MARK) return { at, message: 'a byte order mark: send UTF-8 without it' }
  return { at, message: `${nameOf(character)}, expected ${EXPECTED[state]}` }
}

/** A visible ASCII character, or the number of any other. */
const nameOf = (character: string) =>
  /^[!-~]$/.test(character) ? character : `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`
