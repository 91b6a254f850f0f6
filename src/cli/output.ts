/** Prints what a command gives: one JSON object for scripts, else aligned lines for people. */
export function print(result: Record<string, unknown>, { json = false }: { json?: boolean } = {}): void {
  process.stdout.write(`${json ? JSON.stringify(result) : describe(result)}\n`)
}

function describe(result: Record<string, unknown>): string {
  if (Array.isArray(result.data)) return result.data.map(describe).join('\n\n') || 'none'
  const width = Math.max(...Object.keys(result).map((key) => key.length))
  return Object.entries(result)
    .map(([key, value]) => `${key.padEnd(width)}  ${text(value)}`)
    .join('\n')
}

function text(value: unknown): string {
  if (Array.isArray(value)) return value.join(', ') || 'none'
  if (value instanceof Date) return value.toISOString()
  return value === null ? '-' : String(value)
}
