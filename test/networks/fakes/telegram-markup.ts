import { Refused } from './network.ts'

/** A refusal of the Bot API. */
export const refuse = (error_code: number, description: string, parameters?: object): never => {
  throw new Refused({
    status: error_code,
    body: { ok: false, error_code, description, ...(parameters && { parameters }) },
  })
}

/** https://core.telegram.org/bots/api#formatting-options. Returns the text without its markup. */
export function parseText(text = '', mode: unknown): string {
  if (mode === undefined) return text
  if (mode === 'HTML') return parseHtml(text)
  if (mode === 'MarkdownV2') return parseMarkdown(text)
  return refuse(400, 'Bad Request: unsupported parse_mode')
}

const cannotParse = (why: string) => refuse(400, `Bad Request: can't parse entities: ${why}`)

const TAGS = /^(?:b|strong|i|em|u|ins|s|strike|del|span|tg-spoiler|a|tg-emoji|code|pre|blockquote)$/

/** https://core.telegram.org/bots/api#html-style */
function parseHtml(text: string): string {
  const open: string[] = []
  for (const { 1: slash, 2: tag = '', index } of text.matchAll(/<(\/?)([a-z0-9-]*)[^>]*>?/gi)) {
    const at = `at byte offset ${Buffer.byteLength(text.slice(0, index))}`
    if (slash) {
      if (open.pop() !== tag.toLowerCase()) cannotParse(`Unexpected end tag ${at}`)
    } else if (TAGS.test(tag.toLowerCase())) open.push(tag.toLowerCase())
    else cannotParse(`Unsupported start tag "${tag}" ${at}`)
  }
  if (open.length > 0) cannotParse(`Can't find end tag corresponding to start tag "${open.at(-1)}"`)
  return text.replaceAll(/<[^>]*>/g, '').replaceAll(/&(?:lt|gt|amp|quot|#\d+|#x[\da-f]+);/gi, ' ')
}

const MARKS: Record<string, string> = {
  '*': 'Bold',
  _: 'Italic',
  __: 'Underline',
  '~': 'Strikethrough',
  '||': 'Spoiler',
  '`': 'Code',
  '```': 'Pre',
  '[': 'TextUrl',
}

/** https://core.telegram.org/bots/api#markdownv2-style */
function parseMarkdown(text: string): string {
  const open: { mark: string; at: number }[] = []
  let parsed = ''
  for (const { 0: sign, index } of text.matchAll(/\\[!-~]|```|__|\|\||\]\([^)]*\)|[\s\S]/gu)) {
    const inside = open.at(-1)?.mark ?? ''
    if (sign.length === 2 && sign.startsWith('\\')) parsed += sign[1]
    else if (inside.startsWith('`') && sign !== inside) parsed += sign
    else if (sign === inside || (inside === '[' && sign.startsWith(']('))) open.pop()
    else if (MARKS[sign]) open.push({ mark: sign, at: Buffer.byteLength(text.slice(0, index)) })
    else if (/[\]().!#+\-={}>|]/.test(sign)) {
      cannotParse(`Character '${sign[0]}' is reserved and must be escaped with the preceding '\\'`)
    } else parsed += sign
  }
  const [{ mark, at } = { mark: '', at: 0 }] = open.slice(-1)
  if (mark) cannotParse(`Can't find end of ${MARKS[mark]} entity at byte offset ${at}`)
  return parsed
}
