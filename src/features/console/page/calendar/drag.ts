import type { Entry } from './entries.ts'

/** The entry or the draft that is under way. */
let dragged: Entry | undefined

/** Marks the page while something is dragged, so that it shows where it can be dropped. */
function mark(entry?: Entry): void {
  dragged = entry
  document.body.classList.toggle('dragging', entry !== undefined)
}

/** Properties of an element that is dragged. */
export const draggable = (entry: Entry, canMove: boolean) => ({
  draggable: canMove,
  onDragStart: () => mark(canMove ? entry : undefined),
  onDragEnd: () => mark(),
})

/** Properties of a place that takes what `takes` allows. */
export const dropPlace = (
  takes: (entry: Entry, event: DragEvent) => boolean,
  drop: (entry: Entry, event: DragEvent) => void,
) => ({
  onDragOver: (event: DragEvent) => dragged && takes(dragged, event) && event.preventDefault(),
  onDrop: (event: DragEvent) => {
    event.preventDefault()
    if (dragged && takes(dragged, event)) drop(dragged, event)
    mark()
  },
})
