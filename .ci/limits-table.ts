import type { Platform } from '../src/platforms/contract/limits.ts'
import { platforms } from '../src/platforms/limits.ts'

/** The limits that people compare first. `GET /platforms` has all limits, with their sources. */
export const renderLimits = (): string =>
  ['| Network | Post types | Caption | Files of a `post` |\n', '| --- | --- | --- | --- |\n']
    .concat(Object.values(platforms).map(renderNetwork))
    .join('')

const WEIGHTED = ['x', 'mastodon', 'threads']

function renderNetwork({ name, caption: { lengthMax, unit }, postTypes }: Platform): string {
  const types = Object.keys(postTypes).map((type) => `\`${type}\``)
  const { mediaMin, mediaMax } = postTypes.post!
  const length = `${lengthMax} ${WEIGHTED.includes(unit) ? 'weighted characters' : unit}`
  return `| ${name} | ${types.join(', ')} | ${length} | ${mediaMin === mediaMax ? mediaMax : `${mediaMin}–${mediaMax}`} |\n`
}
