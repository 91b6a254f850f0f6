import type { CreatePost, PostDetail, PostPart, PostValidation } from '../../../../clients/sdk/index.ts'
import type { Fit } from '../compose/draft.ts'
import { html } from '../html.ts'
import { type Issue, Issues } from '../issues.ts'
import { locale, say, sentences } from '../language.ts'
import { useSession } from '../session.ts'
import type { ShownFile } from './files.ts'
import { type Appearance, Look } from './look.ts'

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
  account: { id: string; platform: string; username: string }
  validation: PostValidation | undefined
  files: ReadonlyMap<string, ShownFile>
  fit: Fit
  issues?: Issue[]
}

/** For a key that does not see the catalogue. */
const PLAIN: Appearance = { avatar: 'circle', filesFirst: false, images: { form: 'grid', gridRatios: [1.5] } }

/** The post as one account gets it: each part as its network shows it, with its length, then its mistakes. */
export function Preview({ account, validation, files, fit, issues = issuesOf(validation, account.id) }: PreviewProps) {
  const appearance = useSession().platforms.get(account.platform)?.appearance ?? PLAIN
  const target = validation?.targets.find(({ accountId }) => accountId === account.id)
  const isPost = (part: PostPart | undefined) => part?.kind === 'post'
  return html`
    ${target?.parts?.map(
      (part, index, parts) => html`
        <${Look} account=${account} part=${part} appearance=${appearance} files=${files} fit=${fit} goesOn=${isPost(parts[index + 1])} />
        ${part.files.map(({ rendition: made }) => made && html`<p class="small">${madeAs(made)}</p>`)}
        ${part.limit !== null && html`<${Meter} name=${part.kind === 'comment' ? shared.preview.comment : shared.post.text} actual=${part.length} limit=${part.limit} unit=${part.unit ?? ''} />`}`,
    )}
    ${target && !target.parts && target.counts.map(({ path, ...count }) => html`<${Meter} name=${String(path.at(-1))} ...${count} />`)}
    ${target?.cost && target.cost.usdMicros > 0 && html`<p class="small">${say(shared.post.charges, { price: formatDollars(target.cost.usdMicros) })}</p>`}
    <div role="status"><${Issues} issues=${issues} /></div>
  `
}

export const formatDollars = (usdMicros: number) =>
  new Intl.NumberFormat(locale, { style: 'currency', currency: 'USD', maximumFractionDigits: 4 }).format(
    usdMicros / 1e6,
  )

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
