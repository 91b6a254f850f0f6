import type { AccountServer } from '../../../schemas/account-facts.ts'
import type { PricedOperation } from '../../../schemas/cost.ts'
import type { MediaKind, MediaType, VideoTrack } from '../../../schemas/media.ts'
import type { PlatformId, PostType } from '../../../schemas/platform.ts'
import type { PostPoll } from '../../../schemas/post-poll.ts'
import type { AccountKind, GuaranteeRule } from './guarantee.ts'
import type { Source } from './source.ts'

/**
 * The limits of a network are data: these types describe them, rules/ checks posts against them.
 *
 * Names that end in `Max` or `Min` are inclusive bounds; absent means not limited. Maxima are always checked. A missing
 * or blank value, or too few of them, is accepted in a draft and rejected in a scheduled post.
 */
export interface Platform {
  id: PlatformId
  name: string
  /** The account's own server, and the source of the limits that it states. Absent: they are the network's. */
  server?: AccountServer & { source: Source }
  caption: CaptionRule
  /**
   * A text without markup as the network stores and counts it: empty if it shows nothing. Must take linear time.
   * Absent: the text that is sent.
   */
  asStored?: (text: string) => string
  /** The characters of a text that the network removes although readers would miss them. They lead to a warning. */
  findRemoved?: (text: string) => string[]
  /** Absent: the network has no titles. */
  title?: TitleRule
  /** Absent: a first comment is rejected. */
  firstComment?: FirstCommentRule
  /** Present if and only if `postTypes` has `thread`. */
  thread?: ThreadRule
  /** The kind of the account with this id on the network. Absent: its limits are the same for every kind. */
  findAccountKind?: (externalId: string) => AccountKind
  /** By kind of file. A kind that is absent: the network takes no alternative text for such a file. */
  altTexts: Partial<Record<MediaKind, AltTextRule>>
  /** The network takes alternative texts for the first files only. Absent: for all. */
  altTextFilesMax?: number
  /** Other post types are rejected. */
  postTypes: Partial<Record<PostType, PostTypeRule>>
  /** By key of an override's `fields`. Other keys are stored unchecked. */
  fields: Record<string, FieldRule>
  rateLimits: readonly RateLimit[]
  /** The prices that the owner of the app pays. Absent: posts cost nothing. */
  prices?: Readonly<Record<PricedOperation, Price>>
  /** The first rule that fits an act holds. */
  guarantees: readonly GuaranteeRule[]
}

/** How a network counts the length of a text. rules/text-length.ts implements each unit. */
export type TextUnit =
  | 'x'
  | 'mastodon'
  | 'threads'
  | 'graphemes'
  | 'clusters'
  | 'code points'
  | 'UTF-16 units'
  | 'bytes'

/** A limit that the page of the API does not state. */
export interface UncertainMax {
  max: number
  source: Source
}

export interface TextRule {
  /** In `unit`. */
  lengthMax: number
  /** The source of `lengthMax`. Absent: `source`. Null: the account's own server states it. */
  lengthSource?: Source | null
  unit: TextUnit
  /** A second limit, in UTF-8 bytes of the text that is sent. */
  bytesMax?: number
  /** The network was seen to refuse longer texts, against its own words: more UTF-8 bytes lead to a warning. */
  uncertainBytesMax?: UncertainMax
  /** The network announced that it takes fewer hashtags than its API's page allows: more lead to a warning. */
  uncertainHashtagsMax?: UncertainMax
  /** Finds content that the network was seen to refuse, which leads to a warning. Must take linear time. */
  uncertainContent?: { find: (text: string) => string | undefined; problem: string; source: Source }
  /** Always checked. */
  forbiddenCharacters?: readonly string[]
  /** Which replies the network does not publish: parts of a thread after the first, and comments. Always checked. */
  refusedReply?: { test: (text: string) => boolean; problem: string; source: Source }
  source: Source
}

/** How many entities a text may have. */
export interface EntityMaxima {
  hashtagsMax?: number
  mentionsMax?: number
  /** Different links that start with http(s):// or www. */
  linksMax?: number
  cashtagsMax?: number
}

