import type { Command } from 'commander'
import type { Io, Json } from './action.ts'
import { withJson } from './command.ts'

export function addDoctorCommand(program: Command, io: Io): void {
  withJson(
    program
      .command('doctor')
      .description(
        'check the configuration, the database, its schema, the clock, the credentials, the workers and the storage, and say how to mend what is wrong',
      ),
  ).action(async (options: Json) => {
    const { runDoctor } = await import('./actions/doctor.ts')
    await runDoctor(io, options)
  })
}
