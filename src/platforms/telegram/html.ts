import { isDateFormat, isEmojiId, isLink } from './links.ts'
import { type Invalid, invalid, type Mark, PlainText, readAt } from './plain-text.ts'

/*
 * Telegram's HTML, by parse_html of https://github.com/tdlib/td/blob/master/td/telegram/MessageEntity.cpp. It knows
 * fewer tags and entities than browsers: https://core.telegram.org/bots/api#html-style. Takes linear time.
 */

const TAGS = 'a b strong i em s strike del u ins tg-spoiler tg-emoji tg-time span pre code blockquote'.split(' ')

/** A tag that is open. */
interface Open {
  tag: string
  attributes: Map<string, string>
  /** The index of its "<" in the text with markup. */
  index: number
  start: Mark
  isInLink: boolean
}

const TEXT = /[^<&]+/y

export function parseHtml(written: string): PlainText | Invalid {
  const plain = new PlainText()
  const open: Open[] = []
  let surrogate: number | undefined

  for (let index = 0; index < written.length; ) {
    const run = readAt(TEXT, written, index)
    const entity = run === '' ? readEntity(written, index) : undefined
    if (run !== '') {
      plain.append(run)
      index += run.length
    } else if (entity) {
      if (/\p{Cs}/u.test(entity.character)) surrogate ??= index
      plain.append(entity.character)
      index = entity.end
    } else if (written[index] === '&') {
      plain.append('&')
      index++
    } else if (written[index + 1] === '/') {
      const end = closeTag(written, index, open, plain)
      if (typeof end !== 'number') return end
      index = end
    } else {
      const tag = readTag(written, index)
      if ('problem' in tag) return tag
      const parent = open.at(-1)
      open.push({ ...tag, index, start: plain.end, isInLink: parent?.tag === 'a' || parent?.isInLink === true })
      index = tag.end
    }
  }
  const unclosed = open.at(-1)
  if (unclosed) return invalid(unclosed.index, `<${unclosed.tag}> is not closed: add "</${unclosed.tag}>"`)
  if (surrogate !== undefined)
    return invalid(surrogate, 'the number stands for half of a character: write the character')
  return plain
}

