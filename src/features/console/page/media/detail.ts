import { useEffect, useRef, useState } from 'preact/hooks'
import { type Focus, type MediaDetail, NotFound, type PostDetail } from '../../../../clients/sdk/index.ts'
import { newDraft } from '../compose/draft.ts'
import { keep, readKept, setQuery, useLoad } from '../hooks.ts'
import { html } from '../html.ts'
import { locale, say, sentences } from '../language.ts'
import { Confirm, Loading } from '../parts.ts'
import { fileNameOf, usePreview } from '../pictures.ts'
import { Problem } from '../problem.ts'
import { unless, useCan, useSession } from '../session.ts'
import { formatInstant, OWN_ZONE } from '../time.ts'
import { titleOf } from '../words.ts'
import { Cuts } from './cuts.ts'
import { FocusPoint } from './focus-point.ts'

const words = sentences.pages.media
const { actions } = sentences.shared

/** One file: its focus, how networks cut it, its posts, and its end. */
export function Detail({ id, reload }: { id: string; reload: () => void }) {
  const { client } = useSession()
  const canChange = useCan('media:write')
  const canWrite = useCan('posts:write')
  const file = useLoad((signal) => client.media.get(id, { signal }), [client, id])
  const place = useRef<HTMLElement>(null)
  // Beside a long list, or above it on a narrow page.
  useEffect(() => place.current?.focus(), [])
  const close = () => setQuery({ file: '' })
  const use = (file: MediaDetail) => {
    const draft = { ...newDraft(), ...readKept('compose') }
    keep('compose', { ...draft, files: [...draft.files.filter((each: { id: string }) => each.id !== id), file] })
    location.hash = '#/compose'
  }
  return html`<aside ref=${place} tabindex="-1" aria-label=${words.chosen}><div class="card">
    <${Loading} loaded=${file}>${(value: MediaDetail) => html`
      <div class="bar"><h2 dir="auto">${fileNameOf(value)}</h2><button type="button" class="quiet" onClick=${close}>${actions.close}</button></div>
      <${Shape} file=${value} />
      <p class="small">${factsOf(value)}</p>
      <${UsedIn} ids=${value.postIds} />
      <div class="buttons">
        ${canWrite && html`<button type="button" class="primary" onClick=${() => use(value)}>${words.use}</button>`}
        ${
          canChange &&
          html`<${Confirm} label=${actions.delete} isDangerous act=${() => client.media.delete(id)} onDone=${() => {
            close()
            reload()
          }} says=${say(words.deleteHelp, { file: fileNameOf(value) })}><${UsedIn} ids=${value.postIds} /><//>`
        }
      </div>`}<//>
    ${!file.value && html`<button type="button" onClick=${close}>${actions.close}</button>`}
  </div></aside>`
}

function factsOf({ mimeType, bytes, width, height, durationSeconds, createdAt }: MediaDetail): string {
  const measure = (value: number, unit: string, unitDisplay: 'short' | 'long') =>
    new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay, maximumFractionDigits: 1 }).format(value)
  const size = bytes < 1e6 ? measure(bytes / 1e3, 'kilobyte', 'short') : measure(bytes / 1e6, 'megabyte', 'short')
  const facts = [
    mimeType,
    width && say(words.pixels, { width: String(width), height: String(height) }),
    durationSeconds && measure(durationSeconds, 'second', 'long'),
    size,
    say(words.added, { time: formatInstant(createdAt, OWN_ZONE) }),
  ]
  return facts.filter(Boolean).join(sentences.shared.comma)
}

/** The picture with its focus, and how networks cut it around that. */
function Shape({ file }: { file: MediaDetail }) {
  const { client } = useSession()
  const canChange = useCan('media:write')
  const address = usePreview(file.id, 640, file.kind !== 'document')
  const [focus, setFocus] = useState<Focus | null>(file.focus)
  const [error, setError] = useState<Error>()
  const [says, say] = useState('')
  const stored = useRef({ focus: file.focus, turn: Promise.resolve() })
  // One after the other: the last one stays.
  const store = (focus: Focus | null) => {
    setFocus(focus)
    const last = stored.current
    last.turn = last.turn.then(async () => {
      try {
        await client.media.update(file.id, { focus })
        last.focus = focus
        setError(undefined)
        say(focus ? sentences.pages.focus.stored : sentences.pages.focus.centred)
      } catch (error) {
        setFocus(last.focus)
        setError(error as Error)
        say('')
      }
    })
  }
  if (!address) return null
  if (!file.width || !file.height) return html`<img class="whole" src=${address} alt=${file.altText ?? ''} />`
  return html`
    <${FocusPoint} address=${address} altText=${file.altText ?? ''} focus=${focus ?? { x: 0, y: 0 }} canChange=${canChange} onMove=${setFocus} onEnd=${store} />
    ${canChange && html`<p class="small">${sentences.pages.focus.help} ${focus && html`<button type="button" class="quiet" onClick=${() => store(null)}>${sentences.pages.focus.toCentre}</button>`}</p>`}
    <p class="small" role="status">${says}</p>
    ${error && html`<${Problem} error=${error} />`}
    <${Cuts} file=${{ ...file, focus }} address=${address} />`
}

/** As many posts as are read to be named. */
const NAMED_MAX = 5

/** The posts that use a file. */
function UsedIn({ ids }: { ids: string[] }) {
  const { client } = useSession()
  const canRead = useCan('posts:read')
  const named = canRead ? ids.slice(0, NAMED_MAX) : []
  const posts = useLoad(
    async (signal) =>
      (
        await Promise.all(named.map((id) => client.posts.get(id, { signal }).catch(unless(NotFound, undefined))))
      ).filter((post) => post !== undefined),
    [client, named.join()],
  )
  if (ids.length === 0) return html`<p class="small">${words.unused}</p>`
  return html`<p class="small">${say(posts.value?.length ? words.usedInThese : words.usedIn, { count: ids.length })}</p>
    <ul class="used-in">${posts.value?.map(
      (post: PostDetail) =>
        html`<li key=${post.id}><a href="#/posts/${post.id}">${titleOf(post.targets.map(({ delivery }) => delivery.state))}</a> <span class="small" dir="auto">${post.caption.slice(0, 80)}</span></li>`,
    )}</ul>`
}
