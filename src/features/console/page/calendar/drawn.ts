import type { VNode } from 'preact'
import { useEffect, useMemo, useState } from 'preact/hooks'
import type { ListedPost } from '../../../../clients/sdk/index.ts'

/* Frames stay short with hundreds of posts: few are drawn in one frame, and none without a reason. */

/** A frame that took longer is followed by one that draws less. */
const LONG_FRAME_MS = 25
const IN_FRAME_MAX = 12

/** Returns how many of `total` elements to draw: a few more in each frame. Another `key` begins again. */
export function useGradual(total: number, key: string): number {
  const [drawn, setDrawn] = useState({ key, count: 0, inFrame: IN_FRAME_MAX / 2 })
  const { inFrame } = drawn
  const count = Math.min(total, (drawn.key === key ? drawn.count : 0) + inFrame)
  useEffect(() => {
    if (count === total) return
    const begin = performance.now()
    const frame = requestAnimationFrame((now) => {
      const isLong = now - begin > LONG_FRAME_MS
      setDrawn({ key, count, inFrame: isLong ? Math.ceil(inFrame / 2) : Math.min(IN_FRAME_MAX, inFrame + 1) })
    })
    return () => cancelAnimationFrame(frame)
  }, [drawn, total, key])
  return count
}

/**
 * Draws elements by their names. One whose inputs are the same as before stays the same object, which Preact leaves
 * alone. Another `shown` draws all of them again.
 */
export function useElements(shown = '') {
  const kept = useMemo(() => new Map<string, { inputs: readonly unknown[]; element: VNode }>(), [shown])
  return (name: string, inputs: readonly unknown[], draw: () => VNode): VNode => {
    const before = kept.get(name)
    const isSame = before?.inputs.length === inputs.length && inputs.every((input, at) => input === before.inputs[at])
    if (before && isSame) return before.element
    const element = draw()
    kept.set(name, { inputs, element })
    return element
  }
}

/** Posts that are read again. Those that have not changed stay the same objects. */
export function useSamePosts(posts: ListedPost[] | undefined): ListedPost[] {
  const kept = useMemo(() => new Map<string, { text: string; post: ListedPost }>(), [])
  return useMemo(() => {
    const read = (posts ?? []).map((post) => {
      const text = JSON.stringify(post)
      const before = kept.get(post.id)
      return before?.text === text ? before : { text, post }
    })
    kept.clear()
    for (const each of read) kept.set(each.post.id, each)
    return read.map(({ post }) => post)
  }, [posts])
}
