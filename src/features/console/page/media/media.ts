import { useState } from 'preact/hooks'
import type { ListedMedia } from '../../../../clients/sdk/index.ts'
import { Uploads, uploadAll, useUploads } from '../compose/uploads.ts'
import { setQuery, useRoute } from '../hooks.ts'
import { html } from '../html.ts'
import { say, sentences } from '../language.ts'
import { fileNameOf } from '../pictures.ts'
import { Problem } from '../problem.ts'
import { useCan, useSession } from '../session.ts'
import { Detail } from './detail.ts'
import { Library, SearchField, Shot, useLibrary } from './library.ts'

const words = sentences.pages.media

/** The name of the uploads to the library, beside those of drafts. */
const LIBRARY = 'library'

/** The files of the user: found, described, cropped and deleted. */
export function MediaPage() {
  const { query } = useRoute()
  const { upload } = useSession()
  const canChange = useCan('media:write')
  const [turn, setTurn] = useState(0)
  const reload = () => setTurn((turn) => turn + 1)
  const q = query.get('q') ?? ''
  const id = query.get('file')
  const library = useLibrary(q, turn)
  const { uploads } = useUploads(LIBRARY)
  const add = (event: Event) => {
    const input = event.target as HTMLInputElement
    uploadAll(upload, LIBRARY, input.files ?? [], reload).finally(() => {
      input.value = ''
    })
  }
  const none = canChange ? words.noneYet : words.none
  return html`
    <h1>${words.title}</h1>
    <div class="filters">
      <${SearchField} value=${q} onSearch=${(q: string) => setQuery({ q })} />
      ${canChange && html`<label>${words.add} <input type="file" multiple accept="image/*,video/*,application/pdf" onChange=${add} /></label>`}
    </div>
    <${Uploads} uploads=${uploads} />
    <div class="with-side library-page">
      <section aria-label=${words.files}>
        <${Library} key=${q} library=${library} q=${q} none=${none}>
          ${(file: ListedMedia) => html`
            <a class="pick-file" href="#/media?${new URLSearchParams({ ...(q && { q }), file: file.id })}" aria-current=${file.id === id ? 'true' : undefined}><${Shot} file=${file} /></a>
            ${canChange && html`<${Description} file=${file} />`}`}
        <//>
      </section>
      ${id && html`<${Detail} key=${id} id=${id} reload=${reload} />`}
    </div>`
}

/** The alternative text of a file, which is stored when somebody leaves the field. */
function Description({ file }: { file: ListedMedia }) {
  const { client } = useSession()
  const [error, setError] = useState<Error>()
  const store = (event: Event) => {
    setError(undefined)
    client.media.update(file.id, { altText: (event.target as HTMLTextAreaElement).value || null }).catch(setError)
  }
  return html`<textarea rows="2" dir="auto" aria-label=${say(words.shows, { file: fileNameOf(file) })} placeholder=${sentences.compose.files.shows} defaultValue=${file.altText ?? ''} onChange=${store} />
    ${error && html`<${Problem} error=${error} />`}`
}
