import { readFileSync } from 'node:fs'
import { CONNECTION_ROWS } from '../schemas/connect.ts'
import { renderChanges, renderNetworkTables, renderTokens } from '../src/features/catalogue/network-tables.ts'
import { TOOLS } from '../src/features/mcp/tools.ts'
import { NETWORKS } from '../src/platforms/networks.ts'
import { DEPLOYMENTS } from './deployments.ts'
import { renderErrors, renderMeanings } from './errors-table.ts'
import { renderLimits } from './limits-table.ts'
import { renderEvents, renderStates } from './machine-table.ts'
import { renderMetrics } from './metrics-table.ts'
import { renderNumbers, renderReadings } from './numbers-table.ts'
import { renderEnvExample, renderVariables } from './variables-table.ts'

const CREDENTIALS = `| Network | Credentials | Where to get them |\n| --- | --- | --- |\n${CONNECTION_ROWS}\n`

const NAMES = Object.values(NETWORKS).flatMap(({ name }) => (name === 'Sandbox' ? [] : [name]))

const TOOL_ROWS = TOOLS.map(({ name, hints, operation: { schema, scope } }) => {
  const needed = scope ? `\`${scope}\`` : 'any'
  const annotations = Object.entries(hints).flatMap(([hint, isTrue]) => (isTrue ? [`\`${hint}\``] : []))
  return `| \`${name}\` | \`${schema.operationId}\` | ${needed} | ${annotations.join(', ')} |\n`
})

const TOOL_TABLE = `| Tool | Operation | Scope | Annotations |\n| --- | --- | --- | --- |\n${TOOL_ROWS.join('')}`

/** The files that `make readme` writes, each with its contents as the code has them now. */
export const GENERATED: Record<string, () => string> = {
  'README.md': () =>
    withTables('README.md', {
      networks: `It publishes to ${NAMES.slice(0, -1).join(', ')} and ${NAMES.at(-1)}.\n`,
    }),
  'src/run/config/README.md': () => withTables('src/run/config/README.md', { configuration: renderVariables() }),
  'src/features/connections/README.md': () =>
    withTables('src/features/connections/README.md', { credentials: CREDENTIALS, tokens: `${renderTokens()}\n` }),
  'src/engine/delivery/README.md': () => {
    const { guarantees, rates } = renderNetworkTables()
    const tables = { events: renderEvents(), states: renderStates(), guarantees, rates }
    const spaced = Object.entries(tables).map(([name, table]) => [name, `${table}\n`])
    return withTables('src/engine/delivery/README.md', Object.fromEntries(spaced))
  },
  'src/features/mcp/README.md': () => withTables('src/features/mcp/README.md', { tools: TOOL_TABLE }),
  'src/platforms/README.md': () =>
    withTables('src/platforms/README.md', {
      changes: `${renderChanges()}\n`,
      limits: renderLimits(),
      meanings: renderMeanings(),
      errors: renderErrors(),
    }),
  'src/engine/numbers/README.md': () =>
    withTables('src/engine/numbers/README.md', { numbers: renderNumbers(), readings: renderReadings() }),
  'src/run/runtime/README.md': () => withTables('src/run/runtime/README.md', { metrics: renderMetrics() }),
  '.env.example': renderEnvExample,
  ...DEPLOYMENTS,
}

/** The file with these tables between the marks of their names. */
function withTables(path: string, tables: Record<string, string>): string {
  return Object.entries(tables).reduce(
    (text, [name, table]) => {
      const begin = `<!-- ${name}: written by \`make readme\` -->\n`
      const end = `<!-- /${name} -->`
      const [before, rest] = text.split(begin)
      const after = rest?.split(end)[1]
      if (before === undefined || after === undefined) throw new Error(`${path} has no marks around its ${name}`)
      return `${before}${begin}\n${table}\n${end}${after}`
    },
    readFileSync(path, 'utf8'),
  )
}
