import type { CreatePost, PostDetail, PostPart, PostValidation } from '../../../clients/sdk/index.ts'
import { html } from './html.ts'
import { type Issue, Issues } from './issues.ts'
import { locale, say, sentences } from './language.ts'
import { type Picture, Pictures } from './pictures.ts'

const { shared } = sentences

/** The body that would create a post as it is. */
export const toBody = (post: PostDetail): CreatePost => ({
  accountIds: post.targets.map(({ accountId }) => accountId),
  caption: post.caption,
  postType: post.postType,
  mediaIds: post.mediaIds,
  ...(post.mediaFit && { mediaFit: post.mediaFit }),
  ...(post.padColor && { padColor: post.padColor }),
  ...(post.firstComment && { firstComment: post.firstComment }),
  ...(post.comments && { comments: post.comments }),
  ...(post.poll && { poll: post.poll }),
  ...(post.links && { links: post.links }),
  ...(post.altTexts && { altTexts: post.altTexts }),
  accountOverrides: post.targets.map(({ accountId, captionOverride, fields, mediaIds, ...own }) => ({
    accountId,
    captionOverride,
    mediaIds,
    threadMedia: own.threadMedia ?? null,
    mediaFit: own.mediaFit ?? null,
    padColor: own.padColor ?? null,
    captionSuffix: own.captionSuffix ?? '',
    ...(fields && { fields }),
  })),
  threadParts: Object.fromEntries(post.targets.map(({ accountId, threadParts }) => [accountId, threadParts])),
})

/** Violations and warnings of a post on one account. The attention of an account is shown beside its name. */
export const issuesOf = (validation: PostValidation | undefined, accountId: string | undefined): Issue[] =>
  [...(validation?.violations ?? []), ...(validation?.warnings ?? [])].filter(
    (issue) => issue.accountId === accountId && !('code' in issue && issue.code === 'account_attention'),
  )

interface PreviewProps {
  accountId: string
  validation: PostValidation | undefined
  files: ReadonlyMap<string, Picture>
  issues?: Issue[]
}

/** The post as one account gets it: each part with its length, its files and its card, then its mistakes. */
export function Preview({ accountId, validation, files, issues = issuesOf(validation, accountId) }: PreviewProps) {
  const target = validation?.targets.find((each) => each.accountId === accountId)
  return html`
    ${target?.parts?.map((part) => html`<${Part} part=${part} files=${files} />`)}
    ${target && !target.parts && target.counts.map(({ path, ...count }) => html`<${Meter} name=${String(path.at(-1))} ...${count} />`)}
    ${target?.cost && target.cost.usdMicros > 0 && html`<p class="small">${say(shared.post.charges, { price: formatDollars(target.cost.usdMicros) })}</p>`}
    <div role="status"><${Issues} issues=${issues} /></div>
  `
}

export const formatDollars = (usdMicros: number) =>
  new Intl.NumberFormat(locale, { style: 'currency', currency: 'USD', maximumFractionDigits: 4 }).format(
    usdMicros / 1e6,
  )

function Part({ part, files }: { part: PostPart; files: ReadonlyMap<string, Picture> }) {
  const { kind, text, title, length, limit, unit, link } = part
  const shown = part.files.map(({ mediaId, altText }) => {
    const file = files.get(mediaId) ?? { kind: 'image', fileName: null, url: null }
    return { ...file, id: mediaId, altText }
  })
  return html`<div class="part">
    ${kind === 'comment' && html`<p class="small">${shared.post.firstComment}</p>`}
    ${title && html`<strong dir="auto">${title}</strong>`}
    <p class="text" dir="auto">${marked(part)}</p>
    <${Pictures} files=${shown} />
    ${part.files.map(({ rendition: made }) => made && html`<p class="small">${madeAs(made)}</p>`)}
    ${link && html`<p class="link-card" dir="auto"><strong>${link.title ?? link.url}</strong><br />${link.description ?? ''} <span class="small">${link.url}</span></p>`}
    ${limit !== null && html`<${Meter} name=${kind === 'comment' ? shared.preview.comment : shared.post.text} actual=${length} limit=${limit} unit=${unit ?? ''} />`}
    ${text === '' && shown.length === 0 && html`<p class="small">${shared.preview.nothing}</p>`}
  </div>`
}

/** The text, with its links, mentions and tags marked as the network finds them. */
function marked({ text, entities }: PostPart): unknown[] {
  const pieces: unknown[] = []
  let at = 0
  for (const { type, start, end } of entities) {
    pieces.push(text.slice(at, start), html`<mark class=${type}>${text.slice(start, end)}</mark>`)
    at = end
  }
  return [...pieces, text.slice(at)]
}

/** Says as what a file was made to fit. */
function madeAs({ mimeType, width, height }: NonNullable<PostPart['files'][number]['rendition']>): string {
  if (!width || !height) return say(shared.preview.made, { type: mimeType })
  return say(shared.preview.madeAs, { type: mimeType, width: String(width), height: String(height) })
}

/** Each network counts the characters of texts in its own way. */
const countOf = (unit: string) =>
  unit === '' ? shared.counts.plain : shared.counts[unit in shared.counts ? (unit as 'bytes') : 'characters']

function Meter({ name, actual, limit, unit }: { name: string; actual: number; limit: number; unit: string }) {
  return html`<label class="count">${name}
    <meter min="0" max=${limit} high=${limit * 0.9} value=${Math.min(actual, limit)}></meter>
    <span class=${actual > limit ? 'warning' : ''}>${say(countOf(unit), { actual, limit })}</span>
  </label>`
}
