import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t from 'tap'
import { GENERATED } from '../../.ci/readme-files.ts'
import * as timing from '../../src/engine/delivery/timing.ts'

const readme = readFileSync('README.md', 'utf8')

t.test('README.md has at most 120 lines, 45 in a section, and no table cell over 150 characters', async (t) => {
  const lines = readme.trimEnd().split('\n')
  t.ok(lines.length <= 120, `${lines.length} lines`)
  const sections = readme.split(/^(?=## )/m).map((section) => section.split('\n'))
  t.same(
    sections.filter((section) => section.length > 45).map(([heading]) => heading),
    [],
  )
  const cells = lines
    .filter((line) => line.startsWith('|'))
    .flatMap((line) => line.split('|').map((cell) => cell.trim()))
  t.same(
    cells.filter((cell) => cell.length > 150),
    [],
  )
})

t.test(
  'READMEs and .env.example list the variables of the configuration, the limits of networks and the metrics',
  async (t) => {
    for (const [path, render] of Object.entries(GENERATED))
      t.equal(readFileSync(path, 'utf8'), render(), `${path}: make readme`)
  },
)

t.test('every make target in the README exists, and make help describes every target', async (t) => {
  const makefile = readFileSync('Makefile', 'utf8')
  const targets = [...makefile.matchAll(/^([a-z-]+):.*## /gm)].map((match) => match[1])
  const named = [...readme.matchAll(/`make ([a-z -]+?)(?: TESTS[^`]*)?`/g)].flatMap((match) => match[1]!.split(' '))
  t.strictSame(
    named.filter((name) => !targets.includes(name)),
    [],
  )
  const all = [...makefile.matchAll(/^([a-z-]+):/gm)].map((match) => match[1])
  t.strictSame(targets, all)
})

t.test('src/engine/delivery/README.md names every constant of timing.ts', async (t) => {
  const [, timings] = readFileSync('src/engine/delivery/README.md', 'utf8').split('## Timings')
  const named = [...timings!.matchAll(/`([A-Z]+(?:_[A-Z]+)+)`/g)].map(([, name]) => name!)
  t.strictSame(named.toSorted(), Object.keys(timing).toSorted())
})

t.test('db/README.md lists every table', async (t) => {
  const [, tables] = /export interface DB \{([^}]*)\}/.exec(readFileSync('db/types.ts', 'utf8'))!
  const names = [...tables!.matchAll(/(\w+):/g)].map(([, name]) => name!.replace(/[A-Z]/g, '_$&').toLowerCase())
  const [, section] = readFileSync('db/README.md', 'utf8')
    .split(/^## /m)
    .filter((text) => text.startsWith('Tables'))[0]!
    .split('| --- | --- |')
  const listed = [...section!.matchAll(/^\| (.+?) \|/gm)].flatMap(([, cell]) => cell!.match(/\w+/g) ?? [])
  t.same(new Set(listed), new Set(names))
})

t.test('every relative link in a Markdown file leads to an existing file and heading', async (t) => {
  const files = globSync('{*.md,.github/**/*.md,{db,schemas,src,test}/**/*.md}', {
    exclude: (path) => path.includes('node_modules'),
  })
  const isBroken = (file: string, target: string) => {
    const [path, heading] = target.split('#') as [string, string?]
    const linked = path ? join(dirname(file), path) : file
    if (!existsSync(linked)) return true
    return heading !== undefined && !anchorsOf(readFileSync(linked, 'utf8')).includes(heading)
  }
  const problems = files.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/\]\((?!\w+:)([^)\s]+)\)/g)]
      .filter(([, target]) => isBroken(file, target!))
      .map(([, target]) => `${file} links to ${target}`),
  )
  t.strictSame(problems, [])
})

/** The anchors that GitHub gives to the headings of a Markdown file. */
function anchorsOf(markdown: string): string[] {
  return [...markdown.matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
    heading!
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )
}

t.test('CONTRIBUTING.md leads to every folder of src/', async (t) => {
  const text = readFileSync('.github/CONTRIBUTING.md', 'utf8')
  const folders = readdirSync('src', { withFileTypes: true }).filter((entry) => entry.isDirectory())
  t.strictSame(
    folders.map(({ name }) => `src/${name}/`).filter((folder) => !text.includes(folder)),
    [],
  )
})