/** Numbers, and four names. The semicolon is optional. */
const ENTITY = /&(?:#x(?<hex>[\dA-Fa-f]+)|#(?<decimal>\d+)|(?<name>[A-Za-z]+))/y
const NAMES: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"' }

function readEntity(written: string, index: number): { character: string; end: number } | undefined {
  if (written[index] !== '&') return undefined
  ENTITY.lastIndex = index
  const { 0: entity, groups } = ENTITY.exec(written) ?? { 0: '', groups: undefined }
  if (!groups) return undefined
  const end = index + entity.length
  const code = Number.parseInt(groups.hex ?? groups.decimal ?? '', groups.hex ? 16 : 10)
  const isCode = entity.length < 10 && code > 0 && code < 0x10_ffff
  const character = isCode ? String.fromCodePoint(code) : Object.hasOwn(NAMES, groups.name ?? '') && NAMES[groups.name!]
  return character ? { character, end: written[end] === ';' ? end + 1 : end } : undefined
}

const SPACES = /[ \t\r\n\v]*/y
const TAG_NAME = /[^ \t\r\n\v>]*/y
const ATTRIBUTE_NAME = /[^ \t\r\n\v=>/"']*/y
const TOKEN = /[A-Za-z\d.-]*/y

const skipSpaces = (written: string, index: number) => index + readAt(SPACES, written, index).length

/** ASCII only: other letters do not become names of tags. */
const lower = (text: string) => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())

function readTag(written: string, index: number): (Pick<Open, 'tag' | 'attributes'> & { end: number }) | Invalid {
  const tag = lower(readAt(TAG_NAME, written, index + 1))
  let end = index + 1 + tag.length
  if (end === written.length) return notEnded(index)
  if (!TAGS.includes(tag)) {
    const shown = tag.length > 20 ? `${tag.slice(0, 20).toWellFormed()}…` : tag
    return invalid(index, `tag <${shown}> is not supported, known are ${TAGS.join(', ')}: write "&lt;" for "<"`)
  }
  const attributes = new Map<string, string>()
  for (;;) {
    end = skipSpaces(written, end)
    if (written[end] === '>') break
    const name = readAt(ATTRIBUTE_NAME, written, end)
    if (name === '') return invalid(index, `tag <${tag}> has an attribute without a name: write <${tag} name="value">`)
    end = skipSpaces(written, end + name.length)
    if (end === written.length) return notEnded(index)
    if (written[end] !== '=') continue
    end = skipSpaces(written, end + 1)
    if (end === written.length) return notEnded(index)
    const value = readValue(written, end)
    if (!value) return invalid(end, `attribute ${name} of <${tag}> has to be in quotes: write ${name}="value"`)
    if (tag !== 'span' || value.text.startsWith('tg-')) attributes.set(name, value.text)
    end = value.end
    if (end === written.length) return notEnded(index)
  }
  if (tag === 'span' && !isSpoiler(attributes)) {
    return invalid(index, 'tag <span> has to be a spoiler: write <span class="tg-spoiler">')
  }
  return { tag, attributes, end: end + 1 }
}

const isSpoiler = (attributes: Open['attributes']) => attributes.get('class') === 'tg-spoiler'

const notEnded = (index: number) => invalid(index, 'the tag does not end: add ">", or write "&lt;" for "<"')

/** A value in quotes, or one of letters, digits, full stops and hyphens. */
function readValue(written: string, from: number): { text: string; end: number } | undefined {
  const quote = written[from]!
  if (quote !== '"' && quote !== "'") {
    const token = readAt(TOKEN, written, from)
    const end = from + token.length
    return end === written.length || / |\t|\r|\n|\v|>/.test(written[end]!) ? { text: lower(token), end } : undefined
  }
  let text = ''
  let index = from + 1
  while (index < written.length && written[index] !== quote) {
    const { character, end } = readEntity(written, index) ?? { character: written[index]!, end: index + 1 }
    text += character
    index = end
  }
  return { text, end: Math.min(index + 1, written.length) }
}

/** Closes the tag that was opened last. The end of the closing tag. */
function closeTag(written: string, index: number, open: Open[], plain: PlainText): number | Invalid {
  const opened = open.at(-1)
  if (!opened) return invalid(index, 'the closing tag closes nothing: remove it, or write "&lt;" for "<"')
  const tag = lower(readAt(TAG_NAME, written, index + 2))
  const end = skipSpaces(written, index + 2 + tag.length)
  if (written[end] !== '>') return notEnded(index)
  if (tag !== '' && tag !== opened.tag) {
    return invalid(index, `<${opened.tag}> is open, so "</${opened.tag}>" has to come before another closing tag`)
  }
  open.pop()
  const problem = addEntity(opened, plain)
  return problem ? invalid(opened.index, problem) : end + 1
}

/** Adds the entity of a tag that is closed, unless it has no text. Returns the problem of its attributes, if any. */
function addEntity({ tag, attributes, start, isInLink }: Open, plain: PlainText): string | undefined {
  if (plain.end.parts === start.parts) return undefined
  if (tag === 'tg-emoji' && !isEmojiId(attributes.get('emoji-id') ?? '')) {
    return 'tag <tg-emoji> needs a valid id, such as <tg-emoji emoji-id="5368324170671202286">'
  }
  if (tag === 'tg-time') {
    const isFormat = isDateFormat(attributes.get('format') ?? '')
    if (!isFormat) return 'attribute format of <tg-time> has to be "r", or letters of "tTdDwW"'
    if (!/^0*[1-9]/.test(attributes.get('unix') ?? '')) return undefined
  }
  if (tag === 'a') {
    const href = attributes.get('href')
    // A tag that lacks an address takes its text as the address. If a link is inside of another one, only the outer one
    // counts.
    if (!href && isInLink) return undefined
    const address = href || plain.since(start)
    if (!isLink(address)) {
      plain.deadLinks.push(address)
      return undefined
    }
  }
  plain.addEntity(start)
  return undefined
}
