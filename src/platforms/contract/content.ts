import type { MediaKind } from '../../../schemas/media.ts'
import type { PartLink, TextEntity } from '../../../schemas/post-part.ts'
import type { Act } from './adapter.ts'

/** A file of an act, as far as the texts of the act depend on it. */
export interface ContentFile {
  kind?: MediaKind | null
  altText?: string | null
}

/** An act, as far as its content depends on it. `parent` is null in the first act of a post. */
export interface ContentSource extends Pick<Act, 'kind' | 'postType' | 'text' | 'fields' | 'altTextLengthMax'> {
  media: readonly ContentFile[]
  parent: object | null
}

/** The texts of an act. Its adapter makes the calls from them, and previews of posts show them. */
export interface Content {
  /** Empty if the network gets no text. */
  text: string
  /** The text in the notation of the network's API, if that differs. */
  escapedText?: string
  title?: string
  /** The alternative text that the network gets for each file, in the order of the files. */
  altTexts: readonly (string | undefined)[]
  link?: PartLink
}

/** Takes linear time. */
export type EntityFinder = (text: string) => TextEntity[]
