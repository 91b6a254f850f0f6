import { asStored, countKept } from './stored-text.ts'

/** Why Telegram refuses a text with markup. */
export interface Invalid {
  /** In the text with markup, in UTF-16 units. */
  index: number
  /** The problem, and what would be right. */
  problem: string
}

export const invalid = (index: number, problem: string): Invalid => ({ index, problem })

/** The text that a sticky expression matches at `index`; empty if it matches nothing. */
export function readAt(expression: RegExp, text: string, index: number): string {
  expression.lastIndex = index
  return expression.exec(text)?.[0] ?? ''
}

/** A place in a text that is being read. */
export interface Mark {
  /** The number of parts before it. */
  parts: number
  /** The number of UTF-16 units before it that Telegram keeps. */
  kept: number
}

/** Telegram publishes further ones as plain text: https://github.com/rubenlagus/TelegramBots/issues/854. */
const ENTITIES_MAX = 100

/** A parser's result for a text with markup: the text without it, and the relevant parts of its entities. */
export class PlainText {
  #parts: string[] = []
  #kept = 0
  #firstEntity = Number.POSITIVE_INFINITY
  #entityCount = 0
  /** The addresses of links that Telegram drops. */
  readonly deadLinks: string[] = []

  append(part: string): void {
    this.#parts.push(part)
    this.#kept += countKept(part)
  }

  get end(): Mark {
    return { parts: this.#parts.length, kept: this.#kept }
  }

  /** The text since `start`. */
  since = (start: Mark): string => this.#parts.slice(start.parts).join('')

  /** Adds an entity that reaches from `start` to the end. Telegram removes one of which it keeps no character. */
  addEntity({ kept }: Mark): void {
    if (kept >= this.#kept) return
    this.#firstEntity = Math.min(this.#firstEntity, kept)
    this.#entityCount++
  }

  /** The number of entities that Telegram drops because there are too many. */
  get lostEntities(): number {
    return Math.max(0, this.#entityCount - ENTITIES_MAX)
  }

  /** White space at the start is removed up to the first entity. */
  asStored = (): string => asStored(this.#parts.join(''), this.#firstEntity)
}
