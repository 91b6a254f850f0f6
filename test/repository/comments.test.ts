import { globSync, readFileSync } from 'node:fs'
import t from 'tap'

const FOLDERS = ['src', 'db', 'schemas', 'test']
/** A comment begins with its subject or its verb. */
const OPENINGS = ['Of', 'With', 'Without', 'Where', 'What', 'So']
/** Phrases that a reader has to translate: "this time", "the outcome of", "again", "is missing". */
const PHRASES = ['so long', 'what became of', 'what becomes of', 'anew', 'is none', 'are none', 'whoever']
const WIDTH = 120

const opening = new RegExp(`^(?:${OPENINGS.join('|')})\\b`)
const phrase = new RegExp(`\\b(?:${PHRASES.join('|')})\\b`, 'i')
const BLOCKS = /^[ \t]*\/\*[\s\S]*?\*\/|(?:^[ \t]*(?:\/\/|--) .*\n)+/gm
const MARKERS = /^[ \t]*(?:\/\*\*?|\*\/|\*|\/\/|--)|\*\/$/gm
/** An address cannot be broken. */
const isTooLong = (line: string) => line.length > WIDTH && !/^\s*\S+ \S+$/.test(line)

t.test('comments begin with their subject, in plain words and short lines', async (t) => {
  const exclude = (path: string) => path.endsWith('db/migrations') || path.endsWith('node_modules')
  const files = FOLDERS.flatMap((folder) => globSync(`${folder}/**/*.{ts,sql}`, { exclude }))
  // Its comments are descriptions of the interface, which the next test reads.
  const problems = files
    .filter((path) => path !== 'src/clients/sdk/types.ts')
    .flatMap((path) =>
      [...readFileSync(path, 'utf8').matchAll(BLOCKS)].flatMap(([block]) => {
        const text = block.replaceAll(MARKERS, '').replaceAll(/\s+/g, ' ').trim()
        const isWrong = opening.test(text) || phrase.test(text) || block.split('\n').some(isTooLong)
        return isWrong ? [`${path}: ${text}`] : []
      }),
    )
  t.strictSame(problems, [])
})

t.test('descriptions of the interface and Markdown are in plain words', async (t) => {
  const markdown = globSync('{*.md,.github/**/*.md,{db,schemas,src,test}/**/*.md}', {
    exclude: (path) => path.includes('node_modules'),
  })
  const problems = ['openapi/openapi.json', ...markdown].flatMap((path) =>
    readFileSync(path, 'utf8')
      .split('\n')
      .flatMap((line) =>
        phrase.test(line) ? [`${path}: ${phrase.exec(line)![0]} in ${line.trim().slice(0, 100)}`] : [],
      ),
  )
  t.strictSame(problems, [])
})
