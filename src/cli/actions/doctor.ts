import { OperatorError } from '../../base/errors.ts'
import type { Io, Json } from '../action.ts'
import { examine } from '../examine/examine.ts'
import { print } from '../output.ts'

export async function runDoctor(io: Io, options: Json): Promise<void> {
  const findings = await examine(io.env)
  const failed = findings.filter(({ status }) => status === 'wrong').length
  print(io, { ok: failed === 0, findings }, options, formatReport)
  if (failed > 0) throw new OperatorError(`${failed} of ${findings.length} checks found something wrong`)
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
