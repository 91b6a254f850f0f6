import { platforms } from '../../src/platforms/catalogue.ts'
import type {
  CaptionRule,
  FirstCommentRule,
  GifRule,
  GuaranteeRule,
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
import { listField } from './limits-table-fields.ts'
import { formatBytes, formatDuration, formatRange, formatRatio, joinParts, unitNames } from './limits-wording.ts'

type FileRule = ImageRule & GifRule & VideoRule
type Cite = (source: Source) => string

/** The limits of every network as Markdown: one section per network, with a table for each kind of limit. */
export const renderLimits = (): string => Object.values(platforms).map(renderNetwork).join('\n')

function renderNetwork(network: Platform): string {
  const { id, name, fields, rateLimits, guarantees } = network
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
    renderTable(['Text', 'Limits', 'Source'], listTexts(network, cite)),
    renderTable(['Post type', 'Files', 'Source'], listPostTypes(network, cite)),
    renderTable(['File', 'Formats', 'Limits', 'Source'], listFiles(network, cite)),
    renderTable(['Field', 'Value', 'Notes', 'Source'], Object.entries(fields).flatMap(listField(cite))),
    renderTable(['Rate limit', 'Maximum', 'Source'], rateLimits.map(listRateLimit(cite))),
    renderTable(
      ['If a response is lost', 'Guarantee', 'If it is not found', 'Source'],
      guarantees.map(listGuarantee(cite)),
    ),
  ]
  const definitions = [...sources].map(([target, number]) => `[${id}-${number}]: ${target}\n`).join('')
  return [...parts.filter(Boolean), definitions].join('\n')
}

function renderTable(head: string[], rows: string[][]): string {
  if (rows.length === 0) return ''
  const row = (cells: string[]) => `| ${cells.map((cell) => cell || '–').join(' | ')} |\n`
  return row(head) + row(head.map(() => '---')) + rows.map(row).join('')
}

function listTexts({ caption, firstComment, title, thread }: Platform, cite: Cite): string[][] {
  const citeBoth = ({ lengthSource, source }: TextRule) =>
    [lengthSource, source].flatMap((each) => (each ? [cite(each)] : [])).join(', ')
  return [
    ['caption', describeCaption(caption), citeBoth(caption)],
    ...(firstComment ? [['first comment', describeFirstComment(firstComment), cite(firstComment.source)]] : []),
    ...(title ? [[`title: field \`${title.field}\``, describeTitle(title), cite(title.source)]] : []),
    ...(thread ? [['thread', describeThread(thread), cite(thread.source)]] : []),
  ]
}

const describeText = ({ lengthMax, unit, bytesMax, forbiddenCharacters }: TextRule) =>
  joinParts([
    `${lengthMax} ${unitNames[unit]}`,
    bytesMax !== undefined && `${bytesMax} bytes`,
    forbiddenCharacters && `without ${forbiddenCharacters.map((character) => `\`${character}\``).join(' and ')}`,
  ])

const describeCaption = (rule: CaptionRule) =>
  joinParts([
    describeText(rule),
    rule.lengthMaxWithMedia !== undefined && `${rule.lengthMaxWithMedia} with media`,
    rule.lengthMaxWithImages !== undefined && `${rule.lengthMaxWithImages} with images`,
    rule.hashtagsMax !== undefined && `${rule.hashtagsMax} hashtags`,
    rule.mentionsMax !== undefined && `${rule.mentionsMax} mentions`,
    rule.linksMax !== undefined && `${rule.linksMax} different links`,
    rule.cashtagsMax !== undefined && `${rule.cashtagsMax} cashtag`,
    rule.required === 'always' && 'required',
    rule.required.startsWith('unless') && `required ${rule.required.replace('unless', 'without')}`,
  ])

const describeFirstComment = (rule: FirstCommentRule) =>
  joinParts([
    describeText(rule),
    rule.postTypes && `post types ${rule.postTypes.map((type) => `\`${type}\``).join(', ')}`,
    rule.refused && `not when ${rule.refused.when}`,
  ])

const describeTitle = (rule: TitleRule) =>
  joinParts([describeText(rule), rule.required && "required; default: the caption's first line"])

const describeThread = (rule: ThreadRule) =>
  rule.mode === 'single'
    ? `1 part with the whole text, ${describeText(rule)}`
    : `${rule.partsMax} parts, each ${describeText(rule)}`

const listPostTypes = ({ postTypes }: Platform, cite: Cite) =>
  Object.entries(postTypes).map(([type, rule]) => [`\`${type}\``, describeFiles(rule), cite(rule.source)])

function describeFiles(rule: PostTypeRule): string {
  const { mediaMin, mediaMax, mixed, gifAlone } = rule
  const images = describeCount(rule.imagesMax, mediaMax, 'image')
  const gifs = describeCount(rule.gifsMax, mediaMax, 'GIF')
  const videos = describeCount(rule.videosMax, mediaMax, 'video')
  const stills = [images, gifAlone ? '' : gifs].filter(Boolean)
  const combined = mixed ? joinNames([...stills, videos]) : [joinNames(stills), videos].filter(Boolean).join(' or ')
  return joinParts([
    `${mediaMax === 1 && mediaMin === 1 ? '' : `${mediaMin}–${mediaMax}: `}${combined}${gifAlone ? ` or ${gifs}` : ''}`,
    rule.requestBytesMax !== undefined && `at most ${formatBytes(rule.requestBytesMax)} in total`,
    !rule.hasCaption && 'no caption',
  ])
}

