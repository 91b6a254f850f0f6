import { globSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { writeGenerated } from './generated.ts'

const FOLDER = 'schemas/operations'
const INDEX = join(FOLDER, 'index.ts')

/** Writes the list of all operations from the files of their folders. */
const files = globSync(`${FOLDER}/*/*.ts`).toSorted()
const lines = files.flatMap((file) => {
  const name = basename(file, '.ts')
  const isOperation = readFileSync(file, 'utf8').includes(`export const ${name} = defineOperation(`)
  return isOperation ? [`export { ${name} } from './${basename(dirname(file))}/${name}.ts'\n`] : []
})

writeGenerated(INDEX, lines.join(''))
