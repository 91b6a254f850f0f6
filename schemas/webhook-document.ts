import { EVENTS } from './event.ts'

const HEADERS = [
  ['webhook-id', 'The id of the event, the same in each attempt. An event may arrive more than once.'],
  ['webhook-timestamp', 'The time of the attempt, in seconds since 1970. Reject a request that is over 5 minutes off.'],
  ['webhook-signature', 'Signatures of the id, the timestamp and the body, separated by blanks: one for each secret.'],
] as const

const parameters = HEADERS.map(([name, description]) => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string' },
}))

/** The section `webhooks` of the OpenAPI document: what each type of event looks like to a receiver. */
export const WEBHOOK_REQUESTS = Object.fromEntries(
  EVENTS.map((event) => {
    const [example] = event.examples
    const name = event.$id!.replace(/Event$/, '')
    const post = {
      operationId: `receive${name}`,
      tags: ['webhooks'],
      summary: example.type,
      description: event.description,
      parameters,
      security: [],
      requestBody: {
        required: true,
        content: { 'application/json': { schema: toLocal(event.$id!), examples: { [name]: { value: example } } } },
      },
      responses: {
        '2XX': { description: 'The event has arrived.' },
        '410': { description: 'Disables the webhook.' },
        default: { description: 'The event is sent again later.' },
      },
    }
    return [example.type, { post }]
  }),
)

function toLocal(id: string) {
  return { $ref: `#/components/schemas/${id}` }
}
