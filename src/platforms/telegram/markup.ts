import type { ParsedMarkup } from '../contract/limits.ts'
import { parseHtml } from './html.ts'
import { parseMarkdown, parseMarkdownV2 } from './markdown.ts'
import type { Invalid, PlainText } from './plain-text.ts'
import { TEXT_BYTES_MAX } from './stored-text.ts'

const parsed =
  (parse: (written: string) => PlainText | Invalid) =>
  (written: string): ParsedMarkup => {
    // Telegram does not read it.
    if (Buffer.byteLength(written) > TEXT_BYTES_MAX) return { text: written, deadLinks: [], lostEntities: 0 }
    const result = parse(written)
    if ('problem' in result) return result
    const { deadLinks, lostEntities } = result
    return { text: result.asStored(), deadLinks, lostEntities }
  }

/** By value of `parse_mode`: what Telegram makes of a text, or why it refuses it. */
export const telegramMarkup = {
  HTML: parsed(parseHtml),
  MarkdownV2: parsed(parseMarkdownV2),
  Markdown: parsed(parseMarkdown),
}
