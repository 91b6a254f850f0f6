import { readFileSync } from 'node:fs'
import { renderLimits } from './limits-table.ts'

const BEGIN = '<!-- limits: written by `make readme` -->\n'
const END = '<!-- /limits -->'

export const PLATFORMS_README = 'src/platforms/README.md'

export const readPlatformsReadme = () => readFileSync(PLATFORMS_README, 'utf8')

/** The README with the limits between its marks as the catalogue has them now. */
export function withLimits(readme: string): string {
  const [before, rest] = readme.split(BEGIN)
  const after = rest?.split(END)[1]
  if (before === undefined || after === undefined) {
    throw new Error(`${PLATFORMS_README} has no marks around its limits`)
  }
  return `${before}${BEGIN}\n${renderLimits()}\n${END}${after}`
}
