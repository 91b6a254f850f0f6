import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { ListedPost } from '../../../../clients/sdk/index.ts'
import { html } from '../html.ts'
import { say, sentences } from '../language.ts'
import { textOf } from './chip.ts'
import { type Selection, useCalendar } from './context.ts'
import type { Entry } from './entries.ts'

export function useSelection(): Selection {
  const [isOn, setOn] = useState(false)
  const [posts, setPosts] = useState<ReadonlyMap<string, ListedPost>>(new Map())
  const shown = useRef(new Set<readonly ListedPost[]>())
  return useMemo(
    () => ({
      isOn,
      posts,
      toggle: (post) => {
        const others = [...posts].filter(([id]) => id !== post.id)
        setPosts(new Map(posts.has(post.id) ? others : [...others, [post.id, post]]))
      },
      selectShown: () =>
        setPosts(new Map([...posts, ...[...shown.current].flat().map((post) => [post.id, post] as const)])),
      setOn: (isOn) => {
        setOn(isOn)
        setPosts(new Map())
      },
      show: (posts) => {
        shown.current.add(posts)
        return () => {
          shown.current.delete(posts)
        }
      },
    }),
    [isOn, posts],
  )
}

/** Lets posts be selected together, while the element that shows them is there. */
export function useShown(posts: readonly ListedPost[]): void {
  const { selection } = useCalendar()
  useEffect(() => selection.show(posts), posts)
}

/** The field that selects a post, while posts are selected. */
export function Pick({ entry }: { entry: Pick<Entry, 'post' | 'targets'> }) {
  const { selection } = useCalendar()
  const { post } = entry
  if (!selection.isOn) return null
  return html`<input class="pick" type="checkbox" aria-label=${say(sentences.calendar.bulk.selectPost, { text: textOf(entry).slice(0, 80) })} checked=${selection.posts.has(post.id)} onChange=${() => selection.toggle(post)} />`
}
