import { Refused } from './network.ts'

/** A refusal of the Bot API. */
export const refuse = (error_code: number, description: string, parameters?: object): never => {
  throw new Refused({
    status: error_code,
    body: { ok: false, error_code, description, ...(parameters && { parameters }) },
  })
}

/**
 * https://core.telegram.org/bots/api#formatting-options. Returns the text without its markup. Refuses what authors get
 * wrong most often; test/sdks holds the checks of the adapter to TDLib itself.
 */
export function parseText(text = '', mode: unknown): string {
  if (Buffer.byteLength(text) > 32_768) return refuse(400, 'Bad Request: text is too long')
  if (mode === undefined) return clean(text)
  if (mode === 'HTML') return clean(parseHtml(text))
  if (mode === 'MarkdownV2') return clean(parseMarkdownV2(text))
  if (mode === 'Markdown') return clean(parseMarkdown(text))
  return refuse(400, 'Bad Request: unsupported parse_mode')
}

/**
 * strip_empty_characters in https://github.com/tdlib/td/blob/master/td/telegram/misc.cpp: a soft hyphen counts as
 * visible.
 */
const VISIBLE =
  /[^\0-\x20\u00A0\u1680\u180E\u2000-\u200F\u202E\u202F\u205F\u2800\u3000\uFEFF\uFFFC\u{E0000}-\u{E007F}]/u

/** https://github.com/tdlib/td/blob/master/td/telegram/misc.cpp. A text without a visible character is empty. */
function clean(text: string): string {
  const trimmed = text
    .replaceAll(/\r|[\u2028-\u202E]|\u030A|\u0333|\u033F/g, '')
    .replace(/^[\0-\x20]+|[\0-\x20]+$/g, '')
  return VISIBLE.test(trimmed) ? trimmed : ''
}

const cannotParse = (why: string) => refuse(400, `Bad Request: can't parse entities: ${why}`)

const TAGS = /^(?:b|strong|i|em|u|ins|s|strike|del|span|tg-spoiler|tg-time|a|tg-emoji|code|pre|blockquote)$/

/** https://core.telegram.org/bots/api#html-style */
function parseHtml(text: string): string {
  const open: string[] = []
  const plain = text.replaceAll(
    /<(\/?)([^\s>]*)((?:"[^"]*"|'[^']*'|[^>"'])*)(>?)/g,
    (tag, slash, name, _, end, index) => {
      const at = `at byte offset ${Buffer.byteLength(text.slice(0, index))}`
      const known = name.toLowerCase()
      if (!slash && !TAGS.test(known)) cannotParse(`Unsupported start tag "${known}" ${at}`)
      if (end === '') cannotParse(`Unclosed ${slash ? 'end' : 'start'} tag ${at}`)
      if (known === 'span' && !slash && !tag.includes('tg-spoiler')) {
        cannotParse(`Tag "span" must have class "tg-spoiler" ${at}`)
      }
      if (!slash) open.push(known)
      else if (open.length === 0) cannotParse(`Unexpected end tag ${at}`)
      else if (![open.pop(), ''].includes(known)) cannotParse(`Unmatched end tag ${at}`)
      return ''
    },
  )
  if (open.length > 0) cannotParse(`Can't find end tag corresponding to start tag "${open.at(-1)}"`)
  return plain.replaceAll(/&(?:(?:lt|gt|amp|quot)(?![a-z])|#\d{1,7}|#x[\da-f]{1,6});?/gi, '&')
}

const MARKS: Record<string, string> = {
  '*': 'Bold',
  _: 'Italic',
  __: 'Underline',
  '~': 'Strikethrough',
  '||': 'Spoiler',
  '[': 'TextUrl',
  '![': 'CustomEmoji',
}

/** https://core.telegram.org/bots/api#markdownv2-style. Code and addresses are read at one go. */
function parseMarkdownV2(text: string): string {
  const open: { mark: string; at: number }[] = []
  let parsed = ''
  const tokens =
    /\\(?!\x7f)\p{ASCII}|```([^`\\]|\\.|`(?!``))*```|`(?:[^`\\]|\\.)*`|`|(?<=^|\n)(?:\*\*)?>|\|\|(?=\n|$)|__|\|\||!\[|\](?:\((?:[^)\\]|\\.)*\))?|[\s\S]/gu
  for (const { 0: sign, index } of text.matchAll(tokens)) {
    const inside = open.at(-1)?.mark ?? ''
    if (sign.length === 2 && sign.startsWith('\\')) parsed += sign[1]
    else if (sign.length > 1 && sign.startsWith('`'))
      parsed += sign.replace(/^```(?:\w+)?\n?|^`|```$|`$/g, '').replaceAll(/\\(?!\x7f)(\p{ASCII})/gu, '$1')
    else if (inside.endsWith('[') ? sign.startsWith(']') : sign === inside) open.pop()
    else if (sign.endsWith('>') && (index === 0 || text[index - 1] === '\n')) continue
    // Makes the quotation before it expandable.
    else if (sign === '||' && (text[index + 2] ?? '\n') === '\n') continue
    else if (MARKS[sign]) open.push({ mark: sign, at: Buffer.byteLength(text.slice(0, index)) })
    else if (/^[\]().!#+\-={}>|`]/.test(sign)) {
      cannotParse(`Character '${sign[0]}' is reserved and must be escaped with the preceding '\\'`)
    } else parsed += sign
  }
  const [{ mark, at } = { mark: '', at: 0 }] = open.slice(-1)
  if (mark) cannotParse(`Can't find end of ${MARKS[mark]} entity at byte offset ${at}`)
  return parsed
}

/** https://core.telegram.org/bots/api#markdown-style */
function parseMarkdown(text: string): string {
  const tokens = /\\[_*`[]|```([\s\S]*?)```|`([^`]*)`|\*([^*]*)\*|_([^_]*)_|\[([^\]]*)\](?:\([^)]*\))?|[_*`[]/g
  return text.replaceAll(tokens, (token, ...groups) => {
    if (token.startsWith('\\')) return token[1]
    if (token.length > 1)
      return (
        groups
          .slice(0, 5)
          .find((content) => content !== undefined)
          ?.replace(/^\n/, '') ?? ''
      )
    return cannotParse(
      `Can't find end of the entity starting at byte offset ${Buffer.byteLength(text.slice(0, groups[5]))}`,
    )
  })
}
