import type { AccountFacts } from '../../../schemas/account-facts.ts'
import type { MediaType } from '../../../schemas/media.ts'
import type {
  AltTextRule,
  Condition,
  FieldRule,
  FieldValue,
  GifRule,
  ImageRule,
  Platform,
  PostTypeRule,
  VideoRule,
} from '../contract/limits.ts'
import type { Source } from '../contract/source.ts'
import { mapValues } from '../rules/map-values.ts'
import type { ServerFacts } from './facts.ts'
import { mastodon } from './limits.ts'
import { findSoftware, type Software } from './software.ts'

interface Server {
  facts: ServerFacts
  software: Software
  /** The page on which the server states its limits. */
  source: Source
}

/** The limits of an account on a server that states these facts. */
export function limitsFor(stored: AccountFacts): Platform {
  if (!stored.server) return mastodon
  const facts = stored as ServerFacts
  const { host, version } = facts.server
  const source: Source = { url: `https://${host}${facts.page}`, confidence: 'official', version, seenAt: facts.readOn }
  const server: Server = { facts, software: findSoftware(facts.server.software), source }
  const { unit, asStored, source: unitSource } = server.software
  const { caption, firstComment, thread, altTexts, postTypes, ...rest } = mastodon
  const { asStored: _, ...platform } = rest
  const text = { unit, source: unitSource }
  const reply = { ...text, ...refuseReactions(server.software) }
  return {
    ...platform,
    server: { ...facts.server, source },
    ...(asStored && { asStored }),
    caption: { ...caption, ...text, ...(server.software.needsText && { required: 'unless media' }) },
    firstComment: { ...firstComment!, ...reply },
    thread: { ...thread!, ...reply },
    altTexts: mapValues(altTexts, (rule) => toAltTextRule(rule, server)),
    postTypes: mapValues(postTypes, (rule, type) => toPostTypeRule(rule, type, server)),
    fields: toFields(server),
  }
}

const refuseReactions = ({ isReaction: test, name, source }: Software) =>
  test && { refusedReply: { test, problem: `is a single emoji: ${name} makes a reaction of it`, source } }

function toAltTextRule(rule: AltTextRule, { facts, software, source }: Server): AltTextRule {
  const lengthMin = facts.altTextLengthMin
  return {
    ...rule,
    unit: software.altTextUnit,
    ...(lengthMin !== undefined && { lengthMin, source }),
  }
}

function toPostTypeRule(rule: PostTypeRule, type: string, server: Server): PostTypeRule {
  const { facts, software, source } = server
  const mediaMax = rule.mediaMax === 1 ? 1 : (facts.filesMax ?? rule.mediaMax)
  const { image, gif, video } = rule
  const { gifAlone: _, ...mixable } = rule
  // Only Mastodon forbids to mix files.
  const own: PostTypeRule = software.isStrictAboutFiles
    ? { ...rule, imagesMax: image ? mediaMax : 0 }
    : {
        ...mixable,
        mixed: true,
        imagesMax: image ? mediaMax : 0,
        gifsMax: gif ? mediaMax : 0,
        videosMax: video ? mediaMax : 0,
      }
  return {
    ...own,
    mediaMax,
    ...(software.needsFile && { mediaMin: Math.max(1, rule.mediaMin) }),
    ...(software.needsFile && type === 'thread' && { repliesMediaMin: 0 }),
    ...(image && { image: toImageRule(image, server) }),
    ...(gif && { gif: toImageRule(gif, server) }),
    ...(video && { video: toVideoRule(video, server) }),
    source,
  }
}

function toImageRule<R extends ImageRule | GifRule>(rule: R, { facts, software, source }: Server): R {
  const { pixelsMax, ...free } = rule
  const { imageBytesMax: bytesMax = rule.bytesMax, imagePixelsMax = pixelsMax } = facts
  // GIFs become videos, whose pixels are fewer.
  const pixels = rule.mimeTypes[0] === 'image/gif' ? pixelsMax : imagePixelsMax
  return {
    ...free,
    ...(software.isStrictAboutFiles && pixels !== undefined && { pixelsMax: pixels }),
    mimeTypes: chooseTypes(rule.mimeTypes, facts),
    ...(bytesMax !== undefined && { bytesMax }),
    source,
  } as R
}

