import type { Focus } from '../../../schemas/media.ts'
import { findTextProblem } from '../../base/http/json.ts'
import type { Metadata } from '../../base/http/metadata.ts'

/** A client's description of a file. */
export interface FileDescription {
  altText: string | null
  focus: Focus | null
  fileName: string | null
  externalReference: string | null
  metadata: Metadata | null
}

/** The description with null for what is missing, and for an empty alternative text. */
export const describe = ({
  altText,
  focus = null,
  fileName = null,
  externalReference = null,
  metadata = null,
}: Partial<FileDescription>): FileDescription => ({
  altText: altText || null,
  focus,
  fileName,
  externalReference,
  metadata,
})

/** A file as a key sees it that has resent it: see `listed-media.ts`. */
export const hideDescription = <T extends FileDescription>(file: T): T => ({ ...file, ...describe({}) })

/** In UTF-16 units. */
const LENGTH_MAX = 255

/**
 * The name of a file without folders and control characters, at most 255 characters long; null if nothing is left. It
 * is shown to people, and never the name of a file here.
 */
export function tidyFileName(name: string | undefined): string | null {
  const base = (name ?? '').split(/[\\/]/).at(-1)!
  const tidy = base
    .replace(/[\p{Cc}\u2028\u2029]/gu, '')
    .slice(0, LENGTH_MAX)
    .toWellFormed()
    .trim()
  return tidy === '' || findTextProblem(tidy) ? null : tidy
}

/** The end of the path of a URL, which is valid. */
export function fileNameOf(url: string): string | null {
  const name = URL.parse(url)?.pathname.split('/').at(-1)
  try {
    return tidyFileName(name && decodeURIComponent(name))
  } catch {
    return tidyFileName(name)
  }
}
