import { globSync, readFileSync } from 'node:fs'
import t from 'tap'
import * as attentions from '../../schemas/account.ts'
import { VARIABLES } from '../../src/run/config/variables.ts'

/*
 * The `error` of a delivery and the `attention` of an account are shown to end users of applications. They can neither
 * run commands nor call the API. Every text of the files that make such messages is checked.
 */

/** Files that make these messages. Those of commands and of the journal's refusals are for operators. */
const MAKES_MESSAGES =
  /PublishError|\b(?:failure|impossible|unauthorized|unexpected)\(|DeliveryError|AccountAttention|attentionOf/
const FILES = globSync([
  'src/{features/{accounts,media,posts},engine/{credentials,delivery},platforms}/**/*.ts',
  'db/queries/**/*.ts',
]).filter((file) => file !== 'src/engine/journal/journal.ts' && MAKES_MESSAGES.test(readFileSync(file, 'utf8')))

const FORBIDDEN: [what: string, pattern: RegExp][] = [
  ['a command', /\bpostroom [a-z]|\b(?:npm (?:run|ci|install)|npx|psql|docker|systemctl)\b/],
  ['an option of a command', /(?:^|\s)--[a-z]/],
  ['an operation of the API', /\b(?:GET|HEAD|POST|PUT|PATCH|DELETE) \/|\/api\/v1\b/],
  ['a file or a folder', /(?:^|[\s"'`(])(?:\.{0,2}\/)?(?:src|db|dist|schemas|node_modules|var|etc|tmp|home|usr|opt)\//],
  ['a file', /\b[\w-]+\.(?:ts|js|mjs|md|sql|env|ya?ml)\b/],
  ['a variable of the operator', new RegExp(`\\b(?:${Object.keys(VARIABLES.properties).join('|')})\\b`)],
]

const problemWith = (text: string) => FORBIDDEN.find(([, pattern]) => pattern.test(text))?.[0]

/** The texts in single quotes and backticks that have several words, line by line and without comments. */
const textsOf = (source: string): string[] =>
  source
    .replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '')
    .split('\n')
    .flatMap((line) => [...line.matchAll(/'((?:[^'\\]|\\.)*)'|`((?:[^`\\]|\\.)*)`/g)])
    .map(([, quoted, template]) => quoted ?? template!.replaceAll(/\$\{[^}]*\}/g, '…'))
    .filter((text) => /\S [a-z]/i.test(text))

t.test('no message for end users has a command, a path of ours, or a variable of the operator', async (t) => {
  const texts = FILES.flatMap((file) => textsOf(readFileSync(file, 'utf8')).map((text) => ({ file, text })))
  for (const known of ['The account was disconnected', 'refreshes a token when', 'no longer grants the scopes']) {
    t.ok(
      texts.some(({ text }) => text.includes(known)),
      `checks "${known}"`,
    )
  }
  for (const [name, value] of Object.entries(attentions)) {
    if (typeof value === 'object' && 'message' in value) texts.push({ file: name, text: String(value.message) })
  }
  t.ok(texts.length > 150, `${texts.length} texts`)
  for (const { file, text } of texts) t.equal(problemWith(text), undefined, `${file}: ${text}`)
})

t.test('the check finds what end users can do nothing with', async (t) => {
  for (const text of [
    'connect it with POST /api/v1/accounts',
    'connect it with `postroom account connect`',
    'run it again with --force',
    'look at /var/lib/postroom',
    'see src/engine/delivery/README.md',
    'set PUBLIC_URL to the address',
  ]) {
    t.not(problemWith(text), undefined, text)
  }
  t.equal(problemWith('Postroom does not publish to x yet: publish it by hand'), undefined)
})
