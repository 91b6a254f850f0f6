import { tooComplex } from '../structure/bytes.ts'

/** A change of a file that keeps its length: `count` bytes with one `value` from `at` on, or the bytes in `hex`. */
type Edit = [at: number, count: number, value: number] | [at: number, hex: string]

/**
 * The texts of a track that has one chunk for each of 30 frames per second, for almost three hours. The thread takes
 * about 110 bytes for each edit, and a plan 4 to 10.
 */
const EDITS_MAX = 300_000

/** Collects the edits of one file. */
export class EditList {
  readonly #edits: Edit[] = []

  /** Replaces `count` bytes from `at` on. */
  fill(at: number, count: number, value = 0): void {
    const last = this.#edits.at(-1)
    if (last && isNextTo(last, at, value)) last[1] += count
    else if (count > 0) this.#add([at, count, value])
  }

  put(at: number, bytes: Buffer): void {
    this.#add([at, bytes.toString('hex')])
  }

  /** Replaces the bytes from `at` to `end` by `bytes` and zeros. */
  replace(at: number, end: number, bytes: Buffer): void {
    this.put(at, bytes)
    this.fill(at + bytes.length, end - at - bytes.length)
  }

  #add(edit: Edit): void {
    if (this.#edits.length === EDITS_MAX) throw tooComplex(`metadata in more than ${EDITS_MAX} places`)
    this.#edits.push(edit)
  }

  /**
   * The edits in order. Crafted files can cause edits that overlap: then the later one begins where the first one ends.
   */
  plan(): Plan {
    const ordered: Edit[] = []
    for (const edit of this.#edits.sort((a, b) => a[0] - b[0])) {
      const last = ordered.at(-1)
      const start = Math.max(edit[0], last ? endOf(last) : 0)
      const left = endOf(edit) - start
      if (left <= 0) continue
      if (edit.length === 2) ordered.push([start, edit[1].slice(-2 * left)])
      else if (last && isNextTo(last, start, edit[2])) last[1] += left
      else ordered.push([start, left, edit[2]])
    }
    return toPlan(ordered)
  }
}

const endOf = (edit: Edit) => edit[0] + (edit.length === 3 ? edit[1] : edit[1].length / 2)

const isNextTo = (last: Edit, at: number, value: number): last is [number, number, number] =>
  last.length === 3 && last[2] === value && endOf(last) === at

/**
 * All edits of a file, in its order and without overlaps. Text takes a tenth of the memory of arrays. For each edit:
 * how far it is from the end of the one before, and `+` with a count and `=` with a value other than 0, or `:` with
 * bytes. The numbers have base 36, the bytes base 16.
 */
export type Plan = string

function toPlan(edits: Edit[]): Plan {
  let end = 0
  const parts = edits.map((edit) => {
    const gap = (edit[0] - end).toString(36)
    end = endOf(edit)
    if (edit.length === 2) return `${gap}:${edit[1]}`
    return `${gap}+${edit[1].toString(36)}${edit[2] ? `=${edit[2].toString(36)}` : ''}`
  })
  return parts.join(',')
}

function* editsFrom(plan: Plan, from: number): Generator<Edit, undefined> {
  let end = 0
  for (const [, gap, count, value = '0', hex] of plan.matchAll(/(\w+)(?:\+(\w+)(?:=(\w+))?|:(\w+))/g)) {
    const at = end + Number.parseInt(gap!, 36)
    const edit: Edit = hex ? [at, hex] : [at, Number.parseInt(count!, 36), Number.parseInt(value, 36)]
    end = endOf(edit)
    if (end > from) yield edit
  }
}

/** Changes the bytes of a stream whose first byte is at `from` of the file, in place. */
export async function* applyEdits(source: AsyncIterable<Buffer>, from: number, plan: Plan): AsyncGenerator<Buffer> {
  const edits = editsFrom(plan, from)
  let edit = edits.next().value
  let at = from
  for await (const chunk of source) {
    const end = at + chunk.length
    for (; edit && edit[0] < end; edit = edits.next().value) {
      const [start] = edit
      const first = Math.max(start, at)
      const last = Math.min(endOf(edit), end)
      if (edit.length === 3) chunk.fill(edit[2], first - at, last - at)
      else Buffer.from(edit[1], 'hex').copy(chunk, first - at, first - start, last - start)
      if (endOf(edit) > end) break
    }
    at = end
    yield chunk
  }
}
