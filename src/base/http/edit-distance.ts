/**
 * The number of characters to insert, delete, replace, or swap with their neighbour, to turn one text into the other:
 * the optimal string alignment distance.
 */
export function countEdits(a: string, b: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (let row = 1; row <= a.length; row++) {
    const edits = [row]
    for (let column = 1; column <= b.length; column++) {
      const isSame = a[row - 1] === b[column - 1]
      const replaced = last[column - 1]! + (isSame ? 0 : 1)
      const isSwapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]
      const swapped = isSwapped ? beforeLast[column - 2]! + 1 : Number.POSITIVE_INFINITY
      edits.push(Math.min(last[column]! + 1, edits[column - 1]! + 1, replaced, swapped))
    }
    beforeLast = last
    last = edits
  }
  return last[b.length]!
}
