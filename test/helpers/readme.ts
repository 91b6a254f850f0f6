import { readFileSync } from 'node:fs'
import { limitsTable } from './limits-table.ts'

const BEGIN = '<!-- limits: written by `make readme` -->\n'
const END = '<!-- /limits -->'

export const readReadme = () => readFileSync('README.md', 'utf8')

/** The README with its tables of limits as the data say. */
export function withLimits(readme: string): string {
  const [before, rest] = readme.split(BEGIN)
  const after = rest?.split(END)[1]
  if (before === undefined || after === undefined) throw new Error('README.md has lost the marks around its limits')
  return `${before}${BEGIN}${limitsTable()}\n${END}${after}`
}
