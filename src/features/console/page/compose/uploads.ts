import { useLayoutEffect, useState } from 'preact/hooks'
import type { Media } from '../../../../clients/sdk/index.ts'
import { html } from '../html.ts'
import { sentences } from '../language.ts'
import { Problem } from '../problem.ts'
import type { Session } from '../session.ts'

/** A file that is sent for a draft, or that could not be stored. */
interface Upload {
  draftKey: string
  name: string
  share: number
  error?: Error
}

// Not the state of an element: uploads go on while another page is shown.
let uploads: readonly Upload[] = []
const descriptions = new Set<Promise<unknown>>()
const changes = new EventTarget()

const isUnderWay = ({ error }: Upload) => error === undefined
const askBeforeLeaving = (event: Event) => event.preventDefault()

function change(next: readonly Upload[]): void {
  uploads = next
  const listen = uploads.some(isUnderWay) ? addEventListener : removeEventListener
  listen('beforeunload', askBeforeLeaving)
  changes.dispatchEvent(new Event('change'))
}

/** Sends files for a draft, one after the other. */
export async function uploadAll(
  send: Session['upload'],
  draftKey: string,
  files: Iterable<File>,
  onStored: (file: Media) => void,
): Promise<void> {
  const begun = Array.from(files, (file) => ({ file, upload: { draftKey, name: file.name, share: 0 } as Upload }))
  change([...uploads.filter(isUnderWay), ...begun.map(({ upload }) => upload)])
  for (const { file, upload } of begun) {
    const show = (changed: Partial<Upload>) =>
      change(uploads.with(uploads.indexOf(upload), Object.assign(upload, changed)))
    try {
      await requireReadable(file)
      onStored(await send(file, (share) => show({ share })))
      change(uploads.filter((each) => each !== upload))
    } catch (error) {
      show({ error: error as Error })
    }
  }
}

async function requireReadable(file: File): Promise<void> {
  await file
    .slice(0, 1)
    .arrayBuffer()
    .catch(() => {
      throw new Error(sentences.compose.files.unreadable)
    })
}

/** The uploads for a draft, and whether one of them is under way. */
export function useUploads(draftKey: string) {
  const [all, setAll] = useState(uploads)
  useLayoutEffect(() => {
    const follow = () => setAll(uploads)
    follow()
    changes.addEventListener('change', follow)
    return () => changes.removeEventListener('change', follow)
  }, [])
  const own = all.filter((upload) => upload.draftKey === draftKey)
  return { uploads: own, isUploading: own.some(isUnderWay) }
}

export const Uploads = ({ uploads }: { uploads: Upload[] }) =>
  uploads.map(({ name, share, error }) =>
    error
      ? html`<div><p class="small" dir="auto">${name}</p><${Problem} error=${error} /></div>`
      : html`<p role="status"><progress value=${share}></progress> <span dir="auto">${name}</span></p>`,
  )

/** Notes that the description of a file is being stored. */
export function noteDescription(stored: Promise<unknown>): void {
  descriptions.add(stored)
  const forget = () => descriptions.delete(stored)
  stored.then(forget, forget)
}

/** Waits until descriptions are stored. Fails if one of them is refused. */
export const descriptionsAreStored = () => Promise.all(descriptions)