export interface CaptionRule extends TextRule, EntityMaxima {
  /** Replaces `lengthMax` in a post with media. */
  lengthMaxWithMedia?: number
  /** Replaces `lengthMax` in a post with images, and for post types that accept only images. */
  lengthMaxWithImages?: number
  /**
   * When a scheduled post must have a caption that is not blank; `link`, `embeds` and `spoilerText` are keys of
   * `fields`.
   */
  required:
    | 'always'
    | 'unless media'
    | 'unless media or link'
    | 'unless media or embeds'
    | 'unless media or spoilerText'
    | 'never'
  /** When the network takes no caption. A post that has one leads to a warning. */
  unused?: Condition
}

export interface TitleRule extends TextRule {
  unit: 'code points' | 'graphemes' | 'UTF-16 units'
  /** The key of `fields` that holds the title. Its `FieldRule` has no length of its own. */
  field: string
  /** A scheduled post needs a title. If it has none, the first line of the caption is used, cut to `lengthMax`. */
  required: boolean
}

/** The alternative text of a file. A longer text is cut when it is sent, which leads to a warning. */
export interface AltTextRule {
  /** In `unit`. A file whose text is shorter is rejected when the post is scheduled. */
  lengthMin?: number
  /** In `unit`. */
  lengthMax: number
  /** Null: the account's own server states `lengthMax`. */
  lengthSource?: null
  unit: 'code points' | 'graphemes' | 'UTF-16 units'
  /** A second limit, in UTF-8 bytes. */
  bytesMax?: number
  source: Source
}

/** The files of a post. Videos are no images, GIFs are. */
export interface ConditionMedia {
  hasImage: boolean
  hasVideo: boolean
  hasDocument: boolean
  count: number
}

/** A post of one account. */
export interface ConditionTarget {
  postType: PostType
  /** Undefined if it is not known, or if the network does not tell kinds apart. */
  accountKind: AccountKind | undefined
}

/** A condition on the other fields and the media of a post, its type and its account. */
export interface Condition {
  /** Completes the sentence "required when …", "not allowed when …" or "has no effect when …". */
  when: string
  test: (fields: Record<string, unknown>, media: ConditionMedia, target: ConditionTarget) => boolean
}

export interface FirstCommentRule extends TextRule, EntityMaxima {
  /** The post types that accept comments; absent: all. */
  postTypes?: readonly PostType[]
  /** When a first comment is rejected. Always checked. */
  refused?: Condition
  /** Markup of captions that the network would publish as it is written. `mend` says what to write. Always checked. */
  unreadMarkup?: { regex: RegExp; name: string; mend: string }
}

/** `lengthMax` and `bytesMax` apply to each part; the caption's maxima of hashtags and the like do too. */
export interface ThreadRule extends TextRule {
  /** chained: one post per part. single: one part with the whole text. */
  mode: 'chained' | 'single'
  partsMax: number
}

/** Limits of one file, always checked. Sides are in pixels. Facts of the file that are not known are not checked. */
interface FileRule {
  /** The types that the network accepts, as far as Postroom accepts them. */
  mimeTypes: readonly MediaType[]
  bytesMin?: number
  bytesMax?: number
  widthMin?: number
  widthMax?: number
  heightMin?: number
  heightMax?: number
  /** The smaller of width and height. */
  shortSideMax?: number
  widthPlusHeightMax?: number
  /** Width times height. */
  pixelsMax?: number
  /** Width divided by height. */
  aspectRatioMin?: number
  aspectRatioMax?: number
  source: Source
}

export interface ImageRule extends FileRule {
  /** A GIF with one frame counts as an image, despite the rule for GIFs. */
  stillGifs?: true
  /** Animated images are rejected. If this and a rule for GIFs are absent, they count as images. */
  stillsOnly?: true
  /** All images of a post must have the same width and height. */
  sameSize?: boolean
}

interface ConvertedRule extends FileRule {
  /** The account's own server limits the file that the network makes of this one. More bytes lead to a warning. */
  convertedBytesMax?: number
}

