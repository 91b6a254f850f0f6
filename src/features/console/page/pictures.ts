import { useEffect, useState } from 'preact/hooks'
import type { Media } from '../../../clients/sdk/index.ts'
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

/** Fetches a preview with the key. Returns its address in this page; undefined until it is there, or if it fails. */
export function usePreview(id: string, width: number, isWanted = true): string | undefined {
  const { client } = useSession()
  const canRead = useCan('media:read')
  const [address, setAddress] = useState<string>()
  useEffect(() => {
    if (!isWanted || !canRead) return
    let made: string | undefined
    let isGone = false
    const show = async () => {
      const blob = await (await client.media.preview(id, { width })).blob()
      if (isGone) return
      made = URL.createObjectURL(blob)
      setAddress(made)
    }
    // The name of the file stays in its place.
    show().catch(() => {})
    return () => {
      isGone = true
      if (made) URL.revokeObjectURL(made)
      setAddress(undefined)
    }
  }, [client, id, width, isWanted, canRead])
  return address
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
