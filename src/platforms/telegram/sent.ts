import type { Sent } from '../contract/adapter.ts'
import { at, textAt } from '../wire/json.ts'

/**
 * A message, or an album: its first message carries the caption, and replies go to it. `ref` has the ids of the others,
 * which Telegram tells at no other time. Undefined if the result has no id.
 */
export function sentOf(result: unknown): Sent | undefined {
  const [message, ...others] = [result].flat()
  const id = textAt(message, 'message_id')
  if (id === undefined) return undefined
  const ids = others.map((other) => textAt(other, 'message_id')).filter((id) => id !== undefined)
  return { id, ...(ids.length > 0 && { ref: ids.join(',') }), url: urlOf(message, id) }
}

/** The ids of all messages of a post. */
export const messageIdsOf = ({ id, ref }: Sent): number[] => [id, ...(ref?.split(',') ?? [])].map(Number)

/**
 * Only channels and supergroups have addresses (https://core.telegram.org/api/links#message-links); the number of a
 * private one is written without its -100.
 */
function urlOf(message: unknown, id: string): string | null {
  const name = textAt(message, 'chat', 'username')
  const chatId = textAt(message, 'chat', 'id') ?? ''
  if (at(message, 'chat', 'type') === 'private' || !(name || chatId.startsWith('-100'))) return null
  return `https://t.me/${name ?? `c/${chatId.slice('-100'.length)}`}/${id}`
}
