import { DELIVERY_STATES } from '../schemas/delivery-states.ts'
import { TRANSITIONS } from '../src/engine/delivery/transitions.ts'

const EVENTS = Object.entries(TRANSITIONS)

/** Rows of the table of events. */
export function renderEvents(): string {
  const list = (names: readonly string[]) => names.map((name) => `\`${name}\``).join(' ') || '–'
  const states = (names: readonly string[]) => (names.length === DELIVERY_STATES.length ? 'any' : list(names))
  const rows = EVENTS.map(
    ([event, { by, from, to, writes, meaning }]) =>
      `| \`${event}\` | ${by} | ${states(from)} | ${states(to)} | ${list(writes)} | ${meaning} |`,
  )
  return ['| Event | By | From | To | Writes | Meaning |', `|${' --- |'.repeat(6)}`, ...rows].join('\n')
}

/** A diagram of the states, whose edges have the events. A restore leads from any state to most others. */
export function renderStates(): string {
  const edges = EVENTS.filter(([event]) => event !== 'restore').flatMap(([event, { from, to }]) => {
    const starts: readonly string[] = from.length > 0 ? from : ['[*]']
    return starts.flatMap((start) => to.map((end) => ({ start, end, event })))
  })
  const byEnds = Map.groupBy(
    edges.filter(({ start, end }) => start !== end),
    ({ start, end }) => `  ${start} --> ${end}`,
  )
  const lines = [...byEnds].map(([ends, group]) => `${ends}: ${group.map(({ event }) => event).join(', ')}`)
  return ['```mermaid', 'stateDiagram-v2', ...lines, '```'].join('\n')
}
