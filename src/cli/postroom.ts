import { CommanderError } from 'commander'
import { ConfigError } from '../config.ts'
import { isDatabaseUnavailable } from '../http/errors.ts'
import { CommandError } from './output.ts'
import { buildProgram } from './program.ts'

/** Exit codes: 0 done, 1 failed, 2 called wrongly. */
async function main(): Promise<number> {
  try {
    await buildProgram().parseAsync()
    return 0
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
    process.stderr.write(`error: ${explain(error)}\n`)
    return error instanceof ConfigError ? 2 : 1
  }
}

const UNDEFINED_TABLE = '42P01'
const INSUFFICIENT_PRIVILEGE = '42501'

function explain(error: unknown): string {
  const { code, message } = error as { code?: string; message: string }
  if (error instanceof CommandError || error instanceof ConfigError) return message
  if (code === UNDEFINED_TABLE) return 'The database has no tables yet: npm run -s postroom -- migrate'
  if (code === INSUFFICIENT_PRIVILEGE) {
    return `The role in DATABASE_URL may not do this (${message}): give it a database of its own`
  }
  if (message.startsWith('corrupted migrations')) {
    return 'The database belongs to another version of Postroom, probably a newer one: run that version'
  }
  if (isDatabaseUnavailable(error)) return `The database is not available: ${message || code}`
  return message
}

process.exitCode = await main()
