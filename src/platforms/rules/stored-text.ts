import type { ParsedMarkup } from '../contract/limits.ts'
import type { Source } from '../contract/source.ts'
import type { CheckContext } from './context.ts'

type Context = Pick<CheckContext, 'platform' | 'texts'>

/** A text as the network stores it. One that is too long to be analyzed stays as it is. */
export const readStored = (text: string, { platform, texts }: Context): string =>
  (platform.asStored && texts.read(text, platform.asStored)) ?? text

/** A caption as the network stores it, without its markup if a field declares markup; or why the network refuses it. */
export function readCaption(text: string, context: Context & Pick<CheckContext, 'fields'>): ParsedMarkup {
  const markup = findMarkup(context)
  return (
    (markup && context.texts.read(text, markup.parse)) ?? {
      text: readStored(text, context),
      deadLinks: [],
      lostEntities: 0,
    }
  )
}

interface Markup {
  /** The value of the field that declares it. */
  name: string
  parse: (text: string) => ParsedMarkup
  source: Source
}

/** The markup that a field declares, if any. */
export function findMarkup({ platform, fields }: Pick<CheckContext, 'platform' | 'fields'>): Markup | undefined {
  // Object.entries would allocate 2 KB for a post of three accounts.
  for (const key in platform.fields) {
    const { captionMarkup, source } = platform.fields[key]!
    if (!captionMarkup) continue
    const name = Object.hasOwn(fields, key) ? fields[key] : undefined
    if (typeof name === 'string' && Object.hasOwn(captionMarkup, name)) {
      return { name, parse: captionMarkup[name]!, source }
    }
  }
  return undefined
}
