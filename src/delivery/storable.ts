import type { SentAct } from '../../db/queries/delivery/delivery.ts'
import { storable } from '../platforms/publish-error.ts'

/** Ids that Postgres cannot store become null; otherwise settling would fail forever. */
export const storableAct = ({ id, url, ...rest }: SentAct): SentAct => ({
  ...rest,
  id: storableOrNull(id),
  url: storableOrNull(url),
})

const storableOrNull = (text: string | null) => (text === null || storable(text, text.length) === text ? text : null)

/** An adapter's state without characters that jsonb cannot store. */
export const storableState = (state: unknown): unknown =>
  JSON.parse(JSON.stringify(state), (_, value) =>
    typeof value === 'string' ? value.replaceAll('\0', '').toWellFormed() : value,
  )
