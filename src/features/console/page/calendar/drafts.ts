import { useState } from 'preact/hooks'
import type { ListedPost } from '../../../../clients/sdk/index.ts'
import { type Loaded, useLoad } from '../hooks.ts'
import { html } from '../html.ts'
import { sentences } from '../language.ts'
import { Empty, Loading } from '../parts.ts'
import { useCan, useSession } from '../session.ts'
import { Chip } from './chip.ts'
import { draggable, dropPlace } from './drag.ts'
import { type Entry, picturesOf } from './entries.ts'
import { toEntry } from './list.ts'
import { Pick, useShown } from './selection.ts'

const words = sentences.calendar.drafts

/** As many drafts as are shown before more are asked for. */
const DRAFTS_SHOWN = 20

interface DraftsProps {
  drafts: Loaded<ListedPost[]>
  shown: number
  onMore: () => void
  onWithdraw: (entry: Entry) => void
}

/** The drafts that match the filters, and how many of them are shown. */
export function useDrafts(filters: Record<string, string | undefined>, include: ('targets' | 'media')[]) {
  const { client } = useSession()
  const [shown, setShown] = useState(DRAFTS_SHOWN)
  const drafts = useLoad(
    async (signal) => {
      const query = { ...(filters as object), status: ['draft' as const], include, limit: DRAFTS_SHOWN }
      const list: ListedPost[] = []
      for await (const post of client.posts.list(query, { signal })) if (list.push(post) > shown) break
      return list
    },
    [client, shown, ...Object.values(filters)],
  )
  return { drafts, shown, onMore: () => setShown(shown + DRAFTS_SHOWN) }
}

/** Drafts are dragged to a day, and scheduled posts back to here. */
export function Drafts({ drafts, shown, onMore, onWithdraw }: DraftsProps) {
  const canMove = useCan('posts:publish')
  const canWrite = useCan('posts:write')
  useShown((drafts.value ?? []).slice(0, shown))
  const place = dropPlace(({ post }) => post.status === 'scheduled', onWithdraw)
  const item = (entry: Entry) => html`<li key=${entry.post.id} ...${draggable(entry, canMove)}>
    <${Pick} entry=${entry} />
    <${Chip} ...${entry} files=${entry.targets.length > 0 ? picturesOf(entry) : []} />
  </li>`
  return html`<aside aria-label=${words.title} class="drafts" ...${place}>
    <h2>${words.title}</h2>
    <p class="drop-hint" aria-hidden="true">${words.drop}</p>
    <${Loading} loaded=${drafts}>
      ${(list: ListedPost[]) =>
        list.length === 0
          ? html`<${Empty}>${canWrite ? words.noneYet : words.none}<//>`
          : html`<ul class="entries">${list.slice(0, shown).map((post) => item(toEntry(post)))}</ul>
            ${list.length > shown && html`<button type="button" class="quiet" onClick=${onMore}>${words.more}</button>`}`}
    <//>
  </aside>`
}
