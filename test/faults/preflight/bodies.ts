import fc, { type Arbitrary } from 'fast-check'
import { MEDIA_FITS } from '../../../schemas/media.ts'
import { type PlatformId, POST_TYPES } from '../../../schemas/platform.ts'
import type { FieldValue } from '../../../src/platforms/contract/limits.ts'
import { platforms } from '../../../src/platforms/limits.ts'
import { type Json, valid } from '../fuzz/values.ts'

/** The resources to which bodies refer. */
export interface Subjects {
  accounts: { id: string; platform: PlatformId }[]
  media: string[]
  /** Some of them: images with bytes, which can be made to fit. */
  images: string[]
  /** Ids of another user, of nothing, and of a disconnected account. */
  inaccessible: { accountIds: string[]; mediaIds: string[] }
}

type Weighted<T> = { weight: number; arbitrary: Arbitrary<T> }
const weighted = <T>(weight: number, arbitrary: Arbitrary<T>): Weighted<T> => ({ weight, arbitrary })

/** Lengths on both sides of the networks' limits. */
const LENGTHS = [...new Set([90, 100, 255, 280, 300, 500, 800, 1000, 1250, 1500, 2000, 2200, 3000, 4096, 5000, 10_000])]
const PIECES = [
  'a',
  'é',
  '漢',
  '🌊',
  '👨‍👩‍👧‍👦',
  '#a ',
  '@a ',
  '$A ',
  'https://example.com/ ',
  '**a** ',
  '<b>a</b>',
  ' ',
]

const longText = fc
  .record({
    piece: fc.constantFrom(...PIECES),
    length: fc.constantFrom(...LENGTHS),
    more: fc.integer({ min: -1, max: 1 }),
  })
  .map(({ piece, length, more }) => piece.repeat(Math.ceil(length / piece.length)).slice(0, length + more))
  // A slice may have cut a surrogate pair, which no body may contain.
  .map((text) => text.toWellFormed())

const text = fc.oneof(weighted(3, valid({ type: 'string' }) as Arbitrary<string>), weighted(1, longText))

/** Values of a known field: mostly of its type, on both sides of its limits. */
function fieldValues(rule: FieldValue): Arbitrary<Json> {
  return fc.oneof(weighted(9, typedValues(rule)), weighted(1, valid({})))
}

function typedValues(rule: FieldValue): Arbitrary<Json> {
  switch (rule.type) {
    case 'string':
      return fc.oneof(text, fc.constantFrom('en', 'pt-BR', '123456', '#news', 'https://example.com/a'))
    case 'url':
      return fc.oneof(weighted(3, fc.constant('https://example.com/a')), weighted(1, text))
    case 'datetime':
      return fc.oneof(weighted(3, valid({ type: 'string', format: 'date-time' })), weighted(1, text))
    case 'boolean':
      return fc.boolean()
    case 'integer':
    case 'number':
      return fc.integer({ min: (rule.min ?? 0) - 1, max: (rule.max ?? 100) + 1 })
    case 'enum':
      return fc.constantFrom(...rule.values, 'none of these')
    case 'string[]': {
      const item = rule.values ? fc.constantFrom(...rule.values, 'none of these') : typedValues({ type: 'string' })
      return fc.array(item, { maxLength: (rule.itemsMax ?? 3) + 1 })
    }
    case 'object':
      return objects(rule.properties)
    case 'object[]':
      return fc.array(objects(rule.properties), { maxLength: (rule.itemsMax ?? 2) + 1 })
  }
}

const objects = (properties: Readonly<Record<string, FieldValue>>): Arbitrary<Json> => {
  const model = Object.fromEntries(Object.entries(properties).map(([key, rule]) => [key, fieldValues(rule)]))
  return fc.record(model, { requiredKeys: [], noNullPrototype: true }) as Arbitrary<Json>
}

/** `fields` of one network: some of its keys, and sometimes others. */
function fieldsOf(platform: PlatformId): Arbitrary<{ [key: string]: Json }> {
  const known = Object.entries(platforms[platform].fields)
  const some = fc
    .subarray(known, { maxLength: Math.min(4, known.length) })
    .chain((entries) => objects(Object.fromEntries(entries)))
  const others = fc.dictionary(fc.constantFrom('titel', 'visiblity', 'unknown', ''), valid({}), {
    maxKeys: 2,
    noNullPrototype: true,
  })
  return fc
    .record({ some, others: fc.option(others, { freq: 3 }) })
    .map(({ some, others }) => ({ ...(some as { [key: string]: Json }), ...others }))
}

/** How files are made to fit, for a post or for one account of it. */
const FITS = { mediaFit: fc.constantFrom(...MEDIA_FITS), padColor: fc.constantFrom('#000000', '#1a2B3c') }

const times = valid({ type: 'string', format: 'date-time' })

const rarely = <T>(values: readonly T[]) =>
  fc.oneof(weighted(6, fc.constant([] as T[])), weighted(1, fc.subarray([...values], { minLength: 1, maxLength: 2 })))

