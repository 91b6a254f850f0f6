import type { ImageLayout, Media, PostPart } from '../../../../clients/sdk/index.ts'
import { type Cut, cropTo, cutTo, isWithin, type Size } from '../../../../platforms/rules/crop.ts'
import type { Fit } from '../compose/draft.ts'
import { html } from '../html.ts'
import { formatNumber, sentences } from '../language.ts'
import { CutImage, type Picture, usePreview } from '../pictures.ts'

const words = sentences.shared.preview

/** A file of a post, with its size and focus where they are known. */
export type ShownFile = Picture & Partial<Pick<Media, 'width' | 'height' | 'focus'>>

export type Layout = Omit<ImageLayout, 'source'>

/** A file as a network gets it. */
interface Got {
  file: ShownFile
  /** Undefined if it is not known. */
  size: Size | undefined
  /** The part of the file that it gets. Undefined for the whole, or where bars were added. */
  cut: Cut | undefined
  /** Whether bars of this colour were added. */
  bars: string | undefined
}

/** The files of a part as a network gets them, by `mediaFit`. */
export function gotOf(part: PostPart, files: ReadonlyMap<string, ShownFile>, { mediaFit, padColor }: Fit): Got[] {
  return part.files.map(({ mediaId, altText, rendition }) => {
    const file = { ...(files.get(mediaId) ?? { kind: 'image', fileName: null, url: null }), id: mediaId, altText }
    const { width, height, focus } = file as ShownFile
    if (!width || !height) return { file, size: undefined, cut: undefined, bars: undefined }
    const { width: newWidth, height: newHeight } = rendition ?? {}
    if (!newWidth || !newHeight) return { file, size: { width, height }, cut: undefined, bars: undefined }
    const size = { width: newWidth, height: newHeight }
    if (mediaFit === 'crop')
      return { file, size, cut: cropTo({ width, height }, size, focus ?? undefined), bars: undefined }
    return { file, size, cut: undefined, bars: mediaFit === 'pad' ? (padColor ?? '#ffffff') : undefined }
  })
}

const SQUARE = { width: 1, height: 1 }
const VIDEO = { width: 16, height: 9 }

const ratioOf = ({ size, file }: Got): number => {
  const { width, height } = size ?? (file.kind === 'video' ? VIDEO : SQUARE)
  return width / height
}

/** The aspect ratio that a single file has in the feed. */
function singleRatio(got: Got, { ratioMin = 0, ratioMax = Infinity }: Layout): number {
  const ratio = ratioOf(got)
  return got.file.kind === 'image' ? Math.min(ratioMax, Math.max(ratioMin, ratio)) : ratio
}

/** A place in a grid of six columns. `ratio` is its aspect ratio. */
interface Place {
  columns: number
  rows: number
  ratio: number
}

/** The places of several files in a grid with an aspect ratio, as `ImageLayout` describes them. */
export function placesOf(count: number, ratio: number): Place[] {
  if (count === 3) {
    return [2, 1, 1].map((rows) => ({ columns: 3, rows, ratio: rows === 2 ? ratio / 2 : ratio }))
  }
  const inRow = count === 2 || count === 4 ? 2 : 3
  const rows = Math.ceil(count / inRow)
  const inFirst = count - inRow * (rows - 1)
  return Array.from({ length: count }, (_, index) => {
    const beside = index < inFirst ? inFirst : inRow
    return { columns: 6 / beside, rows: 1, ratio: (ratio * rows) / beside }
  })
}

/** The files of a part as the feed of a network shows them. */
export function ShownFiles({ got, layout }: { got: Got[]; layout: Layout }) {
  const [first, ...others] = got
  if (!first) return null
  const cutsAtFocus = layout.cutsAtFocus === true
  if (others.length === 0) {
    const ratio = singleRatio(first, layout)
    return html`<div class="shown-files single" style=${{ '--ratio': ratio }}><${Tile} got=${first} ratio=${ratio} cutsAtFocus=${cutsAtFocus} /></div>`
  }
  if (layout.form === 'row') {
    const ratio = layout.firstSetsRatio ? ratioOf(first) : undefined
    const tile = (each: Got) =>
      html`<li style=${{ '--ratio': ratio ?? ratioOf(each) }}><${Tile} got=${each} ratio=${ratio ?? ratioOf(each)} cutsAtFocus=${cutsAtFocus} /></li>`
    return html`<ul class="shown-files row" tabindex="0" aria-label=${words.row}>${got.map(tile)}</ul>`
  }
  const { shownMax = got.length, gridRatios = [1] } = layout
  const shown = got.slice(0, shownMax)
  const ratio = gridRatios[Math.min(shown.length - 2, gridRatios.length - 1)]!
  const places = placesOf(shown.length, ratio)
  return html`<ul class="shown-files grid-of-files" style=${{ aspectRatio: String(ratio) }}>${shown.map(
    (each, index) => {
      const { columns, rows, ratio } = places[index]!
      const isLast = index === shown.length - 1
      return html`<li style=${{ gridColumn: `span ${columns}`, gridRow: `span ${rows}` }}>
      <${Tile} got=${each} ratio=${ratio} cutsAtFocus=${cutsAtFocus} />
      ${isLast && got.length > shown.length && html`<span class="more-files">+${formatNumber(got.length - shown.length)}</span>`}
    </li>`
    },
  )}</ul>`
}

interface TileProps {
  got: Got
  ratio: number
  cutsAtFocus?: boolean
}

/** A file, cut to an aspect ratio. */
export function Tile({ got: { file, size, cut, bars }, ratio, cutsAtFocus }: TileProps) {
  const address = usePreview(file.id, 640, file.kind !== 'document')
  const name = file.fileName ?? sentences.names.kinds[file.kind as Media['kind']]
  if (!address) return html`<span class="tile blank" title=${name}><span class="small" dir="auto">${name}</span></span>`
  const { width, height, focus } = file
  const image = () => {
    if (!size || !width || !height || bars)
      return html`<img class="contained" src=${address} alt=${file.altText ?? ''} />`
    const got = cut ?? { left: 0, top: 0, width, height }
    const range = { min: ratio, max: ratio }
    const shown = isWithin(got, range)
      ? undefined
      : cutTo(got, range, cutsAtFocus && !cut ? (focus ?? undefined) : undefined)
    const part = shown ? { ...shown, left: got.left + shown.left, top: got.top + shown.top } : got
    return html`<${CutImage} cut=${part} width=${width} address=${address} altText=${file.altText ?? ''} />`
  }
  return html`<span class="tile cut" style=${bars && { background: bars }}>${image()}${file.kind === 'video' && html`<span class="play" aria-hidden="true">▶</span>`}</span>`
}
