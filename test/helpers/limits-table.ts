import { platforms } from '../../src/platforms/catalogue.ts'
import type {
  CaptionRule,
  FirstCommentRule,
  GifRule,
  ImageRule,
  Platform,
  PostTypeRule,
  RateLimit,
  Source,
  TextRule,
  ThreadRule,
  TitleRule,
  VideoRule,
} from '../../src/platforms/limits.ts'
import { fieldRows } from './limits-table-fields.ts'
import { bytes, duration, range, ratio, semicolons, unitNames } from './limits-wording.ts'

type FileRule = ImageRule & GifRule & VideoRule
type Cite = (source: Source) => string

/** The limits of every network as Markdown: one section per network, with a table for each kind of limit. */
export const limitsMarkdown = (): string => Object.values(platforms).map(section).join('\n')

function section(network: Platform): string {
  const { id, name, fields, rateLimits } = network
  const sources = new Map<string, number>()
  // The confidence is the link's text; the URL is defined below the tables, which keeps their cells short.
  const cite: Cite = ({ url, confidence, version }) => {
    const target = `${url} "${version}"`
    const number = sources.get(target) ?? sources.size + 1
    sources.set(target, number)
    return `[${confidence}][${id}-${number}]`
  }
  const parts = [
    `### ${name}\n`,
    `[${id}/limits.ts](${id}/limits.ts)\n`,
    table(['Text', 'Limits', 'Source'], textRows(network, cite)),
    table(['Post type', 'Files', 'Source'], postTypeRows(network, cite)),
    table(['File', 'Formats', 'Limits', 'Source'], fileRows(network, cite)),
    table(['Field', 'Value', 'Notes', 'Source'], Object.entries(fields).flatMap(fieldRows(cite))),
    table(['Rate limit', 'Maximum', 'Source'], rateLimits.map(rateLimitRow(cite))),
  ]
  const definitions = [...sources].map(([target, number]) => `[${id}-${number}]: ${target}\n`).join('')
  return [...parts.filter(Boolean), definitions].join('\n')
}

function table(head: string[], rows: string[][]): string {
  if (rows.length === 0) return ''
  const row = (cells: string[]) => `| ${cells.map((cell) => cell || '–').join(' | ')} |\n`
  return row(head) + row(head.map(() => '---')) + rows.map(row).join('')
}

function textRows({ caption, firstComment, title, thread }: Platform, cite: Cite): string[][] {
  return [
    ['caption', captionLimits(caption), cite(caption.source)],
    ...(firstComment ? [['first comment', firstCommentLimits(firstComment), cite(firstComment.source)]] : []),
    ...(title ? [[`title: field \`${title.field}\``, titleLimits(title), cite(title.source)]] : []),
    ...(thread ? [['thread', threadLimits(thread), cite(thread.source)]] : []),
  ]
}

const textLimits = ({ lengthMax, unit, bytesMax, forbiddenCharacters }: TextRule) =>
  semicolons([
    `${lengthMax} ${unitNames[unit]}`,
    bytesMax !== undefined && `${bytesMax} bytes`,
    forbiddenCharacters && `without ${forbiddenCharacters.map((character) => `\`${character}\``).join(' and ')}`,
  ])

const captionLimits = (rule: CaptionRule) =>
  semicolons([
    textLimits(rule),
    rule.lengthMaxWithMedia !== undefined && `${rule.lengthMaxWithMedia} with media`,
    rule.lengthMaxWithImages !== undefined && `${rule.lengthMaxWithImages} with images`,
    rule.hashtagsMax !== undefined && `${rule.hashtagsMax} hashtags`,
    rule.mentionsMax !== undefined && `${rule.mentionsMax} mentions`,
    rule.linksMax !== undefined && `${rule.linksMax} different links`,
    rule.cashtagsMax !== undefined && `${rule.cashtagsMax} cashtag`,
    rule.required === 'always' && 'required',
    rule.required.startsWith('unless') && `required ${rule.required.replace('unless', 'without')}`,
  ])

const firstCommentLimits = (rule: FirstCommentRule) =>
  semicolons([
    textLimits(rule),
    rule.postTypes && `post types ${rule.postTypes.map((type) => `\`${type}\``).join(', ')}`,
    rule.refused && `not when ${rule.refused.when}`,
  ])

const titleLimits = (rule: TitleRule) =>
  semicolons([textLimits(rule), rule.required && "required; default: the caption's first line"])

const threadLimits = (rule: ThreadRule) =>
  rule.mode === 'single'
    ? `1 part with the whole text, ${textLimits(rule)}`
    : `${rule.partsMax} parts, each ${textLimits(rule)}`

const postTypeRows = ({ postTypes }: Platform, cite: Cite) =>
  Object.entries(postTypes).map(([type, rule]) => [`\`${type}\``, filesOf(rule), cite(rule.source)])

