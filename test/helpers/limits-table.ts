import { platforms } from '../../src/platforms/catalogue.ts'
import type {
  CaptionRule,
  FieldRule,
  FieldTextRule,
  FieldValue,
  GifRule,
  ImageRule,
  Platform,
  Properties,
  Source,
  TextRule,
  VideoRule,
} from '../../src/platforms/limits.ts'

type FileRule = ImageRule & GifRule & VideoRule

/**
 * The limits of every network as three Markdown tables, for the README: texts, media, `fields`. Values are linked to
 * where they were read; a question mark follows those that are assumed.
 */
export function limitsTable(): string {
  const networks = Object.values(platforms)
  return [
    table(
      ['Network', 'Caption', 'First comment', 'Title', 'Thread'],
      networks.map((network) => [nameOf(network), caption(network.caption), ...otherTexts(network)]),
    ),
    table(
      ['Network', 'Post types, files', 'Image', 'GIF', 'Video'],
      networks.map((network) => [
        nameOf(network),
        postTypes(network),
        files(network, 'image'),
        files(network, 'gif'),
        files(network, 'video'),
      ]),
    ),
    table(
      ['Network', '`fields`'],
      networks.map((network) => [nameOf(network), lines(Object.entries(network.fields).map(field))]),
    ),
  ].join('\n')
}

function table(head: string[], rows: string[][]): string {
  const row = (cells: string[]) => `| ${cells.map((cell) => cell || '–').join(' | ')} |\n`
  return row(head) + row(head.map(() => '---')) + rows.map(row).join('')
}

const lines = (parts: string[]) => parts.join('<br>')
const nameOf = ({ id, name }: Platform) => `[${name}](src/platforms/${id}/limits.ts)`
const cited = (text: string, { url, confidence }: Source) => `[${text}](${url})${confidence === 'assumed' ? '?' : ''}`
const joined = (parts: (string | false | undefined)[], by: string) => parts.filter(Boolean).join(by)
const given = (parts: (string | false | undefined)[]) => joined(parts, ', ')

function caption(rule: CaptionRule): string {
  const { lengthMaxWithMedia, lengthMaxWithImages, hashtagsMax, mentionsMax, linksMax, cashtagsMax, required } = rule
  return given([
    text(rule),
    lengthMaxWithMedia !== undefined && `${lengthMaxWithMedia} with media`,
    lengthMaxWithImages !== undefined && `${lengthMaxWithImages} with images`,
    hashtagsMax !== undefined && `${hashtagsMax} hashtags`,
    mentionsMax !== undefined && `${mentionsMax} mentions`,
    linksMax !== undefined && `${linksMax} links`,
    cashtagsMax !== undefined && `${cashtagsMax} cashtag`,
    required !== 'never' && `required${required === 'always' ? '' : ` ${required}`}`,
  ])
}

const units: Record<TextRule['unit'], string> = {
  x: 'characters as X weighs them',
  mastodon: 'graphemes, URLs as 23',
  threads: 'code points, emoji in bytes',
  graphemes: 'graphemes',
  'code points': 'code points',
  'UTF-16 units': 'UTF-16 units',
  bytes: 'bytes',
}

function text({ lengthMax, unit, bytesMax, forbiddenCharacters, source }: TextRule): string {
  return given([
    `${cited(String(lengthMax), source)} ${units[unit]}`,
    bytesMax !== undefined && `${bytesMax} bytes`,
    forbiddenCharacters && `no ${forbiddenCharacters.map((character) => `\`${character}\``).join(' ')}`,
  ])
}

function otherTexts({ firstComment, title, thread }: Platform): string[] {
  return [
    firstComment
      ? given([
          text(firstComment),
          firstComment.postTypes && `${firstComment.postTypes.join(', ')} only`,
          firstComment.refused && `not when ${firstComment.refused.when}`,
        ])
      : '',
    title ? `\`${title.field}\`: ${given([text(title), title.required && 'required'])}` : '',
    thread ? `${thread.mode}: ${cited(String(thread.partsMax), thread.source)} × ${thread.lengthMax}` : '',
  ]
}

function postTypes({ postTypes }: Platform): string {
  return lines(
    Object.entries(postTypes).map(([type, rule]) => {
      const { mediaMin: min, mediaMax: max, imagesMax, videosMax, gifsMax, mixed, gifAlone, captionPublished } = rule
      const { requestBytesMax } = rule
      const gifs = gifsMax > 0 && atMost(gifsMax, max, 'GIF')
      const images = imagesMax > 0 && atMost(imagesMax, max, 'image')
      const videos = videosMax > 0 && atMost(videosMax, max, 'video')
      const stills = joined([images, !gifAlone && gifs], ' and ')
      const together = given([
        joined([joined([stills, videos], mixed ? ' and ' : ' or '), gifAlone && gifs], ' or '),
        requestBytesMax !== undefined && `≤ ${size(requestBytesMax)} in all`,
        !captionPublished && 'no caption',
      ])
      return `\`${type}\` ${cited(min === max ? `${min}` : `${min}–${max}`, rule.source)}: ${together}`
    }),
  )
}

