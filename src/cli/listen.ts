import { type Command, Option } from 'commander'
import type { Io } from './action.ts'
import type { ListenOptions } from './actions/listen.ts'
import { withJson } from './command.ts'
import { parseHttpUrl } from './options.ts'
import { TRIGGERED_TYPES } from './triggered-types.ts'

const CONFIGURED = 'POSTROOM_URL is the address of the service, POSTROOM_KEY an API key. Needs no database'

/** Adds the commands for programs that handle events and are being written. */
export function addListenCommands(program: Command, io: Io): void {
  withJson(
    program
      .command('listen')
      .description(
        `send events to a program on this machine as a webhook would, signed with a secret that is printed and stays the same for a key. An event that the program does not answer with 2xx is sent again, for half a minute; the following ones wait. Without --cursor, begins with what happens from now on. ${CONFIGURED}`,
      )
      .requiredOption(
        '--forward-to <url>',
        'where the events are sent, such as http://localhost:4000/events',
        parseHttpUrl,
      )
      .option('--types <types...>', 'only events of these types, such as delivery.failed or post.*')
      .option('--cursor <file>', 'the file that keeps the place in the events: the next run goes on from there')
      .addOption(new Option('--resend <id>', 'send this event once more, and end').conflicts(['cursor', 'types'])),
  ).action(async (options: ListenOptions) => {
    const { listen } = await import('./actions/listen.ts')
    await listen(io, options)
  })

  withJson(
    program
      .command('trigger')
      .description(
        `make an event of this type happen, by a post or an account of the sandbox, and print it: ${TRIGGERED_TYPES.join(', ')}. Connects a sandbox account if the key has none. Needs a worker. ${CONFIGURED}`,
      )
      .argument('<type>', 'the type of the event'),
  ).action(async (type: string, options: { json?: boolean }) => {
    const { trigger } = await import('./actions/trigger.ts')
    await trigger(io, type, options)
  })
}
