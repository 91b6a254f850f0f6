import { writeFileSync } from 'node:fs'
import { PLATFORMS_README, readPlatformsReadme, withLimits } from './helpers/readme.ts'

/** Writes the limits of the catalogue into the README of the platforms. */
writeFileSync(PLATFORMS_README, withLimits(readPlatformsReadme()))
