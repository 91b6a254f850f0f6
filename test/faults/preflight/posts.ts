import fc, { type Arbitrary } from 'fast-check'
import type { AccountFacts } from '../../../schemas/account-facts.ts'
import type { CreatePost } from '../../../schemas/create-post.ts'
import { MEDIA_FITS, type MediaFit, type MediaType } from '../../../schemas/media.ts'
import type { PlatformId, PostType } from '../../../schemas/platform.ts'
import type {
  FieldTextRule,
  FieldValue,
  Platform,
  PostTypeRule,
  TextUnit,
} from '../../../src/platforms/contract/limits.ts'
import { limitsOf } from '../../../src/platforms/limits.ts'
import { countLength } from '../../../src/platforms/rules/text-length.ts'
import type { Json } from '../fuzz/values.ts'

/** A file that posts can have. */
export interface StoredFile {
  id: string
  mimeType: MediaType
}

/** An account that posts go to. */
export interface Target {
  id: string
  platform: PlatformId
  textLengthMax: number | null
  /** The limits that the server of the account states. */
  facts?: AccountFacts | null
}

const PIECES = [
  'a',
  'word ',
  'é',
  'e\u0301',
  '漢',
  '🌊',
  '👨‍👩‍👧‍👦',
  '🇺🇳',
  '’',
  '\n',
  '\r\n',
  '  ',
  '\u200b',
  '#tag ',
  '@ada ',
  '@ada@social.example ',
  '$A ',
  'https://example.com/a?b=c ',
  // Not a host that logs name: a caption is not to be found there.
  'pier-lighthouse.com ',
  '<b>a</b> ',
  '*a* ',
  '_',
  '& ',
  '%20',
  '"',
  '\\',
  '\u0001',
  'किं',
]
const BLANKS = ['', ' ', '\n', '\u200b', '\u00a0', '\u3000', '\u2060', '\ufeff', '\u00ad']

/** A text of exactly `length`, or a little shorter, in the unit of its limit. */
function fill(pieces: readonly string[], length: number, unit: TextUnit): string {
  const round = pieces.join('')
  let text = round.repeat(Math.floor(length / Math.max(1, countLength(round, unit))))
  while (countLength(text, unit) > length) text = text.slice(0, Math.floor(text.length * 0.9)).toWellFormed()
  const missing = length - countLength(text, unit)
  const padded = text + 'z'.repeat(missing)
  return countLength(padded, unit) <= length ? padded : text
}

const some = fc.array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 4 })

/** Texts of a few words, at the limit, and blank ones. */
const texts = (lengthMax = 300, unit: TextUnit = 'code points'): Arbitrary<string> =>
  fc.oneof(
    { weight: 5, arbitrary: fc.array(fc.constantFrom(...PIECES), { maxLength: 6 }).map((pieces) => pieces.join('')) },
    {
      weight: 3,
      arbitrary: fc
        .tuple(some, fc.integer({ min: 0, max: 2 }))
        .map(([pieces, less]) => fill(pieces, Math.max(0, lengthMax - less), unit)),
    },
    { weight: 1, arbitrary: fc.constantFrom(...BLANKS) },
  )

const fieldTexts = ({ lengthMax, unit, bytesMax, pattern, notBlank }: FieldTextRule): Arbitrary<string> => {
  const fitting = [...'0123456789'].map((digit) => digit.repeat(6)).concat('en', 'pt-BR', '#a1B2c3', 'lighthouses')
  if (pattern) return fc.oneof(fc.constantFrom(...fitting), texts(lengthMax ?? 30, unit))
  const all =
    bytesMax === undefined ? texts(lengthMax, unit) : fc.oneof(texts(lengthMax, unit), texts(bytesMax, 'bytes'))
  return notBlank ? all.filter((text) => text.trim() !== '') : all
}

const urls = fc.constantFrom(
  'https://example.com/a',
  'http://example.com',
  'HTTPS://EXAMPLE.COM/%20?a=b#c',
  'https://bücher.example/ü',
  'https://example.com/a_(b)',
  'https://example.com:8443/a',
)

/** Values of a field, most of them valid. */
function values(rule: FieldValue): Arbitrary<Json> {
  switch (rule.type) {
    case 'string':
      return fieldTexts(rule)
    case 'url':
      return rule.attachments ? fc.oneof(urls, fc.constantFrom('attachment://image-1.jpg', 'ftp://example.com')) : urls
    case 'datetime':
      return fc.constantFrom('2027-01-01T10:00:00Z', '2027-01-02T10:00:00.5+02:00', '2027-01-03T23:59:59-12:00')
    case 'boolean':
      return fc.boolean()
    case 'integer':
      return fc.oneof(
        fc.integer({ min: rule.min ?? -5, max: Math.min(rule.max ?? 5, (rule.min ?? -5) + 10) }),
        fc.constantFrom(rule.min ?? 0, rule.max ?? 1000),
      )
    case 'number':
      return fc.constantFrom(rule.min ?? 0, rule.max ?? 1, ((rule.min ?? 0) + (rule.max ?? 1)) / 3)
    case 'enum':
      return fc.constantFrom(...rule.values)
    case 'string[]': {
      const item = rule.values ? fc.constantFrom(...rule.values) : fieldTexts({ lengthMax: 20, ...rule.item })
      return fc.array(item, { minLength: rule.itemsMin ?? 0, maxLength: Math.min(rule.itemsMax ?? 5, 30) })
    }
    case 'object':
      return objects(rule.properties)
    case 'object[]':
      return fc.array(objects(rule.properties), { maxLength: Math.min(rule.itemsMax ?? 3, 26) })
  }
}

