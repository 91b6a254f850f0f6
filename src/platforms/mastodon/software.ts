import type { AccountFacts } from '../../../schemas/account-facts.ts'
import type { TextUnit } from '../contract/limits.ts'
import type { Source } from '../contract/source.ts'
import { isKnownLanguage, isTwoLetterLanguage } from './languages.ts'
import { asStored, withoutEnd } from './stored-text.ts'

/** The rules of a server's software, which the server does not state. */
export interface Software {
  /** As people call it. */
  name: string
  /** How the length of texts is counted. */
  unit: TextUnit
  /** How a content warning counts towards the text. Absent: it does not. */
  spoilerUnit?: TextUnit
  /** The longest content warning, in code points. */
  spoilerLengthMax?: number
  optionUnit: 'graphemes' | 'clusters' | 'UTF-16 units' | 'code points'
  /** Whether white space at the ends of a poll's option is not counted. */
  trimsOptions?: true
  altTextUnit: 'code points' | 'graphemes'
  /** The longest alternative text where the server does not state it. */
  altTextLengthMax?: number
  /** A text as the server counts it. Absent: as it is sent. */
  asStored?: (text: string) => string
  /** Whether the server refuses files because of their pixels and frames per second, and forbids to mix files. */
  isStrictAboutFiles?: true
  /** Whether a post needs a file, unless it is a reply. */
  needsFile?: true
  /** Whether a post may have a poll and files. */
  mixesPolls?: true
  /** Whether a post needs a text or a file beside its content warning. */
  needsText?: true
  /** A reply that becomes a reaction to the post above it. */
  isReaction?: (text: string) => boolean
  visibilities?: readonly string[]
  /** The languages that it takes. Absent: it ignores those that it does not know. */
  language?: { test: (code: string) => boolean; expected: string }
  /** Whether the list of an account's statuses leaves out replies, and those with images and videos. */
  hidesReplies?: true
  hidesMixed?: true
  /** Keys of `fields` that the software ignores. */
  ignores?: readonly string[]
  source: Source
}

const source = (url: string, version: string): Source => ({
  url,
  confidence: 'official',
  version,
  seenAt: '2026-11-28',
})

// A link counts 23 and a mention without its domain: rules/text-length.ts.
const mastodon: Software = {
  name: 'Mastodon',
  unit: 'mastodon',
  spoilerUnit: 'clusters',
  optionUnit: 'clusters',
  trimsOptions: true,
  altTextUnit: 'code points',
  asStored,
  isStrictAboutFiles: true,
  source: source('https://github.com/mastodon/mastodon/blob/main/app/validators/status_length_validator.rb', 'v4.6'),
}

// validateStatusContent counts the runes of the text as it is sent and of the warning, with all of each link.
const gotosocial: Software = {
  name: 'GoToSocial',
  unit: 'code points',
  spoilerUnit: 'code points',
  optionUnit: 'code points',
  altTextUnit: 'code points',
  language: { test: isKnownLanguage, expected: 'a known BCP 47 tag such as en or pt-BR' },
  ignores: ['quoteApprovalPolicy'],
  source: source(
    'https://codeberg.org/superseriousbusiness/gotosocial/src/branch/main/internal/processing/status/common.go',
    '0.20',
  ),
}

// String.length counts graphemes: https://hexdocs.pm/elixir/String.html#length/1. The end of the text is trimmed.
const akkoma: Software = {
  name: 'Akkoma',
  unit: 'graphemes',
  spoilerUnit: 'graphemes',
  optionUnit: 'graphemes',
  altTextUnit: 'graphemes',
  altTextLengthMax: 5_000,
  asStored: withoutEnd,
  mixesPolls: true,
  visibilities: ['public', 'unlisted', 'local', 'private', 'direct'],
  language: { test: isTwoLetterLanguage, expected: 'a two-letter code of ISO 639-1 such as en' },
  ignores: ['quoteApprovalPolicy'],
  source: source(
    'https://akkoma.dev/AkkomaGang/akkoma/src/branch/develop/lib/pleroma/web/common_api/utils.ex',
    '086d0a0',
  ),
}

const { language: _, ...pleromaRules } = akkoma
const pleroma: Software = {
  ...pleromaRules,
  name: 'Pleroma',
  source: source(
    'https://git.pleroma.social/pleroma/pleroma/-/blob/develop/lib/pleroma/web/common_api/activity_draft.ex',
    '1193ce0',
  ),
}

