import { type Static, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'

const Link = Type.Object({ id: Type.String(), parentPostId: Type.Union([Type.String(), Type.Null()]) })
type Link = Static<typeof Link>

/** A first text with the parts after it; or a row that belongs to no post, with the problem. */
interface Thread {
  id: string
  rows: unknown[]
  problem?: string
}

/** Joins the rows of each post: a part is the parent of the next. */
export function groupThreads(rows: unknown[]): Thread[] {
  const links = rows.filter((row): row is Link => Value.Check(Link, row) && row.parentPostId !== row.id)
  const followers = Map.groupBy(links, ({ parentPostId }) => parentPostId)
  const ids = new Set(links.map(({ id }) => id))
  const found = new Set<unknown>()
  const threads = (followers.get(null) ?? []).map((row) => ({ id: row.id, rows: collectRows(row, followers, found) }))
  const lost = [...rows.entries()].filter(([, row]) => !found.has(row))
  return [...threads, ...lost.map(([index, row]) => describeLost(row, index, ids))]
}

/** In depth first order. A row of a circle is found once. */
function collectRows(first: Link, followers: ReadonlyMap<string | null, Link[]>, found: Set<unknown>): Link[] {
  const rows: Link[] = []
  const waiting = [first]
  for (let row = waiting.pop(); row; row = waiting.pop()) {
    if (found.has(row)) continue
    found.add(row)
    rows.push(row)
    for (const next of (followers.get(row.id) ?? []).toReversed()) waiting.push(next)
  }
  return rows
}

function describeLost(row: unknown, index: number, ids: ReadonlySet<string>): Thread {
  const { id, parentPostId } = (row ?? {}) as Partial<Link>
  const thread = { id: typeof id === 'string' ? id : `row ${index + 1}`, rows: [row] }
  if (!Value.Check(Link, row)) return thread
  if (parentPostId === id) return { ...thread, problem: 'it is its own parent' }
  const isKnown = ids.has(parentPostId!)
  return { ...thread, problem: `its parent ${parentPostId} ${isKnown ? 'begins no post' : 'is not in the file'}` }
}
