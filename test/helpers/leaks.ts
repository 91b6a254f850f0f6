import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isKey } from '../../src/features/auth/key.ts'

const API_KEY = /pr(?:at|rt|ac|ap)?_[0-9A-Za-z]{36}/g
const SHOWN_MAX = 400

/** Searches the record of log-record.ts. Returns a message for each line of the log that contains a secret. */
export function findLeaks(folder: string): string[] {
  const files = readdirSync(folder)
  const linesOf = (name: string) => readFileSync(join(folder, name), 'utf8').split('\n').filter(Boolean)
  const kinds = new Map<string, string>()
  for (const file of files.filter((name) => name.endsWith('.secrets'))) {
    for (const line of linesOf(file)) {
      const [kind, secret] = JSON.parse(line) as [string, string]
      kinds.set(secret, kind)
      // As a line in JSON contains it.
      kinds.set(JSON.stringify(secret).slice(1, -1), kind)
    }
  }
  const search = createSearch([...kinds.keys()])
  const leaks: string[] = []
  for (const file of files.filter((name) => name.endsWith('.log'))) {
    for (const line of linesOf(file)) {
      const secret = search(line) ?? line.match(API_KEY)?.find(isKey)
      if (secret === undefined) continue
      leaks.push(`${file} has a secret (${kinds.get(secret) ?? 'API key'}: ${secret}): ${line.slice(0, SHOWN_MAX)}`)
    }
  }
  return leaks
}

/** The minimal length of a text. */
const START = 8

/**
 * Returns a function that finds one of many texts in a line. Tests use thousands of captions and write millions of
 * characters: a table of the texts' first characters rules out nearly every position.
 */
function createSearch(texts: string[]): (line: string) => string | undefined {
  const isStart = new Uint8Array(2 ** 16)
  const byStart = new Map<string, string[]>()
  const hashAt = (line: string, index: number) =>
    (line.charCodeAt(index) * 31 + line.charCodeAt(index + 3) * 1_021 + line.charCodeAt(index + 7) * 8_191) & 0xffff
  for (const text of texts) {
    const start = text.slice(0, START)
    isStart[hashAt(text, 0)] = 1
    byStart.set(start, [...(byStart.get(start) ?? []), text])
  }
  return (line) => {
    for (let index = 0; index <= line.length - START; index++) {
      if (isStart[hashAt(line, index)] === 0) continue
      const found = byStart.get(line.slice(index, index + START))?.find((text) => line.startsWith(text, index))
      if (found !== undefined) return found
    }
    return undefined
  }
}
