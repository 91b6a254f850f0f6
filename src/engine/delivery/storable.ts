import type { SentAct } from '../../../db/queries/delivery/delivery.ts'
import type { Wait } from '../../platforms/contract/adapter.ts'
import { PublishError, storable } from '../../platforms/contract/publish-error.ts'

/** Ids that Postgres cannot store become null; otherwise settling would fail forever. */
export const storableAct = ({ id, ref, url }: SentAct): SentAct => ({
  id: storableOrNull(id),
  ...(ref !== undefined && { ref }),
  url: storableOrNull(url),
})

const storableOrNull = (text: string | null) => (text === null || storable(text, text.length) === text ? text : null)

/** In UTF-16 units of JSON: deliveries of all users share statements, so that one large state would delay them all. */
const STATE_LENGTH_MAX = 262_144

/** An adapter's state without characters that jsonb cannot store. Throws a PublishError if it is too large. */
export function storableState<T>(state: T): T {
  const json = JSON.stringify(state)
  if (json.length > STATE_LENGTH_MAX) {
    throw new PublishError('The network sent more data than Postroom stores', {
      code: 'unexpected_answer',
      maybeSent: true,
      retryable: true,
    })
  }
  return JSON.parse(json, (_, value) => (typeof value === 'string' ? value.replaceAll('\0', '').toWellFormed() : value))
}

export const storableWait = <T>({ state, afterMs }: Wait<T>): Wait<T> => ({ state: storableState(state), afterMs })