/** Posts that many networks take, with an image that fits or can be made to. */
const fittingPosts = (images: readonly string[]): Arbitrary<Record<string, Json>> =>
  fc
    .record({
      image: fc.constantFrom(...images),
      hasImage: fc.boolean(),
      mediaFit: FITS.mediaFit,
      time: fc.oneof(
        fc.constantFrom({}, ...['next', 'together', 'front'].map((queue) => ({ schedule: { queue } }))),
        fc.noBias(fc.nat({ max: 2_000_000 })).map((minutes) => ({
          scheduledAt: new Date(Date.UTC(2031, 0) + minutes * 60_000).toISOString(),
        })),
      ),
      // Only some operations look for other posts with the same text.
      number: fc.noBias(fc.maxSafeNat()),
    })
    .map(({ image, hasImage, mediaFit, time, number }) => ({
      caption: `A lighthouse at dusk, ${number}.`,
      mediaFit,
      ...time,
      ...(hasImage && { mediaIds: [image] }),
    }))

/** Bodies of create requests, most of them valid by the schema, on both sides of the limits of every network. */
export function postBodies({ accounts, media, images, inaccessible }: Subjects): Arbitrary<Record<string, Json>> {
  const targets = fc.subarray(accounts, { minLength: 1, maxLength: 4 }).chain((chosen) =>
    fc.record({
      chosen: fc.constant(chosen),
      overrides: fc.tuple(
        ...chosen.map(({ id, platform }) =>
          fc.option(
            fc.record(
              {
                accountId: fc.constant(id),
                captionOverride: fc.option(text),
                fields: fieldsOf(platform),
                mediaIds: fc.option(fc.array(fc.constantFrom(...media), { maxLength: 5 })),
                isThread: fc.boolean(),
                scheduledAt: fc.option(times),
                mediaFit: fc.option(FITS.mediaFit),
                padColor: fc.option(FITS.padColor),
              },
              { requiredKeys: ['accountId'], noNullPrototype: true },
            ),
          ),
        ),
      ),
      parts: fc.tuple(
        ...chosen.map(() => fc.option(fc.array(text, { maxLength: 5 }).map((parts) => parts.flatMap(repeatOften)))),
      ),
    }),
  )
  return fc
    .record({
      targets,
      others: rarely(inaccessible.accountIds),
      otherMedia: rarely(inaccessible.mediaIds),
      isStray: fc.nat({ max: 30 }).map((one) => one === 0),
      isPlain: fc.nat({ max: 3 }).map((one) => one === 0),
      fitting: fc.option(fittingPosts(images), { freq: 3 }),
      mediaIds: fc.array(fc.constantFrom(...media), { maxLength: 5 }),
      optional: fc.record(
        {
          caption: text,
          firstComment: text,
          postType: fc.constantFrom(...POST_TYPES),
          scheduledAt: times,
          queue: fc.constantFrom(null, null, null, 'next', 'together', 'front'),
          ...FITS,
          altText: fc.option(text),
          hasMedia: fc.constant(true),
          hasOverrides: fc.constant(true),
          hasParts: fc.constant(true),
        },
        { requiredKeys: [], noNullPrototype: true },
      ),
    })
    .map(({ targets, others, otherMedia, isStray, isPlain, fitting, mediaIds, optional }) => {
      if (fitting) return { accountIds: targets.chosen.slice(0, 2).map(({ id }) => id), ...fitting }
      const { hasMedia, hasOverrides, hasParts, queue, scheduledAt, altText, ...rest } = optional
      const accountIds = [...targets.chosen.map(({ id }) => id), ...others]
      // Repeated ids count once.
      if (accountIds.length % 2 === 0) accountIds.unshift(accountIds.at(-1)!)
      if (isPlain) return { accountIds, caption: 'A lighthouse at dusk.', ...(hasMedia && { mediaIds: otherMedia }) }
      // A post has a time or a queue, and only one with a time has those of accounts.
      const isTimed = scheduledAt !== undefined && (!queue || isStray)
      const parts = targets.chosen.map(({ id }, index) => [isStray ? 'stray' : id, targets.parts[index]!])
      const own = targets.overrides.map((override, index) => {
        if (!override?.isThread || rest.postType !== 'thread') return withFiles(override)
        const { mediaIds, ...own } = withFiles(override)!
        const lists = Math.max(1, hasParts ? (targets.parts[index]?.length ?? 0) : 0)
        return { ...own, threadMedia: mediaIds ? spread(mediaIds as string[], lists, isStray) : null }
      })
      const overrides = own
        .filter((override) => override !== null)
        .map(({ scheduledAt, ...override }: Record<string, Json>) =>
          scheduledAt !== undefined && (isTimed || isStray) ? { ...override, scheduledAt } : override,
        )
      return {
        ...(rest as Record<string, Json>),
        ...(isTimed && { scheduledAt }),
        ...(queue && { schedule: { queue } }),
        accountIds,
        ...(hasMedia && { mediaIds: [...mediaIds, ...otherMedia] }),
        // A text of a file that the post does not have is refused.
        ...(altText !== undefined && (hasMedia || isStray) && { altTexts: { [mediaIds[0] ?? 'stray']: altText } }),
        ...(hasOverrides && { accountOverrides: overrides }),
        ...(hasParts && { threadParts: Object.fromEntries(parts) }),
      }
    })
}

const withFiles = (override: Record<string, Json> | null) => {
  if (!override) return null
  const { isThread: _, ...own } = override
  return own
}

/** The files on as many lists; a list too many if `isStray`. */
const spread = (ids: readonly string[], count: number, isStray: boolean): string[][] =>
  Array.from({ length: count + (isStray ? 1 : 0) }, (_, part) => ids.filter((_, index) => index % count === part))

/** Threads have at most 25 parts. */
const repeatOften = (part: string, index: number) => Array<string>(index === 4 ? 22 : 1).fill(part)
