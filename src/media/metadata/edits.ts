import { AppError } from '../../errors.ts'

/**
 * A change of a file that keeps its length: `count` bytes with one `value` from `at` on, or the bytes in `hex`. Lists of
 * edits are stored in the database, in the order of the file and without overlaps.
 */
export type Edit = [at: number, count: number, value: number] | [at: number, hex: string]

/** Far above real files: a depth map in extended XMP has some hundreds of segments. */
const EDITS_MAX = 10_000

/** The metadata of a file cannot be removed within limits. */
export const tooComplex = (what: string) => new AppError(400, 'file_too_complex', `file has ${what}`)

/** Collects the edits of one file. */
export class EditList {
  readonly #edits: Edit[] = []

  /** Replaces `count` bytes from `at` on. */
  fill(at: number, count: number, value = 0): void {
    if (count > 0) this.#add([at, count, value])
  }

  put(at: number, bytes: Buffer): void {
    this.#add([at, bytes.toString('hex')])
  }

  /** Replaces what is between `at` and `end` by `bytes` and zeros. */
  replace(at: number, end: number, bytes: Buffer): void {
    this.put(at, bytes)
    this.fill(at + bytes.length, end - at - bytes.length)
  }

  #add(edit: Edit): void {
    if (this.#edits.length === EDITS_MAX) throw tooComplex(`metadata in more than ${EDITS_MAX} places`)
    this.#edits.push(edit)
  }

  /** The edits in order. Of two that overlap, as crafted files can cause, the later one begins where the first one ends. */
  ordered(): Edit[] {
    const ordered: Edit[] = []
    for (const edit of this.#edits.sort((a, b) => a[0] - b[0])) {
      const last = ordered.at(-1)
      const free = last ? last[0] + lengthOf(last) : 0
      const [at] = edit
      const left = at + lengthOf(edit) - Math.max(at, free)
      if (left <= 0) continue
      const start = Math.max(at, free)
      const isRun = edit.length === 3
      if (isRun && last?.length === 3 && last[2] === edit[2] && start === free) last[1] += left
      else ordered.push(isRun ? [start, left, edit[2]] : [start, edit[1].slice(-2 * left)])
    }
    return ordered
  }
}

const lengthOf = (edit: Edit) => (edit.length === 3 ? edit[1] : edit[1].length / 2)

/** Changes the bytes of a stream whose first byte is at `from` of the file, in place. */
export async function* applyEdits(
  source: AsyncIterable<Buffer>,
  from: number,
  edits: readonly Edit[],
): AsyncGenerator<Buffer> {
  let index = edits.findIndex((edit) => edit[0] + lengthOf(edit) > from)
  let at = from
  for await (const chunk of source) {
    const end = at + chunk.length
    for (let edit = edits[index]; edit && edit[0] < end; edit = edits[++index]) {
      const [start] = edit
      const [first, last] = [Math.max(start, at), Math.min(start + lengthOf(edit), end)]
      if (edit.length === 3) chunk.fill(edit[2], first - at, last - at)
      else Buffer.from(edit[1], 'hex').copy(chunk, first - at, first - start, last - start)
      if (start + lengthOf(edit) > end) break
    }
    at = end
    yield chunk
  }
}
