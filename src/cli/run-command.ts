import { CommanderError } from 'commander'
import type { Io } from './action.ts'
import { buildProgram } from './program.ts'

/** Runs the command that `args` name. Returns the exit code: 0 for success, 1 for a failure, 2 for a usage error. */
export async function runCommand(args: string[], io: Io): Promise<number> {
  try {
    await buildProgram(io).parseAsync(args, { from: 'user' })
    return Number(io.exitCode ?? 0)
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
    const [{ explainFailure }, { escapeControls }] = await Promise.all([
      import('./failure.ts'),
      import('../run/runtime/terminal.ts'),
    ])
    const { message, exitCode } = explainFailure(error)
    io.stderr.write(`error: ${escapeControls(message)}\n`)
    return exitCode
  }
}
