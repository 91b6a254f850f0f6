import { isEmojiOrTime, isLink } from './links.ts'
import { type Invalid, invalid, type Mark, PlainText, readAt } from './plain-text.ts'

/*
 * The two kinds of Markdown that Telegram reads, by parse_markdown_v2 and parse_markdown of
 * https://github.com/tdlib/td/blob/master/td/telegram/MessageEntity.cpp. Both take linear time.
 */

type Sign = '*' | '_' | '__' | '~' | '||' | '`' | '```' | '[' | '![' | '>'

/** An entity that has begun. */
interface Open {
  sign: Sign
  /** The index of the sign in the text with markup. */
  index: number
  start: Mark
  isInLink: boolean
}

/** Text that is not markup. A carriage return is read alone, since a quotation may begin after it. */
const TEXT = /[^\\\r_*[\]()~`>#+\-=|{}.!\n]+|\r/y
const CODE = /[^\\\r`]+|\r/y

/**
 * https://core.telegram.org/bots/api#markdownv2-style. One loop with the steps of TDLib's in their order, so that both
 * can be read side by side.
 */
export function parseMarkdownV2(written: string): PlainText | Invalid {
  const plain = new PlainText()
  const open: Open[] = []
  let isInQuote = false
  let isLineStart = true
  let last = ''
  /** A line break in code does not count: no quotation begins after it. */
  const append = (part: string, isBreak = part === '\n') => {
    plain.append(part)
    last = part.at(-1)!
    if (part !== '\r') isLineStart = isBreak
  }

  for (let index = 0; index < written.length; index++) {
    let entity = open.at(-1)
    const run = readAt(entity?.sign.startsWith('`') ? CODE : TEXT, written, index)
    if (run !== '') {
      append(run, false)
      index += run.length - 1
      continue
    }
    if (isEscape(written, index)) {
      append(written[++index]!)
      continue
    }
    const character = written[index]!
    if (character === '\\') {
      append(character)
      continue
    }

    const endsQuote = isInQuote && character === '\n' && written[index + 1] !== '>'
    if (!entity || !(endsQuote || ends(entity.sign, written, index))) {
      const sign = readSign(written, index)
      if (character === '\n') append(character)
      else if (!sign || (sign === '>' && !isLineStart)) return invalid(index, reserved(character))
      else if (sign !== '>' || !isInQuote) {
        open.push({ sign, index, start: plain.end, isInLink: entity?.sign === '[' || entity?.isInLink === true })
        if (sign === '>') isInQuote = true
        index += sign.length - 1
        if (sign === '```') index = findCodeStart(written, index + 1) - 1
      }
      continue
    }

    // At the end of a quotation, "||" makes it expandable.
    if (endsQuote && entity.sign !== '>') {
      const distance = index - entity.index
      const isEmpty = distance === 2 || (distance === 3 && last === '\r')
      if (entity.sign !== '||' || !isEmpty) return notClosed(entity)
      open.pop()
      entity = open.at(-1)!
      if (entity.sign !== '>') return notClosed(entity)
    }
    open.pop()
    if (entity.sign === '>') {
      isInQuote = false
      append('\n')
    } else if (entity.sign === '[' || entity.sign === '![') {
      const url = readUrl(written, index + 1, true)
      if (url === undefined) return invalid(index + 2, 'the address does not end: add ")", or write "\\(" before it')
      if (entity.sign === '![' && !isEmojiOrTime(url?.address ?? '')) {
        const expected = 'such as ![👍](tg://emoji?id=5368324170671202286) or ![now](tg://time?unix=1647531900)'
        return invalid(entity.index, `"![" begins a custom emoji or a time, ${expected}: write "\\!" for the character`)
      }
      index = url?.end ?? index
      if (entity.sign === '[' && !hasLink(plain, entity, url)) continue
    } else index += entity.sign.length - 1
    plain.addEntity(entity.start)
  }

  if (isInQuote) {
    const last = open.at(-1)!
    if (last.sign === '||' && last.index === written.length - 2) open.pop()
    if (open.at(-1)?.sign === '>') plain.addEntity(open.pop()!.start)
  }
  return open.length > 0 ? notClosed(open.at(-1)!) : plain
}

