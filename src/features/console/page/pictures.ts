import { useEffect, useState } from 'preact/hooks'
import type { Media, Postroom } from '../../../clients/sdk/index.ts'
import type { Cut } from '../../../platforms/rules/crop.ts'
import { html } from './html.ts'
import { sentences } from './language.ts'
import { toOwn, useCan, useSession } from './session.ts'

const { names } = sentences

export interface Picture {
  id: string
  kind: string
  altText: string | null
  fileName: string | null
  url: string | null
}

export const Pictures = ({ files }: { files: Picture[] }) =>
  files.length > 0 &&
  html`<ul class="pictures">${files.map((file) => html`<li key=${file.id}><${Thumb} ...${file} /></li>`)}</ul>`

/** The name of a file for people. */
export const fileNameOf = ({ fileName, kind }: Pick<Media, 'fileName' | 'kind'>) => fileName ?? names.kinds[kind]

/** A preview that some elements show: many accounts get the same file. */
interface Shared {
  address: Promise<string>
  users: number
}

const shared = new Map<string, Shared>()

/** Fetches a preview with the key, unless another element shows it. `release` has to be called once. */
function share(client: Postroom, id: string, width: number): { address: Promise<string>; release: () => void } {
  const name = `${id} ${width}`
  const load = async () => URL.createObjectURL(await (await client.media.preview(id, { width })).blob())
  const entry = shared.get(name) ?? { address: load(), users: 0 }
  entry.users += 1
  shared.set(name, entry)
  const release = () => {
    entry.users -= 1
    if (entry.users > 0) return
    shared.delete(name)
    entry.address.then(URL.revokeObjectURL, () => {})
  }
  return { address: entry.address, release }
}

/** The address of a preview in this page; undefined until it is there, or if it fails. */
export function usePreview(id: string, width: number, isWanted = true): string | undefined {
  const { client } = useSession()
  const canRead = useCan('media:read')
  const [address, setAddress] = useState<string>()
  useEffect(() => {
    if (!isWanted || !canRead) return
    let isGone = false
    const { address, release } = share(client, id, width)
    // The name of the file stays in its place.
    address.then(
      (address) => isGone || setAddress(address),
      () => {},
    )
    return () => {
      isGone = true
      release()
      setAddress(undefined)
    }
  }, [client, id, width, isWanted, canRead])
  return address
}

interface CutProps {
  cut: Cut
  /** That of the whole picture, in the pixels of the part. */
  width: number
  address: string
  altText?: string
}

/** A part of a picture, in an element with the class `cut`, whose aspect ratio is that of the part. */
export function CutImage({ cut, width, address, altText = '' }: CutProps) {
  const place = {
    width: `${(width / cut.width) * 100}%`,
    left: `${(-cut.left / cut.width) * 100}%`,
    top: `${(-cut.top / cut.height) * 100}%`,
  }
  return html`<img src=${address} alt=${altText} style=${place} />`
}

/** A small picture, by its address or else with the key. */
function Thumb({ id, kind, altText, fileName, url }: Picture) {
  const fetched = usePreview(id, 160, !url && kind === 'image')
  const address = url ? toOwn(url) : fetched
  if (kind === 'image' && address) {
    return html`<img src=${address} alt=${altText ?? ''} loading="lazy" width="64" height="64" />`
  }
  return html`<span class="file" title=${fileName ?? id}>${kind === 'video' ? '▶' : '▣'} <span dir="auto">${fileName ?? names.kinds[kind as Media['kind']]}</span></span>`
}
