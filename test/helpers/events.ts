import type { Db } from '../../db/client.ts'
import { sequenceEvents } from '../../db/queries/events/sequence.ts'
import type { Event } from '../../schemas/event.ts'
import type { Person } from './app.ts'
import { readDocument, validatorOf } from './document.ts'

const findErrors = validatorOf(readDocument())

/** Numbers all events, as a worker does. */
export async function numberEvents(db: Db): Promise<void> {
  while ((await sequenceEvents(db)).count > 0);
}

/** All events of a person that meet `query`, in their order. Each is checked against the OpenAPI document. */
export async function readAllEvents(db: Db, person: Person, query = ''): Promise<Event[]> {
  await numberEvents(db)
  const events: Event[] = []
  for (let after = ''; ; ) {
    const { status, body } = await person.call('GET', `/events?limit=100${after}${query}`)
    if (status !== 200) throw new Error(JSON.stringify(body))
    for (const event of body.data) {
      const errors = findErrors({ $ref: '#/components/schemas/Event' }, event)
      if (errors) throw new Error(`${JSON.stringify(event)}: ${errors}`)
    }
    events.push(...body.data)
    if (!body.hasMore) return events
    after = `&after=${body.nextCursor}`
  }
}

/** Types of events, without `key.created`, which creating a person causes. */
export const typesOf = (events: Event[]): string[] =>
  events.map(({ type }) => type).filter((type) => type !== 'key.created' && type !== 'account.connected')
