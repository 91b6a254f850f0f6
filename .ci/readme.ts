import { writeFileSync } from 'node:fs'
import { GENERATED } from './readme-files.ts'

/** Writes the tables of READMEs, and `.env.example`, from the code. */
for (const [path, render] of Object.entries(GENERATED)) writeFileSync(path, render())
