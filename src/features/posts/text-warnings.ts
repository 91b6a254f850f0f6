import type { BodyPath } from '../../../schemas/warning.ts'
import type { AltTextRule, TextRule } from '../../platforms/contract/limits.ts'
import { findAltText, findAltTextRule } from '../../platforms/rules/alt-text.ts'
import { normalizeText } from '../../platforms/rules/normal-form.ts'
import { captionPath, fieldPath, placeOfComment } from '../../platforms/rules/paths.ts'
import { findMarkup, readCaption } from '../../platforms/rules/stored-text.ts'
import { createMemo, type TextCache } from '../../platforms/rules/text-cache.ts'
import { isBlank } from '../../platforms/rules/text-length.ts'
import { firstLineOf } from '../../platforms/rules/title.ts'
import { nameFile } from '../../platforms/rules/wording.ts'
import type { WarningContext } from './warning-context.ts'

/** The most parts of a text that a warning names. */
const NAMED_MAX = 3
/** UTF-16 units. */
const ADDRESS_LENGTH_MAX = 60

/** Adds warnings about texts that change on their way to readers, in the order of the schema's codes. */
export function addTextWarnings(context: WarningContext): void {
  addAlteredTexts(context)
  addCutTexts(context)
  addUncertainTexts(context)
}

/** Texts that a network publishes without a part of them. A caption with invalid markup is not published at all. */
function addAlteredTexts({ post, texts, isFull, warn }: WarningContext): void {
  const losses = createMemo<string | undefined>()
  for (const target of post.targets) {
    if (isFull()) return
    const { limits: platform, caption } = target
    const { findRemoved } = platform
    const fields = target.fields ?? {}
    // Only markup and removed characters are lost.
    if (!findRemoved && !findMarkup({ platform, fields })) continue
    const describe = (text: string) =>
      findRemoved && losses(text, findRemoved, () => describeCharacters(text, texts.read(text, findRemoved)))
    const read = readCaption(caption, { platform, fields, texts })
    const markup = 'problem' in read ? [] : [describeLinks(read.deadLinks), describeEntities(read.lostEntities)]
    for (const loss of [...markup, describe(caption)]) {
      if (loss) warn(target, 'altered_text', captionPath(target), `caption ${loss}`)
    }
    for (const [index, comment] of target.commentTexts.entries()) {
      const loss = describe(comment)
      const { path, name } = placeOfComment(post, index)
      if (loss) warn(target, 'altered_text', path, `${name} ${loss}`)
    }
  }
}

/** Texts whose end the network does not get. */
function addCutTexts({ post, texts, isFull, warn }: WarningContext): void {
  for (const target of post.targets) {
    if (isFull()) return
    const { limits: platform, caption, media } = target
    const fields = target.fields ?? {}
    for (const file of new Set(media.files)) {
      if (!file.altText && !isText(fields.altText)) continue
      const rule = findAltTextRule(platform, file)
      const text = rule && findAltText(file, fields)
      const excess = text && describeExcess(text, rule, texts)
      if (!excess) continue
      if (isFull()) return
      const pathOfOwn = () => (post.altTexts?.[file.id] === undefined ? media.findPath(file.id) : ['altTexts', file.id])
      const path = text === file.altText ? pathOfOwn() : fieldPath(target, 'altText')
      warn(target, 'text_cut', path, `the alternative text of media ${nameFile(file)} is cut: ${excess}`)
    }
    const { title } = platform
    if (!title?.required || isFull()) continue
    const ownTitle = fields[title.field]
    if (isText(ownTitle) && !isBlank(ownTitle)) continue
    // A caption that is too long to be analyzed breaks the limits of every network.
    const excess = describeExcess(texts.read(caption, firstLineOf) ?? '', title, texts)
    if (!excess) continue
    const problem = `the first line of the caption becomes the title and is cut: ${excess}`
    warn(target, 'text_cut', captionPath(target), problem)
  }
}

