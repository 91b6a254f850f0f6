import { type ErrorRow, MEANINGS } from '../src/platforms/contract/error-table.ts'
import { NETWORKS } from '../src/platforms/networks.ts'

/** What follows from a refusal, by its meaning. */
export function renderMeanings(): string {
  const rows = Object.entries(MEANINGS).map(
    ([meaning, { code, outcome }]) => `| ${meaning} | \`${code}\` | ${outcome} |\n`,
  )
  return `| Meaning | Error | What happens |\n| --- | --- | --- |\n${rows.join('')}`
}

/** The refusals of each network, and what they mean. Networks of one family share theirs. */
export function renderErrors(): string {
  const tables = new Map<readonly ErrorRow[], string[]>()
  for (const { name, errors } of Object.values(NETWORKS)) tables.set(errors, [...(tables.get(errors) ?? []), name])
  const rows = [...tables].flatMap(([errors, names]) =>
    errors.map((row) => `| ${names.join(', ')} | ${signOf(row)} | ${row.means} | ${row.note} |\n`),
  )
  return `| Network | Refusal | Meaning | Reason |\n| --- | --- | --- | --- |\n${rows.join('')}`
}

function signOf({ status, code, subcode, text }: ErrorRow): string {
  const parts = [
    ['', status],
    ['', code],
    ['subcode ', subcode],
    ['says ', text],
  ] as const
  return parts.flatMap(([name, value]) => (value === undefined ? [] : [`${name}${textOf(value)}`])).join(', ')
}

const textOf = (value: RegExp | number | string | readonly (number | string)[]) =>
  [value]
    .flat()
    .map((each) => `\`${each instanceof RegExp ? each.source.replaceAll('|', '\\|') : each}\``)
    .join(' ')
