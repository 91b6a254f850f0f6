import type { PlatformId, PostType } from '../../schemas/platform.ts'

/**
 * Where a value was read, and how far it can be trusted.
 * official: the network's own page, schema or source code. copy: a verbatim copy of that page.
 * cross-checked: several independent tools agree. assumed: our inference.
 */
export interface Source {
  url: string
  confidence: 'official' | 'copy' | 'cross-checked' | 'assumed'
  /** Version or date of what was read. */
  version: string
}

/** How a network counts the length of a text; `text.ts` implements each. */
export type TextUnit = 'x' | 'mastodon' | 'threads' | 'graphemes' | 'code points' | 'UTF-16 units' | 'bytes'

export interface TextRule {
  lengthMax: number
  unit: TextUnit
  /** A second limit, in UTF-8 bytes, that applies beside `lengthMax`. */
  bytesMax?: number
  forbiddenCharacters?: readonly string[]
  source: Source
}

export interface CaptionRule extends TextRule {
  /** Replaces `lengthMax` when any media is attached. */
  lengthMaxWithMedia?: number
  /** Replaces `lengthMax` when images are attached. */
  lengthMaxWithImages?: number
  /** When a post that is to be published has to carry a caption; link and embeds are keys of `fields`. */
  required: 'always' | 'unless media' | 'unless media or link' | 'unless media or embeds' | 'never'
  hashtagsMax?: number
  mentionsMax?: number
  /** Different http(s) links. */
  linksMax?: number
  cashtagsMax?: number
}

export interface TitleRule extends TextRule {
  /** The key in `fields` that carries the title. */
  field: string
  /** A required title that is missing is taken from the caption's first line, cut to `lengthMax`. */
  required: boolean
}

/** A rule that holds for some posts only. `when` completes a sentence: "required when …". */
export interface Condition {
  when: string
  test: (fields: Record<string, unknown>, media: { hasVideo: boolean; count: number }) => boolean
}

export interface FirstCommentRule extends TextRule {
  /** The post types that can be commented on; all that the network carries when absent. */
  postTypes?: readonly PostType[]
  refused?: Condition
}

export interface ThreadRule extends TextRule {
  /** chained: one post per part, each at most `lengthMax` long. single: one element that carries the whole text. */
  mode: 'chained' | 'single'
  partsMax: number
}

/** Bytes, pixels, seconds and frames per second; a ratio is width divided by height. Absent means not limited. */
interface FileRule {
  mimeTypes: readonly string[]
  bytesMin?: number
  bytesMax?: number
  widthMin?: number
  widthMax?: number
  heightMin?: number
  heightMax?: number
  widthPlusHeightMax?: number
  pixelsMax?: number
  aspectRatioMin?: number
  aspectRatioMax?: number
  source: Source
}

export interface ImageRule extends FileRule {
  /** A GIF that stands still is an image like the others, whatever the rule for GIFs says. */
  stillGifs?: true
  /** All images of one post have to have the same width and height. */
  sameSize?: boolean
}

export interface GifRule extends FileRule {
  framesMax?: number
}

export interface VideoRule extends FileRule {
  durationMin?: number
  durationMax?: number
  fpsMin?: number
  fpsMax?: number
}

/** What one post of this type may carry. A kind of file without a rule is not carried. */
export interface PostTypeRule {
  mediaMin: number
  mediaMax: number
  imagesMax: number
  videosMax: number
  gifsMax: number
  /** Images and videos may stand in one post. */
  mixed: boolean
  /** A GIF has to be the only file of its post. */
  gifAlone?: boolean
  /** False where the network shows no caption, so its length does not matter. */
  captionPublished: boolean
  /** All files go out in one request, which may be that large; its other parts are a few kilobytes. */
  requestBytesMax?: number
  image?: ImageRule
  gif?: GifRule
  video?: VideoRule
  source: Source
}

/** What holds for one text in `fields`. */
export interface FieldTextRule {
  lengthMax?: number
  /** Of `lengthMax`; code points when absent. */
  unit?: 'graphemes'
  /** In UTF-8. */
  bytesMax?: number
  /** The network cuts off white space at both ends before it counts. */
  trimmed?: true
  pattern?: { regex: RegExp; says: string }
  /** May be absent, but not blank: the network would refuse that. Judged as everything that is merely missing. */
  notBlank?: true
}

export type FieldValue =
  | ({ type: 'string' } & FieldTextRule)
  | { type: 'url'; lengthMax?: number }
  | { type: 'datetime' }
  | { type: 'boolean' }
  | { type: 'integer' | 'number'; min?: number; max?: number }
  | { type: 'enum'; values: readonly string[] }
  | {
      type: 'string[]'
      /** Judged as everything that is merely missing. */
      itemsMin?: number
      itemsMax?: number
      item?: FieldTextRule
      /** No item may be there twice, whatever white space is around it. */
      distinct?: true
      /** All items joined by commas, each that contains a space in quotes. */
      joinedLengthMax?: number
      values?: readonly string[]
    }
  | { type: 'object'; properties: Properties }
  | {
      type: 'object[]'
      itemsMax?: number
      properties: Properties
      /** Of all texts together that have a `lengthMax` of their own. */
      textsLengthMax?: number
    }

/** What the network knows of an object. Keys that it does not know are kept as sent, and null is as good as absent. */
export type Properties = Readonly<Record<string, FieldValue & { required?: true }>>

/** One key of an override's `fields`. */
export type FieldRule = FieldValue & {
  /** The network's own name for it. */
  param: string
  /** Judged when the post is to be published, as everything that is merely missing. */
  required?: true | Condition
  refused?: Condition
  /** May not be combined with media. */
  withoutMedia?: true
  /** Lowers the caption's `lengthMax` while this key is set. */
  captionLengthMax?: number
  /** Its graphemes are added to the length of the caption, of every part of a thread, and of the first comment. */
  countsInCaption?: true
  /** By a value of this key: what people see of a caption that is written so, which is what counts. Linear in time. */
  captionShown?: Readonly<Record<string, (caption: string) => string>>
  default?: string | boolean | number
  description?: string
  source: Source
}

export interface RateLimit {
  what: string
  limit: number
  windowSeconds?: number
  scope: string
  /** How much of it one act uses up, where it is counted for each account; the publisher keeps to these. */
  perAct?: number
  source: Source
}

/** A social network as data: everything that decides whether it would take a post. */
export interface Platform {
  id: PlatformId
  name: string
  caption: CaptionRule
  title?: TitleRule
  firstComment?: FirstCommentRule
  thread?: ThreadRule
  postTypes: Partial<Record<PostType, PostTypeRule>>
  fields: Record<string, FieldRule>
  rateLimits: readonly RateLimit[]
}