function filesOf(rule: PostTypeRule): string {
  const { mediaMin, mediaMax, mixed, gifAlone } = rule
  const images = atMost(rule.imagesMax, mediaMax, 'image')
  const gifs = atMost(rule.gifsMax, mediaMax, 'GIF')
  const videos = atMost(rule.videosMax, mediaMax, 'video')
  const stills = [images, gifAlone ? '' : gifs].filter(Boolean)
  const combined = mixed ? list([...stills, videos]) : [list(stills), videos].filter(Boolean).join(' or ')
  return semicolons([
    `${mediaMax === 1 && mediaMin === 1 ? '' : `${mediaMin}–${mediaMax}: `}${combined}${gifAlone ? ` or ${gifs}` : ''}`,
    rule.requestBytesMax !== undefined && `at most ${bytes(rule.requestBytesMax)} in total`,
    !rule.hasCaption && 'no caption',
  ])
}

/** "images, GIFs and videos". */
const list = (names: string[]) =>
  names
    .filter(Boolean)
    .join(', ')
    .replace(/, ([^,]*)$/, ' and $1')

/** Empty where the post type takes no such file, and without a number where all of its files may be of this kind. */
function atMost(kindMax: number, max: number, kind: string): string {
  if (kindMax === 0) return ''
  return kindMax === max && max > 1 ? `${kind}s` : `${kindMax} ${kind}${kindMax > 1 ? 's' : ''}`
}

const fileRows = (network: Platform, cite: Cite) =>
  (['image', 'gif', 'video'] as const).flatMap((kind) => fileRowsOfKind(network, kind, cite))

/** One row for each different rule of a kind of file; where there are several, with the post types of each. */
function fileRowsOfKind({ postTypes }: Platform, kind: 'image' | 'gif' | 'video', cite: Cite): string[][] {
  const typesByRule = new Map<string, string[]>()
  for (const [type, postType] of Object.entries(postTypes)) {
    const rule: FileRule | undefined = postType[kind]
    if (!rule) continue
    const formats = rule.mimeTypes.map((mimeType) => mimeType.replace(/^(?:image|video)\/(?:x-)?/, ''))
    const cells = JSON.stringify([formats.join(', '), fileLimits(rule), cite(rule.source)])
    typesByRule.set(cells, [...(typesByRule.get(cells) ?? []), `\`${type}\``])
  }
  const name = kind === 'gif' ? 'GIF' : kind
  return [...typesByRule].map(([cells, types]) => [
    typesByRule.size > 1 ? `${name} of ${types.join(', ')}` : name,
    ...(JSON.parse(cells) as string[]),
  ])
}

const fileLimits = (rule: FileRule) =>
  semicolons([
    range(rule.bytesMin, rule.bytesMax, '', bytes),
    range(rule.widthMin, rule.widthMax, ' px wide'),
    range(rule.heightMin, rule.heightMax, ' px high'),
    range(undefined, rule.widthPlusHeightMax, ' px in width plus height'),
    range(undefined, rule.pixelsMax, ' pixels'),
    range(rule.aspectRatioMin, rule.aspectRatioMax, ' width/height', ratio),
    range(rule.durationMinSeconds, rule.durationMaxSeconds, ' s'),
    range(rule.fpsMin, rule.fpsMax, ' fps'),
    range(undefined, rule.framesMax, ' frames'),
    rule.sameSize && 'all of the same size',
    rule.stillGifs && 'GIFs with one frame too',
  ])

const rateLimitRow = (cite: Cite) => (limit: RateLimit) => {
  const window = limit.windowSeconds === undefined ? '' : ` in ${duration(limit.windowSeconds)}`
  const cost = limit.perAct === undefined ? '' : `; paced, ${limit.perAct} per post or comment`
  return [`${limit.resource} per ${limit.scope}`, `${limit.limit}${window}${cost}`, cite(limit.source)]
}
