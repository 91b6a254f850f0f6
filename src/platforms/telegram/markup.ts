/**
 * Texts without their markup, as far as their lengths go: a tag or a sign that is left over is not missed here, though
 * Telegram refuses it. What is markup is read from
 * https://github.com/tdlib/td/blob/master/td/telegram/MessageEntity.cpp (parse_html, parse_markdown_v2) and
 * https://core.telegram.org/bots/api#formatting-options.
 */

/** Telegram knows four named entities, and takes them without their semicolon. */
const HTML_ENTITY = /&(?:#(?:\d{1,7}|x[\dA-Fa-f]{1,6})|lt|gt|amp|quot);?/g

export function withoutHtml(text: string): string {
  // In whose place a character stands does not matter to a length.
  return text.replace(/<[^<>]*>/g, '').replace(HTML_ENTITY, '&')
}

/** An escaped character, what opens or closes an entity, and the sign of a quotation at the start of a line. */
const MARKDOWN = /\\(\p{ASCII})|```|`|!\[|\]\(|\)|^(?:\*\*)?>|[*_~[\]]|\|\|/gmu

export function withoutMarkdownV2(text: string): string {
  let shown = ''
  let from = 0
  /** Until when everything is text, but for what is escaped. */
  let codeEnd = ''
  let inUrl = false
  for (const { 0: sign, 1: escaped, index } of text.matchAll(MARKDOWN)) {
    if (index < from) continue
    if (!inUrl) shown += text.slice(from, index)
    from = index + sign.length
    if (inUrl) inUrl = sign !== ')'
    else if (escaped) shown += escaped
    else if (codeEnd) {
      if (sign === codeEnd) codeEnd = ''
      else shown += sign
    } else if (sign === '`' || sign === '```') {
      codeEnd = sign
      // The rest of the line is the language of a block, if it is one word.
      if (sign === '```') from += /^[^\s`]{0,64}\r?\n/.exec(text.slice(from, from + 66))?.[0].length ?? 0
    } else if (sign === '](') inUrl = true
    else if (sign === ')') shown += sign
  }
  return inUrl ? shown : shown + text.slice(from)
}