/** Holds for GIFs, and for other animated images. */
export interface GifRule extends ConvertedRule {
  framesMax?: number
}

/** A document is the only file of its post. */
export interface DocumentRule extends FileRule {
  pagesMax?: number
}

export interface VideoRule extends ConvertedRule {
  durationMinSeconds?: number
  durationMaxSeconds?: number
  /** The maximum of posts that the account's own maximum does not hold for. */
  durationMaxOtherwise?: Condition & { seconds: number }
  /** Frames per second. */
  fpsMin?: number
  fpsMax?: number
  /** The network rounds the rate down before it compares. */
  fpsRounded?: 'down'
  /** The names of codecs are those of `MediaTracks`. */
  videoCodecs?: readonly ('avc' | 'hevc' | 'vp8' | 'vp9' | 'av1')[]
  chromaSubsamplings?: readonly NonNullable<VideoTrack['chromaSubsampling']>[]
  scans?: readonly NonNullable<VideoTrack['scan']>[]
  /** Width to height. */
  pixelAspectRatios?: readonly string[]
  /**
   * No group of pictures of H.264 may be open. HEVC is not checked: iPhones open its groups by default, and networks
   * take their videos. https://developer.apple.com/documentation/avfoundation/preparing-movie-capture-for-open-gop
   */
  closedGop?: true
  audioCodecs?: readonly 'aac'[]
  /** Codecs with their profile. */
  audioCodecStrings?: readonly string[]
  audioChannelsMax?: number
  /** In hertz. */
  audioSampleRateMax?: number
}

/** The media of one post type. A kind of file without a rule is rejected; without a `gif` rule, GIFs are images. */
export interface PostTypeRule {
  /** Checked when the post is scheduled. */
  mediaMin: number
  /** Replaces `mediaMin` for the parts of a thread after the first. */
  repliesMediaMin?: number
  mediaMax: number
  imagesMax: number
  videosMax: number
  gifsMax: number
  /** Images and videos can be combined in one post. */
  mixed: boolean
  /** A GIF must be the only file of its post. */
  gifAlone?: boolean
  /** False: the network shows no caption, so the caption is not checked. */
  hasCaption: boolean
  /** False: the network takes no alternative texts. */
  hasAltTexts?: false
  /** All files are sent in one request of at most this size. Its other parts are a few kilobytes. */
  requestBytesMax?: number
  image?: ImageRule
  gif?: GifRule
  video?: VideoRule
  document?: DocumentRule
  source: Source
}

/** A text in `fields`. */
export interface FieldTextRule {
  lengthMax?: number
  /** The unit of `lengthMax`; absent: code points. */
  unit?: 'graphemes' | 'clusters' | 'UTF-16 units'
  /** UTF-8. */
  bytesMax?: number
  /** The network removes white space at both ends before it counts. */
  trimmed?: true
  /** The expression has no flags, as in JSON Schema. `expected` completes the sentence "is …, expected …". */
  pattern?: { regex: RegExp; expected: string }
  /** A rule that no pattern expresses. `expected` completes the same sentence. */
  form?: { test: (text: string) => boolean; expected: string }
  /** The text may be absent but not blank. Checked when the post is scheduled. */
  notBlank?: true
}

export type FieldValue =
  | ({ type: 'string' } & FieldTextRule)
  /** An absolute http(s) URL of a public host, without a user; `lengthMax` is in code points. */
  | { type: 'url'; lengthMax?: number /** `attachment://NAME` too. */; attachments?: true }
  /** RFC 3339 with Z or an offset. */
  | { type: 'datetime' }
  | { type: 'boolean' }
  | { type: 'integer' | 'number'; min?: number; max?: number }
  | { type: 'enum'; values: readonly string[] }
  | {
      type: 'string[]'
      /** Checked when the post is scheduled. */
      itemsMin?: number
      itemsMax?: number
      item?: FieldTextRule
      /** No two items are equal after trimming. */
      uniqueItems?: true
      /** Code points of all items joined by commas, where an item with a space is put in quotes. */
      joinedLengthMax?: number
      /** The allowed items; absent: any. */
      values?: readonly string[]
    }
  | ({ type: 'object' } & ObjectRule)
  | ({
      type: 'object[]'
      itemsMax?: number
      /** The sum of all texts that have a `lengthMax`, in all items. */
      totalLengthMax?: number
    } & ObjectRule)