// statusCreate. Laravel counts with mb_strlen: https://laravel.com/docs/validation#rule-max
const pixelfed: Software = {
  name: 'Pixelfed',
  unit: 'code points',
  spoilerLengthMax: 140,
  optionUnit: 'code points',
  altTextUnit: 'code points',
  altTextLengthMax: 1_000,
  asStored,
  needsFile: true,
  // accountStatusesById.
  hidesReplies: true,
  hidesMixed: true,
  visibilities: ['public', 'unlisted', 'private'],
  ignores: ['quoteApprovalPolicy', 'language'],
  source: source(
    'https://github.com/pixelfed/pixelfed/blob/dev/app/Http/Controllers/Api/ApiV1Controller.php',
    '8aae92d',
  ),
}

// Statuses.php refuses no length, and images that are too large are made smaller.
const friendica: Software = {
  name: 'Friendica',
  unit: 'code points',
  spoilerUnit: 'code points',
  optionUnit: 'code points',
  altTextUnit: 'code points',
  ignores: ['quoteApprovalPolicy'],
  source: source('https://github.com/friendica/friendica/blob/develop/src/Module/Api/Mastodon/Statuses.php', 'a0a8aeb'),
}

// CreateNoteAsync adds the lengths of both strings, which .NET counts in UTF-16.
const iceshrimp: Software = {
  name: 'Iceshrimp.NET',
  unit: 'UTF-16 units',
  spoilerUnit: 'UTF-16 units',
  optionUnit: 'UTF-16 units',
  altTextUnit: 'code points',
  mixesPolls: true,
  visibilities: ['public', 'unlisted', 'local', 'private', 'direct'],
  ignores: ['quoteApprovalPolicy', 'language'],
  source: source(
    'https://iceshrimp.dev/iceshrimp/Iceshrimp.NET/src/branch/dev/Iceshrimp.Backend/Core/Services/NoteService.cs',
    'b3d9f64',
  ),
}

/** Whether a text is an emoji, or the name of one, but for mentions. */
function isSingleEmoji(text: string): boolean {
  const rest = text.replace(/@\S+/g, '').replace(/\s/g, '')
  return /^(?:\p{RGI_Emoji}|\p{Emoji_Presentation}|\p{Emoji}\uFE0F?|:[\w@]+:)$/v.test(rest) && !/^[\d#*]$/.test(rest)
}

// `ps.text.length`, without the warning, which has a limit of its own that is not stated.
const sharkey: Software = {
  name: 'Sharkey',
  unit: 'UTF-16 units',
  spoilerLengthMax: 500,
  optionUnit: 'code points',
  altTextUnit: 'code points',
  mixesPolls: true,
  // packages/backend/src/server/api/mastodon/endpoints/status.ts
  isReaction: isSingleEmoji,
  needsText: true,
  ignores: ['quoteApprovalPolicy', 'language'],
  source: source(
    'https://activitypub.software/TransFem-org/Sharkey/-/blob/develop/packages/backend/src/server/api/endpoints/notes/create.ts',
    '2025.4',
  ),
}

/** Software that is not known: all of a link and of the warning counts, as outside of Mastodon. */
const other: Software = {
  ...friendica,
  name: '',
  ignores: [],
  source: { ...mastodon.source, confidence: 'assumed' },
}

export const SOFTWARE: Readonly<Record<string, Software>> = {
  mastodon,
  'glitch-soc': { ...mastodon, name: 'glitch-soc' },
  hometown: { ...mastodon, name: 'Hometown' },
  gotosocial,
  akkoma,
  pleroma,
  pixelfed,
  friendica,
  'iceshrimp.net': iceshrimp,
  sharkey,
}

/** The software of an account's server. Mastodon, if that is not known. */
export const softwareOf = (facts: AccountFacts | null | undefined): Software =>
  findSoftware(facts?.server?.software ?? mastodon.name)

/** The rules of software with this name, as the server gives it. */
export function findSoftware(name: string): Software {
  const key = name.toLowerCase()
  return Object.hasOwn(SOFTWARE, key) ? SOFTWARE[key]! : { ...other, name }
}
