import type { table } from './languages/en/index.ts'
import type { Plural, ValueNames } from './languages/table.ts'

/** The languages of the page. Each has a folder in `languages/`. The first one stands in for those that have none. */
export const LANGUAGES = ['en', 'de', 'es', 'pt', 'ja', 'ar'] as const
export type Language = (typeof LANGUAGES)[number]

const RIGHT_TO_LEFT: readonly string[] = ['ar']

/** The place of the language that a person has chosen in this browser. */
const KEPT = 'postroom.language'

const languageOf = (tag: string) => new Intl.Locale(tag).language
const isLanguage = (name: string): name is Language => (LANGUAGES as readonly string[]).includes(name)

const kept = localStorage.getItem(KEPT) ?? ''
const wanted = isLanguage(kept) ? [kept] : navigator.languages

/** The language of the page: the first of the browser that has a table, unless a person has chosen another one. */
export const language: Language = wanted.map(languageOf).find(isLanguage) ?? LANGUAGES[0]

/** The language with its region, for dates and numbers. The browser tells where a person lives. */
export const locale =
  navigator.languages.find((tag) => languageOf(tag) === language) ??
  `${language}-${new Intl.Locale(navigator.language).maximize().region ?? '001'}`

export const isRightToLeft = RIGHT_TO_LEFT.includes(language)

document.documentElement.lang = locale
document.documentElement.dir = isRightToLeft ? 'rtl' : 'ltr'

export function chooseLanguage(chosen: string): void {
  localStorage.setItem(KEPT, chosen)
  location.reload()
}

/** The sentences of the language. Their type is the English table, whose sentences tell which values each one takes. */
export const sentences: typeof table = (await import(`./languages/${language}/index.ts`)).table

type Sentence = string | Plural
type Values<S extends Sentence, Value> = Readonly<Record<ValueNames<S>, Value>>

const plurals = new Intl.PluralRules(locale)
const numbers = new Intl.NumberFormat(locale)
const lists = new Intl.ListFormat(locale, { type: 'conjunction', style: 'narrow' })

export const formatNumber = (value: number): string => numbers.format(value)

// A text of another direction changes nothing around it: https://www.unicode.org/reports/tr9/
const isolate = (text: string) => (isRightToLeft ? `\u2068${text}\u2069` : text)

export const listOf = (items: Iterable<string>): string => lists.format(Array.from(items, isolate))

function fill(sentence: Sentence, values: Readonly<Record<string, unknown>>): unknown[] {
  const text =
    typeof sentence === 'string' ? sentence : (sentence[plurals.select(Number(values.count))] ?? sentence.other)
  return text.split(/\{(\w+)\}/).map((piece, index) => {
    if (index % 2 === 0) return piece
    const value = values[piece]
    return typeof value === 'number' ? formatNumber(value) : typeof value === 'string' ? isolate(value) : value
  })
}

/** A sentence with its values. The value `count` chooses the form of a plural. */
export const say = <S extends Sentence>(sentence: S, values: Values<S, string | number>): string =>
  fill(sentence, values).join('')

/** A sentence some of whose values are elements, as children of an element. */
export const sayElements = <S extends Sentence>(sentence: S, values: Values<S, unknown>): unknown[] =>
  fill(sentence, values)

/** Sentences one after the other. */
export const paragraph = (...parts: (string | false | null | undefined)[]): string =>
  parts.filter(Boolean).join(sentences.shared.between)

/** A name before a text about it. */
export const label = (name: string, text: string): string => say(sentences.shared.labelled, { label: name, text })

/** A name as it stands alone. */
export const capital = (name: string): string => name.replace(/^\p{Ll}/u, (letter) => letter.toLocaleUpperCase(locale))
