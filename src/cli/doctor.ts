import type { Command } from 'commander'
import { OperatorError } from '../errors.ts'
import { type Json, withJson } from './command.ts'
import { print } from './output.ts'

export function addDoctorCommand(program: Command): void {
  withJson(
    program
      .command('doctor')
      .description(
        'check the configuration, the database, its schema, the clock, the credentials, the workers and the storage, and say how to mend what is wrong',
      ),
  ).action(async (options: Json) => {
    // Imported on demand, as the processes are.
    const { examine } = await import('../runtime/doctor/doctor.ts')
    const findings = await examine(process.env)
    const failed = findings.filter(({ status }) => status === 'wrong').length
    print({ ok: failed === 0, findings }, options, formatReport)
    if (failed > 0) throw new OperatorError(`${failed} of ${findings.length} checks found something wrong`)
  })
}

interface Report {
  findings: { check: string; status: string; message: string; mend?: string }[]
}

function formatReport({ findings }: Report): string {
  const width = Math.max(...findings.map(({ check }) => check.length))
  const indent = ' '.repeat('skipped'.length + 2 + width + 2)
  return findings
    .map(({ check, status, message, mend }) => {
      const line = `${status.padEnd('skipped'.length)}  ${check.padEnd(width)}  ${message}`
      return mend ? `${line}\n${indent}${mend}` : line
    })
    .join('\n')
}
