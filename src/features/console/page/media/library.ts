import { useEffect, useState } from 'preact/hooks'
import type { ListedMedia, Media } from '../../../../clients/sdk/index.ts'
import { type Pages, typingEnds, usePages } from '../hooks.ts'
import { html } from '../html.ts'
import { sentences } from '../language.ts'
import { Empty, Loading } from '../parts.ts'
import { fileNameOf, usePreview } from '../pictures.ts'
import { useSession } from '../session.ts'

const words = sentences.pages.media

/** As many files as are read at once. Each of them has a picture. */
const PAGE = 24

/** The files that have the words `q`, newest first. `turn` counts the changes after which they are read again. */
export function useLibrary(q: string, turn = 0) {
  const { client } = useSession()
  return usePages<ListedMedia>(
    PAGE,
    (cursor, signal) => client.media.list({ limit: PAGE, ...(q && { q }), ...(cursor && { cursor }) }, { signal }),
    [q],
    turn,
  )
}

/** A field that searches while somebody types. */
export function SearchField({ value, onSearch }: { value: string; onSearch: (q: string) => void }) {
  const [typed, setTyped] = useState(value)
  const q = typed.trim()
  useEffect(() => setTyped((typed) => (typed.trim() === value ? typed : value)), [value])
  useEffect(() => {
    if (q === value) return
    const controller = new AbortController()
    typingEnds(controller.signal).then(
      () => controller.signal.aborted || onSearch(q),
      () => {},
    )
    return () => controller.abort()
  }, [q])
  return html`<label>${words.search} <input type="search" placeholder=${words.searchHint} dir="auto" maxlength="200" value=${typed} onInput=${(event: Event) => setTyped((event.target as HTMLInputElement).value)} /></label>`
}

interface GridProps {
  library: Pages<ListedMedia>
  q: string
  /** The sentence in place of an empty library. */
  none: unknown
  children: (file: ListedMedia) => unknown
}

/** The files of the library as far as they are read. */
export const Library = ({ library, q, none, children }: GridProps) =>
  html`<${Loading} loaded=${library}>
    ${({ items, cursor }: NonNullable<typeof library.value>) => html`
      ${items.length === 0 && html`<${Empty}>${q ? words.noMatch : none}<//>`}
      <ul class="library">${items.map((file) => html`<li key=${file.id}>${children(file)}</li>`)}</ul>
      ${cursor && html`<button type="button" onClick=${library.more}>${words.more}</button>`}`}
  <//>`

/** The picture of a file with its name below. */
export function Shot({ file }: { file: Media }) {
  const { kind } = file
  const address = usePreview(file.id, 320, kind !== 'document')
  return html`<span class="shot">${address ? html`<img src=${address} alt="" />` : html`<span class="blank" aria-hidden="true">▣</span>`}${kind === 'video' && html`<span class="badge" aria-hidden="true">▶</span>`}</span>
    <span class="file" dir="auto" title=${fileNameOf(file)}>${fileNameOf(file)}</span>`
}
