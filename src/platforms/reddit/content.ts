import type { Content, ContentSource } from '../contract/content.ts'
import { altTextsOf } from '../rules/alt-text.ts'
import { deriveTitle } from '../rules/title.ts'
import { textAt } from '../wire/json.ts'
import { reddit } from './limits.ts'

/**
 * The title and the text below it. A title in `fields` leaves the caption as it is; otherwise the first line of the
 * caption becomes the title. A line that is too long for a title stays in the text.
 */
export const redditContent = (act: ContentSource): Content => {
  const { kind, text, fields, media } = act
  const altTexts = altTextsOf(act, reddit)
  if (kind === 'comment') return { text, altTexts }
  const url = media.length === 0 ? textAt(fields, 'link') : undefined
  const others = { altTexts, ...(url && { link: { url } }) }
  const own = textAt(fields, 'title')?.trim()
  if (own) return { text, title: own, ...others }
  const title = deriveTitle(text, reddit.title!)
  const [line = ''] = text.trimStart().split('\n', 1)
  const rest = line.trimEnd() === title ? text.trimStart().slice(line.length).trimStart() : text
  return { text: rest, title, ...others }
}
