import { writeFileSync } from 'node:fs'
import { readReadme, withLimits } from './helpers/readme.ts'

/** Writes the tables of limits into README.md. */
writeFileSync('README.md', withLimits(readReadme()))
