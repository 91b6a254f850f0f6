import { globSync, readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import t from 'tap'

const PAGE = 'src/features/console/page'

/** Names that are the same in every language, and a selector that reads like a sentence. */
const NAMES = ['Postroom', '– Postroom', 'postroom key create', 'pr_…', 'form input, form button, .buttons button']

/** Attributes and properties whose values people read. */
const READ = /\b(?:label|title|aria-label|aria-valuetext|placeholder|says|none|alt)=(?:"([^"]*)"|'([^']*)')/g

/** A literal of code that reads like a sentence: some words, or one with a full stop or a dash of an ellipsis. */
const isSentence = (text: string) => /^\p{Lu}?\p{L}+[,:]? \p{L}+/u.test(text) || /^\p{Lu}\p{L}+(?:[.…:]| )/u.test(text)

interface Literals {
  /** The markup of templates, where values are `\0`. */
  markup: string[]
  /** Other strings and templates. */
  texts: string[]
}

/** Finds the literals of a module without types. A template within a template is one of its own. */
function literalsOf(code: string): Literals {
  const found: Literals = { markup: [], texts: [] }
  let at = 0
  const template = (isMarkup: boolean) => {
    let text = ''
    for (at++; code[at] !== '`'; at++) {
      if (code[at] === '\\') text += code[++at]
      else if (code.startsWith('${', at)) {
        at += 2
        walk('}')
        text += '\0'
      } else text += code[at]
    }
    at++
    found[isMarkup ? 'markup' : 'texts'].push(text)
  }
  const walk = (end: string) => {
    let depth = 0
    while (at < code.length) {
      const rest = code.slice(at, at + 200)
      const char = code[at]!
      const skipped = /^(?:\/\/.*|\/\*[\s\S]*?\*\/)/.exec(code.slice(at))?.[0]
      const pattern = /^\/(?![/*])(?:\\.|\[(?:\\.|[^\]])*\]|[^/\n\\[])+\/[a-z]*/.exec(rest)?.[0]
      const isValue = /[=(,:?&|!{;\n]\s*$|\breturn\s*$/.test(code.slice(Math.max(0, at - 20), at))
      if (skipped) at += skipped.length
      else if (pattern && isValue) at += pattern.length
      else if (char === "'" || char === '"') {
        const [literal] = /^(['"])(?:\\.|(?!\1).)*\1/.exec(code.slice(at))!
        found.texts.push(literal.slice(1, -1))
        at += literal.length
      } else if (char === '`') template(code.slice(0, at).endsWith('html'))
      else if (char === end && depth === 0) return
      else {
        if (char === '{') depth++
        if (char === '}') depth--
        at++
      }
    }
  }
  walk('')
  return found
}

/** The texts of markup that people read: those between tags, and those of some attributes. */
function readTexts(markup: string): string[] {
  const attributes = [...markup.matchAll(READ)].map(([, double, single]) => double ?? single ?? '')
  const tags = /<\/?(?:[\w!-]|\0)(?:"[^"]*"|'[^']*'|[^>"'])*>|<\/\/>/g
  return [...attributes, ...markup.replace(tags, '\0').split('\0')]
}

t.test('the page takes its sentences from the tables of languages', async (t) => {
  const problems: string[] = []
  for (const path of globSync(`${PAGE}/**/*.ts`, { exclude: (path) => path.endsWith('languages') })) {
    const { markup, texts } = literalsOf(stripTypeScriptTypes(readFileSync(path, 'utf8')))
    const read = markup.flatMap(readTexts).filter((text) => /\p{L}/u.test(text))
    const wrong = [...read, ...texts.filter(isSentence)].map((text) => text.replaceAll('\0', '').trim())
    problems.push(...wrong.filter((text) => !NAMES.includes(text)).map((text) => `${path}: ${text}`))
  }
  t.strictSame(problems, [])
})

t.test('styles name no side of the window, so that a page from right to left is mirrored', async (t) => {
  const sides = /(?<![\w-])(?:(?:margin|padding|border)-)?(?:left|right)\s*:|text-align:\s*(?:left|right)|float:/
  const problems = globSync('src/features/console/style/*.css').flatMap((path) =>
    readFileSync(path, 'utf8')
      .split('\n')
      .flatMap((line) => {
        const [, values = ''] = /(?:^|[\s{])(?:inset|margin|padding|border-radius):\s*([^;}]+)/.exec(line) ?? []
        const [, right, , left] = values.trim().split(/\s+(?![^(]*\))/)
        return sides.test(line) || (left !== right && left !== undefined) ? [`${path}: ${line.trim()}`] : []
      }),
  )
  t.strictSame(problems, [])
})