/** "images, GIFs and videos". */
const joinNames = (names: string[]) =>
  names
    .filter(Boolean)
    .join(', ')
    .replace(/, ([^,]*)$/, ' and $1')

/** Empty where the post type takes no such file, and without a number where all of its files may be of this kind. */
function describeCount(kindMax: number, max: number, kind: string): string {
  if (kindMax === 0) return ''
  return kindMax === max && max > 1 ? `${kind}s` : `${kindMax} ${kind}${kindMax > 1 ? 's' : ''}`
}

const listFiles = (network: Platform, cite: Cite) =>
  (['image', 'gif', 'video'] as const).flatMap((kind) => listFilesOfKind(network, kind, cite))

/**
 * One row for each different rule of a kind of file; where there are several, with the post types of each. What is inside of
 * a video is in a second row.
 */
function listFilesOfKind({ postTypes }: Platform, kind: 'image' | 'gif' | 'video', cite: Cite): string[][] {
  const typesByRule = new Map<string, string[]>()
  for (const [type, postType] of Object.entries(postTypes)) {
    const rule: FileRule | undefined = postType[kind]
    if (!rule) continue
    const formats = rule.mimeTypes.map((mimeType) => mimeType.replace(/^(?:image|video)\/(?:x-)?/, ''))
    const tracks = describeTracks(rule)
    const rows = [
      [formats.join(', '), describeFile(rule), cite(rule.source)],
      ...(tracks ? [['', tracks, cite(rule.source)]] : []),
    ]
    const cells = JSON.stringify(rows)
    typesByRule.set(cells, [...(typesByRule.get(cells) ?? []), `\`${type}\``])
  }
  const name = kind === 'gif' ? 'GIF' : kind
  return [...typesByRule].flatMap(([cells, types]) =>
    (JSON.parse(cells) as string[][]).map((row, index) => [
      (index > 0 ? 'tracks' : name) + (typesByRule.size > 1 ? ` of ${types.join(', ')}` : ''),
      ...row,
    ]),
  )
}

const describeFile = (rule: FileRule) =>
  joinParts([
    formatRange(rule.bytesMin, rule.bytesMax, '', formatBytes),
    formatRange(rule.widthMin, rule.widthMax, ' px wide'),
    formatRange(rule.heightMin, rule.heightMax, ' px high'),
    formatRange(undefined, rule.shortSideMax, ' px on the short side'),
    formatRange(undefined, rule.widthPlusHeightMax, ' px in width plus height'),
    formatRange(undefined, rule.pixelsMax, ' pixels'),
    formatRange(rule.aspectRatioMin, rule.aspectRatioMax, ' width/height', formatRatio),
    formatRange(rule.durationMinSeconds, rule.durationMaxSeconds, ' s'),
    formatRange(rule.fpsMin, rule.fpsMax, rule.fpsRounded ? ' fps, rounded down' : ' fps'),
    formatRange(undefined, rule.framesMax, ' frames'),
    rule.sameSize && 'all of the same size',
    rule.stillGifs && 'GIFs with one frame too',
  ])

const describeTracks = (rule: FileRule) =>
  joinParts([
    rule.videoCodecs?.join(', '),
    rule.chromaSubsamplings?.join(', '),
    rule.scans?.join(', '),
    rule.pixelAspectRatios && `pixels of ${rule.pixelAspectRatios.join(', ')}`,
    rule.closedGop && 'closed GOP in H.264',
    rule.audioCodecs && `audio in ${(rule.audioCodecStrings ?? rule.audioCodecs).join(', ')}`,
    formatRange(undefined, rule.audioChannelsMax, ' channels'),
    formatRange(undefined, rule.audioSampleRateMax, ' Hz'),
  ])

const listRateLimit = (cite: Cite) => (limit: RateLimit) => {
  const window = limit.windowSeconds === undefined ? '' : ` in ${formatDuration(limit.windowSeconds)}`
  const cost = limit.perAct === undefined ? '' : `; paced, ${limit.perAct} per post or comment`
  return [`${limit.resource} per ${limit.scope}`, `${limit.limit}${window}${cost}`, cite(limit.source)]
}

const ACTS = { text: 'text without files', files: 'post with files', comment: 'first comment' }

const listGuarantee = (cite: Cite) => (rule: GuaranteeRule, index: number) => [
  joinParts([
    rule.act ? ACTS[rule.act] : index > 0 && !rule.accounts ? 'any other act' : 'any act',
    rule.accounts && `of ${rule.accounts}`,
  ]),
  `${rule.guarantee.replaceAll('-', ' ')}${'byUpload' in rule ? ', by its upload' : ''}`,
  rule.guarantee === 'reconcilable' ? rule.ifAbsent : '',
  cite(rule.source),
]
