const WIDTH = 30

/** Shows a bar in the last line of a terminal, and nothing if the output goes elsewhere. */
export function createProgress(stream: { isTTY?: boolean; write(text: string): unknown }, total: number) {
  const show = (text: string) => {
    // Back to the start of the line, which is cleared.
    if (stream.isTTY) stream.write(`\r\u001b[K${text}`)
  }
  return {
    update(done: number): void {
      const filled = Math.floor((WIDTH * done) / total)
      show(`[${'#'.repeat(filled)}${'.'.repeat(WIDTH - filled)}] ${done} of ${total}`)
    },
    end: () => show(''),
  }
}