const atMost = (kindMax: number, max: number, kind: string) =>
  kindMax === max && max > 1 ? `${kind}s` : `${kindMax} ${kind}${kindMax > 1 ? 's' : ''}`

/** The different rules for one kind of file; where there are several, with the post types that each holds for. */
function files({ postTypes }: Platform, kind: 'image' | 'gif' | 'video'): string {
  const types = new Map<string, string[]>()
  for (const [type, rule] of Object.entries(postTypes)) {
    const fileRule = rule[kind]
    if (!fileRule) continue
    const cell = file(fileRule)
    types.set(cell, [...(types.get(cell) ?? []), `\`${type}\``])
  }
  return lines([...types].map(([cell, of]) => (types.size > 1 ? `${of.join(' ')}: ${cell}` : cell)))
}

function file(rule: FileRule): string {
  const types = rule.mimeTypes.map((type) => type.replace(/^(?:image|video)\//, ''))
  return given([
    cited(types.join(' '), rule.source),
    range(rule.bytesMin, rule.bytesMax, '', size),
    range(rule.widthMin, rule.widthMax, ' px wide'),
    range(rule.heightMin, rule.heightMax, ' px high'),
    range(undefined, rule.widthPlusHeightMax, ' px wide + high'),
    range(undefined, rule.pixelsMax, ' pixels'),
    range(rule.aspectRatioMin, rule.aspectRatioMax, ' wide/high', (value) => String(Number(value.toFixed(4)))),
    range(rule.durationMin, rule.durationMax, ' s'),
    range(rule.fpsMin, rule.fpsMax, ' fps'),
    range(undefined, rule.framesMax, ' frames'),
    rule.sameSize && 'all of one size',
    rule.stillGifs && 'GIFs that stand still too',
  ])
}

function range(
  min: number | undefined,
  max: number | undefined,
  unit: string,
  show: (value: number) => string = String,
) {
  if (min !== undefined && max !== undefined) return `${show(min)}–${show(max)}${unit}`
  if (max !== undefined) return `≤ ${show(max)}${unit}`
  return min === undefined ? undefined : `≥ ${show(min)}${unit}`
}

/** Bytes in the unit in which they are a whole number. */
function size(bytes: number): string {
  for (const [unit, factor] of [
    ['GiB', 2 ** 30],
    ['MiB', 2 ** 20],
    ['MB', 1e6],
    ['KiB', 2 ** 10],
  ] as const) {
    if (bytes % factor === 0) return `${bytes / factor} ${unit}`
  }
  return `${bytes} bytes`
}

function field([key, rule]: [string, FieldRule]): string {
  const { required, refused, description } = rule
  return `\`${key}\` ${given([
    value(rule),
    rule.default !== undefined && `default \`${rule.default}\``,
    required && (required === true ? '**required**' : `**required** when ${required.when}`),
    refused && `not when ${refused.when}`,
    rule.withoutMedia && 'not with media',
    description,
  ])}`
}

function value(rule: FieldValue): string {
  switch (rule.type) {
    case 'string':
      return given(['string', ...textRule(rule)])
    case 'url':
      return given(['url', rule.lengthMax !== undefined && `≤ ${rule.lengthMax}`])
    case 'integer':
    case 'number':
      return given([rule.type, range(rule.min, rule.max, '')])
    case 'enum':
      return names(rule.values)
    case 'string[]': {
      const { values, itemsMin, itemsMax, item = {}, distinct, joinedLengthMax } = rule
      return given([
        values ? `list of ${names(values)}` : 'string[]',
        range(itemsMin, itemsMax, ' items'),
        ...textRule(item).map((part) => part && `each ${part}`),
        distinct && 'each once',
        joinedLengthMax !== undefined && `≤ ${joinedLengthMax} in all`,
      ])
    }
    case 'object':
      return `object of ${propertiesOf(rule.properties)}`
    case 'object[]':
      return given([
        `list of ${propertiesOf(rule.properties)}`,
        range(undefined, rule.itemsMax, ' items'),
        rule.textsLengthMax !== undefined && `texts ≤ ${rule.textsLengthMax} in all`,
      ])
    default:
      return rule.type
  }
}

const names = (values: readonly string[]) => values.map((name) => `\`${name}\``).join(' ')

const textRule = ({ lengthMax, unit, bytesMax, pattern, notBlank }: FieldTextRule) => [
  lengthMax !== undefined && `≤ ${lengthMax}${unit ? ` ${units[unit]}` : ''}`,
  bytesMax !== undefined && `≤ ${bytesMax} bytes`,
  pattern?.says,
  notBlank && 'not blank',
]

const propertiesOf = (properties: Properties) =>
  `{${Object.entries(properties)
    .map(([key, rule]) => `\`${key}\` ${given([value(rule), rule.required && '**required**'])}`)
    .join('; ')}}`
