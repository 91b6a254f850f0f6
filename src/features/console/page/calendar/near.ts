import { useEffect, useRef, useState } from 'preact/hooks'

/** Elements within the height of a window above and below it are drawn before somebody scrolls to them. */
const MARGIN = '100% 0px'

type Place = { isNear: boolean; height: number }

const watched = new Map<Element, (place: Place) => void>()
/** Elements that have come near or gone away, until their turn. */
const waiting = new Map<Element, Place>()

/** Draws or removes one element in each frame. */
function takeTurn(): void {
  const [next] = waiting
  if (!next) return
  const [element, place] = next
  waiting.delete(element)
  watched.get(element)?.(place)
  if (waiting.size > 0) requestAnimationFrame(takeTurn)
}

const observer = new IntersectionObserver(
  (entries) => {
    if (waiting.size === 0) requestAnimationFrame(takeTurn)
    for (const { target, isIntersecting, boundingClientRect } of entries) {
      waiting.set(target, { isNear: isIntersecting, height: boundingClientRect.height })
    }
  },
  { rootMargin: MARGIN },
)

/**
 * Whether an element is near the window, and the height that it had there. One that has the focus stays.
 */
export function useNear() {
  const ref = useRef<HTMLElement>(null)
  const [{ isNear, height }, setPlace] = useState<{ isNear: boolean; height?: number }>({ isNear: false })
  useEffect(() => {
    const element = ref.current!
    watched.set(element, (place) => {
      if (place.isNear) setPlace((before) => ({ ...before, isNear: true }))
      else if (!element.contains(document.activeElement)) {
        setPlace((before) => (before.isNear ? place : before))
      }
    })
    observer.observe(element)
    return () => {
      observer.unobserve(element)
      watched.delete(element)
      waiting.delete(element)
    }
  }, [])
  return { ref, isNear, height }
}