/**
 * The properties of an object that are checked; others are stored unchecked. Null counts as absent. A required property
 * is checked when the post is scheduled.
 */
export type Properties = Readonly<Record<string, FieldValue & { required?: true | Condition }>>

export interface ObjectRule {
  properties: Properties
  /** The network gets other properties too. Absent: they have no effect, which leads to a warning. */
  passedOn?: true
  /** At least one of these has content. Checked when the post is scheduled. */
  needsOneOf?: readonly string[]
  /** Properties that others exclude, unless they are empty. Always checked. */
  excluded?: readonly ExcludedProperty[]
}

export interface ExcludedProperty {
  key: string
  /** Completes the sentence "not allowed when …". */
  when: string
  /** Gets an object whose properties have no problem of their own. */
  test: (object: Record<string, unknown>) => boolean
}

/** A network's reading of a text with markup, or the reason why it refuses the text. */
export type ParsedMarkup =
  /**
   * `text` is what it stores. `deadLinks`: addresses that it does not turn into links. `lostEntities`: the number of
   * formatted parts that it publishes as plain text, because there are too many.
   */
  | { text: string; deadLinks: readonly string[]; lostEntities: number }
  /** `index`: where the problem is, in UTF-16 units. `problem`: what is wrong and what would be right. */
  | { index: number; problem: string }

/** An act that carries out one key of `fields` after the post and its first comment. */
export type FieldAct = 'thumbnail' | 'playlist'

/** One key of an override's `fields`. */
export type FieldRule = FieldValue & {
  /** The name of the parameter in the network's API. */
  param: string
  /** Checked when the post is scheduled. */
  required?: true | Condition
  /** When the key is rejected. Always checked. */
  refused?: Condition
  /** When the network does not take the key. A post that has it leads to a warning. */
  unused?: Condition
  /**
   * The key is carried out by an act of its own. It has to be one that may be repeated, because a retry begins with the
   * first act that failed. The value is a text.
   */
  act?: FieldAct
  /** The key cannot be combined with media. */
  withoutMedia?: true
  /** The values of the key that need media. Checked when the post is scheduled. */
  needMedia?: readonly string[]
  /** The value of the key that shows the `poll` of a post, whose question is the text. */
  fromPoll?: (poll: Required<PostPoll>, question: string) => Record<string, unknown>
  /** Lowers the caption's `lengthMax` while this key is set. */
  captionLengthMax?: number
  /** The value counts towards the caption, every part of a thread and the first comment, in this unit. */
  countsInText?: TextUnit
  /** The number is a moment of the video in this unit. After its end, it is rejected unless the key is unused. */
  momentOfVideo?: 'seconds' | 'milliseconds'
  /** Readers follow the URL: it gets the parameters that a post adds to its addresses. */
  isLink?: true
  /** The URL counts towards `linksMax` of the caption or the first part of a thread, unless that text has it. */
  countsAsLink?: true
  /** By value of this key: reads the caption's markup, which does not count. Must take linear time. */
  captionMarkup?: Readonly<Record<string, (caption: string) => ParsedMarkup>>
  /** The network's behaviour when the key is absent; for documentation. */
  default?: string | boolean | number
  /** For documentation: what the key does. */
  description?: string
  source: Source
}

export interface Price {
  /** In millionths of a US dollar. */
  usdMicros: number
  source: Source
}

/** At most `limit` of `resource` per `scope` and window. */
export interface RateLimit {
  resource: string
  limit: number
  /** Absent: the limit holds for all time, or for one call. */
  windowSeconds?: number
  scope: string
  /** How much one act uses of a limit per account. Workers pace their acts by it; absent: for documentation. */
  perAct?: number
  /** The limit counts the posts of an account, of these types. Warnings count by it, for windows of a day. */
  countsPosts?: 'all' | readonly PostType[]
  source: Source
}
