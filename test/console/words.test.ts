import { readdirSync } from 'node:fs'
import t from 'tap'
import { DELIVERY_ERRORS } from '../../schemas/delivery-errors.ts'
import { table } from '../../src/features/console/page/languages/en/index.ts'

type Sentence = string | Record<string, string>

const LANGUAGES = readdirSync('src/features/console/page/languages').filter((name) => !name.endsWith('.ts'))
const readTable = async (language: string): Promise<object> =>
  (await import(`../../src/features/console/page/languages/${language}/index.ts`)).table

/** The sentences of a table by their paths. A plural is one sentence. */
function sentencesOf(value: unknown, path: string): [path: string, sentence: Sentence][] {
  if (typeof value === 'string' || 'other' in (value as object)) return [[path, value as Sentence]]
  return Object.entries(value as object).flatMap(([key, each]) => sentencesOf(each, path ? `${path} ${key}` : key))
}

const formsOf = (sentence: Sentence) => (typeof sentence === 'string' ? [sentence] : Object.values(sentence))
const namesIn = (text: string) => [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!).sort()

t.test('the console has words for the errors of deliveries', async (t) => {
  const { deliveries } = table.problems
  t.strictSame(Object.keys(deliveries).sort(), Object.keys(DELIVERY_ERRORS).sort())
  for (const [happened, todo] of Object.values(deliveries)) t.notMatch(`${happened} ${todo}`, /[`_]/)
})

t.test('each language says every sentence, with the same values', async (t) => {
  const english = new Map(sentencesOf(table, ''))
  for (const language of LANGUAGES) {
    const own = sentencesOf(await readTable(language), '')
    t.strictSame(
      own.map(([path]) => path),
      [...english.keys()],
      `${language} has the keys of English, in its order`,
    )
    const { pluralCategories } = new Intl.PluralRules(language).resolvedOptions()
    const problems = own.flatMap(([path, sentence]) => {
      const wanted = namesIn(formsOf(english.get(path)!).at(-1)!)
      const forms = formsOf(sentence)
      const isWhole = forms.every((text) => text !== '' || path === 'shared between')
      const last = namesIn(forms.at(-1)!)
      // A form for one or two of something may say its number as a word.
      const isKnown = forms.every((text) => namesIn(text).every((name) => wanted.includes(name)))
      // Only Arabic has a form for other numbers than whole millions there.
      const rules = pluralCategories.filter((rule) => rule !== 'many' || language === 'ar')
      const isPlural = typeof sentence === 'string' || rules.every((rule) => rule in sentence)
      return isWhole && isKnown && isPlural && last.join() === wanted.join() ? [] : [path]
    })
    t.strictSame(problems, [], `${language} has words, the values and the plurals`)
  }
})