const objects = (properties: Readonly<Record<string, FieldValue & { required?: unknown }>>): Arbitrary<Json> => {
  const model = Object.fromEntries(Object.entries(properties).map(([key, rule]) => [key, values(rule)]))
  const requiredKeys = Object.keys(properties).filter((key) => properties[key]!.required)
  return fc.record(model, { requiredKeys, noNullPrototype: true }) as Arbitrary<Json>
}

/** Values that only the network knows: validatePost cannot say whether they exist. An empty list leaves a key out. */
type Known = Partial<Record<string, readonly Json[]>>

function fieldsOf({ fields }: Platform, known: Known): Arbitrary<{ [key: string]: Json }> {
  const valuesFor = (key: string) => (known[key] ? fc.constantFrom(...known[key]) : values(fields[key]!))
  const keys = Object.keys(fields).filter((key) => known[key]?.length !== 0)
  const always = keys.filter((key) => fields[key]!.required)
  const others = keys.filter((key) => !always.includes(key))
  return fc.subarray(others, { maxLength: Math.min(4, others.length) }).chain((chosen) =>
    fc.record(Object.fromEntries([...always, ...chosen].map((key) => [key, valuesFor(key)])), {
      requiredKeys: always.filter((key) => fields[key]!.required === true),
      noNullPrototype: true,
    }),
  ) as Arbitrary<{ [key: string]: Json }>
}

/** Files of the types that the rule allows, or that can be made to fit; sometimes others. */
function filesOf(rule: PostTypeRule, files: readonly StoredFile[], mediaFit: MediaFit): Arbitrary<string[]> {
  const isMadeToFit = (mimeType: string) => mediaFit !== 'exact' && rule.image && mimeType.startsWith('image/')
  const types = [rule.image, rule.gif, rule.video, rule.document].flatMap((kind) => kind?.mimeTypes ?? [])
  const listOf = (list: readonly StoredFile[]) =>
    list.length === 0
      ? fc.constant([] as string[])
      : fc.array(fc.constantFrom(...list.map(({ id }) => id)), {
          minLength: Math.max(rule.mediaMin, 0),
          maxLength: Math.max(1, Math.min(rule.mediaMax, 5)),
        })
  const fitting = files.filter(({ mimeType }) => types.includes(mimeType) || isMadeToFit(mimeType))
  const kinds = ['image/', 'video/', 'image/gif', 'application/pdf'].map((kind) =>
    fitting.filter(({ mimeType }) => mimeType.startsWith(kind)),
  )
  return fc.oneof(
    ...(rule.mediaMin === 0 ? [{ weight: 3, arbitrary: fc.constant([] as string[]) }] : []),
    ...kinds.map((list) => ({ weight: list.length > 0 ? 2 : 0, arbitrary: listOf(list) })),
    { weight: 1, arbitrary: listOf(files) },
  )
}

/** Posts for one account each, most of which the network takes. */
export function postsFor(target: Target, files: readonly StoredFile[], known: Known): Arbitrary<CreatePost> {
  const { textLengthMax: _, ...account } = target
  const platform = limitsOf(account)
  const { caption, thread, firstComment, postTypes } = platform
  const lengthOf = (lengthMax: number) => target.textLengthMax ?? lengthMax
  const limits = [caption.lengthMax, caption.lengthMaxWithMedia, caption.lengthMaxWithImages].filter(
    (max) => max !== undefined,
  )
  const types = Object.entries(postTypes) as [PostType, PostTypeRule][]
  const altTexts = Object.values(platform.altTexts).map(({ lengthMax, unit }) => texts(lengthMax, unit))
  const kinds = fc.tuple(fc.constantFrom(...types), fc.constantFrom(...MEDIA_FITS))
  return kinds.chain(([[postType, rule], mediaFit]) =>
    fc
      .record({
        caption: fc.oneof(...limits.map((max) => texts(lengthOf(max), caption.unit))),
        mediaIds: filesOf(rule, files, mediaFit),
        mediaFit: fc.constant(mediaFit),
        altText: fc.option(fc.oneof(texts(), ...altTexts)),
        fields: fieldsOf(platform, known),
        comment: firstComment
          ? fc.option(texts(lengthOf(firstComment.lengthMax), firstComment.unit), { freq: 3 })
          : fc.constant(null),
        parts: thread
          ? fc.array(texts(lengthOf(thread.lengthMax), thread.unit), {
              minLength: 1,
              maxLength: Math.min(thread.partsMax, 3),
            })
          : fc.constant([]),
        isThread: fc.boolean(),
        hasOwnFiles: fc.boolean(),
        partFiles: fc.option(fc.tuple(...Array.from({ length: 3 }, () => filesOf(rule, files, mediaFit)))),
      })
      .map(({ fields, comment, parts, isThread, hasOwnFiles, partFiles, mediaIds, altText, ...post }) => {
        const threadMedia = partFiles?.slice(0, isThread ? parts.length : 1)
        const own = threadMedia && postType === 'thread' ? { threadMedia } : { mediaIds }
        const [described] = (hasOwnFiles ? own : { mediaIds }).mediaIds ?? threadMedia!.flat()
        return {
          ...post,
          ...(!hasOwnFiles && { mediaIds }),
          ...(described && altText !== null && { altTexts: { [described]: altText } }),
          accountIds: [target.id],
          postType,
          accountOverrides: [{ accountId: target.id, fields, ...(hasOwnFiles && own) }],
          ...(comment !== null && { firstComment: comment }),
          ...(postType === 'thread' && isThread && { threadParts: { [target.id]: parts } }),
        } as CreatePost
      }),
  )
}
