import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

const FOLDER = 'schemas/operations'
const INDEX = join(FOLDER, 'index.ts')

/** Writes the list of all operations from the files of their folders. With `--verify`, fails if the list differs. */
const files = globSync(`${FOLDER}/*/*.ts`).toSorted()
const lines = files.flatMap((file) => {
  const name = basename(file, '.ts')
  const isOperation = readFileSync(file, 'utf8').includes(`export const ${name} = defineOperation(`)
  return isOperation ? [`export { ${name} } from './${basename(dirname(file))}/${name}.ts'\n`] : []
})
const index = lines.join('')

if (!process.argv.includes('--verify')) writeFileSync(INDEX, index)
else if (readFileSync(INDEX, 'utf8') !== index) {
  process.stderr.write(`${INDEX} is not up to date: run make openapi\n`)
  process.exitCode = 1
}
