/*
 * Removes markup from texts whose length is counted. Invalid markup is not reported: Telegram refuses it. The syntax is
 * that of https://core.telegram.org/bots/api#formatting-options and of parse_html and parse_markdown_v2 in
 * https://github.com/tdlib/td/blob/master/td/telegram/MessageEntity.cpp.
 */

/** Telegram knows four named entities. Their semicolon is optional. */
const HTML_ENTITY = /&(?:#(?:\d{1,7}|x[\dA-Fa-f]{1,6})|lt|gt|amp|quot);?/g

export function withoutHtml(text: string): string {
  // Any character will do: only the length counts.
  return text.replace(/<[^<>]*>/g, '').replace(HTML_ENTITY, '&')
}

/** An escaped character, a sign that opens or closes an entity, or the sign of a quotation at the start of a line. */
const MARKDOWN = /\\(\p{ASCII})|```|`|!\[|\]\(|\)|^(?:\*\*)?>|[*_~[\]]|\|\|/gmu

export function withoutMarkdownV2(text: string): string {
  let shown = ''
  let from = 0
  /** The sign that ends the current code, inside which only escapes are markup; empty outside of code. */
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
