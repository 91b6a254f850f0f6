import { ignoreInspectorSignal } from '../run/runtime/signals.ts'
import { runCommand } from './run-command.ts'

ignoreInspectorSignal()
process.exitCode = await runCommand(process.argv.slice(2), process)
