import { useState } from 'preact/hooks'
import type { PlatformAppearance, PostPart, TextFold } from '../../../../clients/sdk/index.ts'
import type { Fit } from '../compose/draft.ts'
import { Face } from '../face.ts'
import { html } from '../html.ts'
import { sentences } from '../language.ts'
import { nameOf, usePeople } from '../people.ts'
import { gotOf, type Layout, type ShownFile, ShownFiles, Tile } from './files.ts'

const { shared } = sentences
const words = shared.preview

export interface Appearance extends Omit<PlatformAppearance, 'images' | 'source'> {
  images: Layout
}

interface LookProps {
  account: { id: string; platform: string; username: string }
  part: PostPart
  appearance: Appearance
  files: ReadonlyMap<string, ShownFile>
  fit: Fit
  /** Whether a line leads on to the next part of a thread. */
  goesOn: boolean
}

/** A part of a post, drawn by what the catalogue says about the app of its network. */
export function Look({ account, part, appearance, files, fit, goesOn }: LookProps) {
  const { kind, text, title, link } = part
  const person = usePeople().byId.get(account.id)
  const got = gotOf(part, files, fit)
  const isEmpty = text === '' && !title && got.length === 0 && !link
  const says = html`${title && html`<strong class="title" dir="auto">${title}</strong>`}
    ${text && html`<${FoldedText} part=${part} fold=${kind === 'post' ? appearance.fold : undefined} />`}`
  const shows = html`<${ShownFiles} got=${got} layout=${appearance.images} />`
  return html`<div class="look ${appearance.avatar} ${kind} ${goesOn ? 'goes-on' : ''}">
    <div class="by"><${Face} ...${account} label="" /> <span class="names"><strong dir="auto">${nameOf(person ?? account)}</strong> <span class="small" dir="auto">${account.username}</span></span></div>
    <div class="content">
      ${kind === 'comment' && html`<p class="small">${shared.post.firstComment}</p>`}
      ${appearance.filesFirst ? [shows, says] : [says, shows]}
      ${link && html`<${Card} ...${link} />`}
      ${isEmpty && html`<p class="small">${words.nothing}</p>`}
    </div>
    ${kind === 'post' && appearance.profileTile && got[0] && html`<figure class="profile-tile"><span style=${{ aspectRatio: String(appearance.profileTile.ratio) }}><${Tile} got=${got[0]} ratio=${appearance.profileTile.ratio} /></span><figcaption class="small">${words.profile}</figcaption></figure>`}
  </div>`
}

/** How many characters of a text stand before the fold; undefined for all. The network counts them in its own way. */
export function foldAt({ text, length }: Pick<PostPart, 'text' | 'length'>, fold: TextFold | undefined) {
  const { charactersMax = Infinity, linesMax = Infinity } = fold ?? {}
  const lines = text.split('\n').slice(0, linesMax).join('\n').length
  const characters = length > charactersMax ? [...text].slice(0, charactersMax).join('').length : text.length
  const at = Math.min(lines, characters)
  return at < text.length ? at : undefined
}

function FoldedText({ part, fold }: { part: PostPart; fold: TextFold | undefined }) {
  const [isWhole, setWhole] = useState(false)
  const at = foldAt(part, fold)
  if (at === undefined) return html`<p class="text" dir="auto">${marked(part, part.text.length)}</p>`
  return html`<p class="text" dir="auto">${marked(part, isWhole ? part.text.length : at)} <button type="button" class="quiet fold" aria-expanded=${isWhole} onClick=${() => setWhole(!isWhole)}>${isWhole ? words.less : words.more}</button></p>`
}

/** The text up to an index, with its links, mentions and tags marked as the network finds them. */
function marked({ text, entities }: PostPart, until: number): unknown[] {
  const pieces: unknown[] = []
  let at = 0
  for (const { type, start, end } of entities) {
    if (start >= until) break
    pieces.push(text.slice(at, start), html`<mark class=${type}>${text.slice(start, Math.min(end, until))}</mark>`)
    at = end
  }
  return [...pieces, text.slice(at, until)]
}

/** The card of a link. Its picture is on another server, which the page does not call. */
function Card({ url, title, description }: NonNullable<PostPart['link']>) {
  const host = URL.canParse(url) ? new URL(url).host : url
  return html`<div class="link-card" dir="auto">
    <span class="small" title=${url}>${host}</span>
    <strong>${title ?? url}</strong>
    ${description && html`<span class="small">${description}</span>`}
  </div>`
}