function toVideoRule(rule: VideoRule, { facts, software, source }: Server): VideoRule {
  const { pixelsMax, fpsMax, ...free } = rule
  const { videoBytesMax: bytesMax = rule.bytesMax, videoPixelsMax = pixelsMax, videoFpsMax = fpsMax } = facts
  return {
    ...free,
    ...(software.isStrictAboutFiles && { pixelsMax: videoPixelsMax, fpsMax: videoFpsMax }),
    mimeTypes: chooseTypes(rule.mimeTypes, facts),
    ...(bytesMax !== undefined && { bytesMax }),
    source,
  } as VideoRule
}

/** Those of the same kind that the server takes. */
const chooseTypes = (types: readonly MediaType[], { mediaTypes }: ServerFacts): readonly MediaType[] =>
  mediaTypes ? types.filter((type) => mediaTypes.includes(type)) : types

const always = (when: string): Condition => ({ when, test: () => true })

function toFields({ facts, software, source }: Server): Platform['fields'] {
  const { visibility, spoilerText, language, altText, poll, contentType, ...others } = mastodon.fields
  const { spoilerUnit, spoilerLengthMax, visibilities, language: languages, ignores = [], name } = software
  const { countsInText: _, ...uncounted } = spoilerText!
  const { contentTypes = [] } = facts
  const { unused: __, ...usedContentType } = contentType!
  const fields: Platform['fields'] = {
    visibility: visibilities
      ? ({ ...visibility, values: visibilities, source: software.source } as FieldRule)
      : visibility!,
    spoilerText: {
      ...uncounted,
      ...(spoilerUnit && { countsInText: spoilerUnit }),
      ...(spoilerLengthMax !== undefined && { lengthMax: spoilerLengthMax }),
      source: software.source,
    } as FieldRule,
    language: languages ? ({ ...language, form: languages, source: software.source } as FieldRule) : language!,
    ...others,
    altText: altText!,
    poll: toPollRule(poll!, { facts, software, source }),
    contentType:
      contentTypes.length > 0 ? ({ ...usedContentType, values: contentTypes, source } as FieldRule) : contentType!,
  }
  for (const key of ignores)
    fields[key] = { ...fields[key]!, unused: always(`the server runs ${name}, which ignores it`) }
  return fields
}

function toPollRule(rule: FieldRule, { facts, software, source }: Server): FieldRule {
  const { pollOptionsMax, pollOptionLengthMax, pollSecondsMin, pollSecondsMax } = facts
  if (pollOptionsMax === 0) return { ...rule, refused: always('there are no polls'), source }
  const { withoutMedia, ...free } = rule
  const { properties } = rule as FieldValue & { type: 'object' }
  const { options, expiresIn } = properties
  const { unit: _, trimmed: __, ...item } = (options as FieldValue & { type: 'string[]' }).item!
  const { optionUnit, trimsOptions } = software
  return {
    ...free,
    ...(!software.mixesPolls && !facts.pollsHaveFiles && withoutMedia && { withoutMedia }),
    properties: {
      ...properties,
      options: {
        ...options,
        itemsMax: pollOptionsMax ?? 4,
        item: {
          ...item,
          ...(optionUnit !== 'code points' && { unit: optionUnit }),
          ...(trimsOptions && { trimmed: true }),
          lengthMax: pollOptionLengthMax ?? item.lengthMax,
        },
      },
      expiresIn: {
        ...expiresIn,
        min: Math.max(1, pollSecondsMin ?? 300),
        ...(pollSecondsMax !== undefined && { max: pollSecondsMax }),
      },
    },
    source,
  } as FieldRule
}