const reserved = (character: string) => `"${character}" is reserved, write "\\${character}"`

const notClosed = ({ sign, index }: Open) =>
  invalid(index, `"${sign}" is not closed: add "${sign.replace(/!?\[/, ']')}", or write "\\${sign[0]}"`)

/** A backslash makes any ASCII character but DEL a plain one. */
function isEscape(written: string, index: number): boolean {
  const next = written.charCodeAt(index + 1)
  return written[index] === '\\' && next > 0 && next < 0x7f
}

function ends(sign: Sign, written: string, index: number): boolean {
  switch (sign) {
    case '>':
      return false
    case '[':
    case '![':
      return written[index] === ']'
    case '_':
      return written[index] === '_' && written[index + 1] !== '_'
    default:
      return written.startsWith(sign, index)
  }
}

/** The sign that begins an entity at `index`. */
function readSign(written: string, index: number): Sign | undefined {
  const signs: Sign[] = ['__', '_', '*', '~', '||', '```', '`', '![', '[', '>']
  return signs.find((sign) => written.startsWith(sign, index))
}

/** Finds the start of the content of a block of code: after its language and one line break. */
function findCodeStart(written: string, from: number): number {
  const languageEnd = from + readAt(LANGUAGE, written, from).length
  const hasLanguage = languageEnd > from && languageEnd < written.length && written[languageEnd] !== '`'
  const start = hasLanguage ? languageEnd : from
  return start + readAt(LINE_BREAK, written, start).length
}
const LANGUAGE = /[^ \t\r\n\v`]*/y
const LINE_BREAK = /(?:\r\n|\n\r|\r|\n|)/y

interface Url {
  address: string
  /** The index of its last character. */
  end: number
}

/** The address in parentheses at `from`; null if no address follows, undefined if it has no end. */
function readUrl(written: string, from: number, hasEscapes: boolean): Url | null | undefined {
  if (written[from] !== '(') return null
  let address = ''
  let end = from + 1
  for (; end < written.length && written[end] !== ')'; end++) {
    if (hasEscapes && isEscape(written, end)) end++
    address += written[end]
  }
  return end < written.length || !hasEscapes ? { address, end } : undefined
}

/** Whether Telegram makes a link of the text since `start`. If it has no address, the text is the address. */
function hasLink(plain: PlainText, { start, isInLink }: Pick<Open, 'start' | 'isInLink'>, url: Url | null): boolean {
  // If a link is inside of another one, only the outer one counts. This way, each text is read once.
  if (!url && isInLink) return false
  const address = url?.address ?? plain.since(start)
  const isAlive = isLink(address)
  if (!isAlive) plain.deadLinks.push(address)
  return isAlive
}

const LEGACY_TEXT = /(?:[^\\_*`[]|\\(?![_*`[]))+/y

/** https://core.telegram.org/bots/api#markdown-style, "Markdown" in the API. Entities cannot be nested. */
export function parseMarkdown(written: string): PlainText | Invalid {
  const plain = new PlainText()
  for (let index = 0; index < written.length; index++) {
    const run = readAt(LEGACY_TEXT, written, index)
    if (run !== '') {
      plain.append(run)
      index += run.length - 1
      continue
    }
    const character = written[index]!
    if (character === '\\') {
      plain.append(written[++index]!)
      continue
    }
    const isBlock = written.startsWith('```', index)
    const start = isBlock ? findCodeStart(written, index + 3) : index + 1
    const sign = isBlock ? '```' : character
    const closing = character === '[' ? ']' : sign
    const end = written.indexOf(closing, start)
    if (end < 0) return invalid(index, `"${sign}" is not closed: add "${closing}", or write "\\${character}"`)
    index = end + closing.length - 1
    if (start === end) continue
    const mark = plain.end
    plain.append(written.slice(start, end))
    const url = (character === '[' && readUrl(written, end + 1, false)) || null
    index = url?.end ?? index
    if (character !== '[' || hasLink(plain, { start: mark, isInLink: false }, url)) plain.addEntity(mark)
  }
  return plain
}