/** Texts that the network may refuse, although its page allows them. */
function addUncertainTexts({ post, texts, isFull, warn }: WarningContext): void {
  for (const target of post.targets) {
    if (isFull()) return
    const { limits } = target
    const add = (text: string, rule: TextRule | undefined, findPath: () => BodyPath, name: string) => {
      if (!rule || isFull()) return
      const problem = describeUncertain(text, rule, texts)
      if (problem) warn(target, 'may_be_refused', findPath(), `${name} ${problem}`)
    }
    const parts = post.postType === 'thread' ? target.parts : null
    if (parts) {
      for (const [index, part] of parts.entries()) {
        add(part, limits.thread, () => ['threadParts', target.accountId, index], `thread part ${index + 1}`)
      }
    } else add(target.caption, limits.caption, () => captionPath(target), 'caption')
    for (const [index, comment] of target.commentTexts.entries()) {
      const { path, name } = placeOfComment(post, index)
      add(comment, limits.firstComment, () => path, name)
    }
  }
}

/** The limit that a text exceeds, although the page of the network does not state it. */
function describeUncertain(
  text: string,
  { uncertainBytesMax, uncertainHashtagsMax, uncertainContent }: TextRule,
  texts: TextCache,
): string | undefined {
  const bytes = uncertainBytesMax ? texts.countLength(text, 'bytes') : 0
  if (uncertainBytesMax && bytes > uncertainBytesMax.max) {
    return `is ${bytes} bytes long: texts of more than ${uncertainBytesMax.max} bytes were refused`
  }
  const hashtags = uncertainHashtagsMax ? texts.countEntities(text, 'hashtag') : 0
  if (uncertainHashtagsMax && hashtags > uncertainHashtagsMax.max) {
    return `has ${hashtags} hashtags: the network announced that it takes ${uncertainHashtagsMax.max}`
  }
  const content = uncertainContent && texts.read(text, uncertainContent.find)
  return content && `contains ${content}: ${uncertainContent.problem}`
}

const isText = (value: unknown): value is string => typeof value === 'string'

type Limits = Pick<AltTextRule, 'lengthMax' | 'unit' | 'bytesMax'>

/** How long a text is, and how much of it the network keeps; undefined for one that is within the limits. */
function describeExcess(
  text: string,
  { lengthMax, unit, bytesMax = Number.POSITIVE_INFINITY }: Limits,
  texts: TextCache,
): string | undefined {
  // None of these units counts more than the UTF-16 units, and no character has more than three bytes for each UTF-16
  // unit.
  if (text.length <= lengthMax && 3 * text.length <= bytesMax) return undefined
  const length = texts.countLength(text, unit)
  if (length > lengthMax) return `it has ${length} characters, the network keeps ${lengthMax}`
  const bytes = texts.countLength(text, 'bytes')
  return bytes > bytesMax ? `it has ${bytes} bytes, the network keeps ${bytesMax}` : undefined
}

function describeLinks(addresses: readonly string[]): string | undefined {
  if (addresses.length === 0) return undefined
  const named = listSome(addresses, (address) => JSON.stringify(cut(address)))
  return `is published without the link to ${named}: the address has to be a URL such as https://example.com`
}

const describeEntities = (lost: number) =>
  lost === 0 ? undefined : `is published without its last ${lost} formatted parts: use fewer, or write several posts`

const cut = (address: string) =>
  address.length > ADDRESS_LENGTH_MAX ? `${address.slice(0, ADDRESS_LENGTH_MAX).toWellFormed()}…` : address

function describeCharacters(text: string, removed: readonly string[] = []): string | undefined {
  if (removed.length === 0) return undefined
  const composed = normalizeText(text, 'NFC')
  const isComposable = removed.every((character) => !composed.includes(character))
  const hint = isComposable ? 'write composed letters (Unicode form NFC)' : 'replace them'
  const named = listSome(removed, toCodePoint)
  return `is published without ${named}, which the network removes: ${hint}`
}

const toCodePoint = (character: string) => `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`

const listSome = (items: readonly string[], nameOf: (item: string) => string) =>
  items.slice(0, NAMED_MAX).map(nameOf).join(', ') +
  (items.length > NAMED_MAX ? ` and ${items.length - NAMED_MAX} more` : '')
