import { readFileSync } from 'node:fs'
import { renderLimits } from './limits-table.ts'
import { renderMetrics } from './metrics-table.ts'
import { renderCommonVariables, renderEnvExample, renderVariables } from './variables-table.ts'

/** The files that `make readme` writes, each with its contents as the code has them now. */
export const GENERATED: Record<string, () => string> = {
  'README.md': () => withTable('README.md', 'configuration', renderCommonVariables()),
  'src/config/README.md': () => withTable('src/config/README.md', 'configuration', renderVariables()),
  'src/platforms/README.md': () => withTable('src/platforms/README.md', 'limits', renderLimits()),
  'src/runtime/README.md': () => withTable('src/runtime/README.md', 'metrics', renderMetrics()),
  '.env.example': renderEnvExample,
}

/** The file with `table` between the marks of that name. */
function withTable(path: string, name: string, table: string): string {
  const begin = `<!-- ${name}: written by \`make readme\` -->\n`
  const end = `<!-- /${name} -->`
  const [before, rest] = readFileSync(path, 'utf8').split(begin)
  const after = rest?.split(end)[1]
  if (before === undefined || after === undefined) throw new Error(`${path} has no marks around its ${name}`)
  return `${before}${begin}\n${table}\n${end}${after}`
}
