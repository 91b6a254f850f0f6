import { useRef } from 'preact/hooks'
import type { Focus } from '../../../../clients/sdk/index.ts'
import { html } from '../html.ts'
import { say, sentences } from '../language.ts'

/** The way of one press of an arrow key, in a picture whose edges are at -1 and 1. */
const STEP = 0.05

const ARROWS: Record<string, [x: number, y: number]> = {
  ArrowLeft: [-STEP, 0],
  ArrowRight: [STEP, 0],
  ArrowUp: [0, STEP],
  ArrowDown: [0, -STEP],
}

/** Two digits place it within a hundredth of the picture. */
const within = (value: number) => Math.round(Math.min(1, Math.max(-1, value)) * 100) / 100

const toPercent = (value: number) => Math.round(((value + 1) / 2) * 100)

interface PointProps {
  address: string
  altText: string
  focus: Focus
  canChange: boolean
  /** Called while the point moves, and when it has ended there. */
  onMove: (focus: Focus) => void
  onEnd: (focus: Focus) => void
}

/** A picture with the point that stays visible where it is cropped. It is dragged, or moved by arrow keys. */
export function FocusPoint({ address, altText, focus, canChange, onMove, onEnd }: PointProps) {
  const area = useRef<HTMLDivElement>(null)
  const moved = useRef(focus)
  const move = (x: number, y: number) => {
    moved.current = { x: within(x), y: within(y) }
    onMove(moved.current)
  }
  const follow = ({ clientX, clientY }: PointerEvent) => {
    const { left, top, width, height } = area.current!.getBoundingClientRect()
    move(((clientX - left) / width) * 2 - 1, 1 - ((clientY - top) / height) * 2)
  }
  const begin = (event: PointerEvent) => {
    if (event.button !== 0) return
    event.preventDefault()
    area.current!.setPointerCapture(event.pointerId)
    follow(event)
  }
  const press = (event: KeyboardEvent) => {
    const [x, y] = ARROWS[event.key] ?? []
    if (x === undefined || y === undefined) return
    event.preventDefault()
    move(focus.x + x, focus.y + y)
  }
  const drag = canChange && {
    onPointerDown: begin,
    onPointerMove: (event: PointerEvent) => area.current!.hasPointerCapture(event.pointerId) && follow(event),
    onLostPointerCapture: () => onEnd(moved.current),
  }
  const x = toPercent(focus.x)
  const y = toPercent(-focus.y)
  const point = canChange && {
    role: 'slider',
    tabindex: 0,
    'aria-label': sentences.pages.focus.label,
    'aria-valuemin': 0,
    'aria-valuemax': 100,
    'aria-valuenow': x,
    'aria-valuetext': say(sentences.pages.focus.at, { x, y }),
    onKeyDown: press,
    onKeyUp: ({ key }: KeyboardEvent) => key in ARROWS && onEnd(moved.current),
  }
  return html`<div ref=${area} class="focus-area ${canChange ? 'changing' : ''}" ...${drag}>
    <img src=${address} alt=${altText} draggable="false" />
    <span class="focus-point" style=${{ left: `${x}%`, top: `${y}%` }} ...${point}></span>
  </div>`
}
