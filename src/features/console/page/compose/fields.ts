import type { Account, Platform } from '../../../../clients/sdk/index.ts'
import { typingEnds, useLoad } from '../hooks.ts'
import { html } from '../html.ts'
import { type Issue, Issues } from '../issues.ts'
import { listOf, say, sentences } from '../language.ts'
import { Details } from '../parts.ts'
import { Problem } from '../problem.ts'
import { useSession } from '../session.ts'
import { toWords } from '../words.ts'

const words = sentences.compose.fields

/** The fields of an account as they are typed: a text, an item on each line, or JSON. */
export type TypedFields = Record<string, { kind: 'text' | 'lines' | 'json'; text: string }>

/** A field in the catalogue, as JSON Schema. */
interface FieldSchema {
  type: string
  enum?: string[]
  items?: FieldSchema
  properties?: object
  default?: unknown
  description?: string
  maxLength?: number
}

/** The `fields` of an override. Text that is not valid JSON is sent as it is: the service says why it is refused. */
export const toFields = (typed: TypedFields): Record<string, unknown> =>
  Object.fromEntries(Object.entries(typed).flatMap(([name, each]) => (each.text ? [[name, toValue(each)]] : [])))

function toValue({ kind, text }: TypedFields[string]): unknown {
  if (kind === 'text') return text
  if (kind === 'lines') return text.split('\n').filter((line) => line.trim() !== '')
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** Stored fields as they would be typed. */
export const toTyped = (fields: Record<string, unknown>): TypedFields =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => {
      if (typeof value === 'string') return [name, { kind: 'text', text: value }]
      const isList = Array.isArray(value) && value.every((item) => typeof item === 'string')
      return [name, isList ? { kind: 'lines', text: value.join('\n') } : { kind: 'json', text: JSON.stringify(value) }]
    }),
  )

const schemaOf = (network: Platform | undefined) =>
  (network?.fields ?? {}) as { properties?: Record<string, FieldSchema>; required?: string[] }

/** The field that an issue is about, if it is one of the network. */
export const fieldOf = ({ path }: Issue, network: Platform | undefined): string | undefined =>
  Object.keys(schemaOf(network).properties ?? {}).find((name) => path[2] === 'fields' && path[3] === name)

interface FieldsProps {
  network: Platform
  account: Account
  typed: TypedFields
  issues: Issue[]
  onChange: (typed: TypedFields) => void
}

/** The fields of an account's network: first those that it may require, then the others behind a line. */
export function Fields(props: FieldsProps) {
  const { network, typed, issues } = props
  const { properties = {}, required = [] } = schemaOf(network)
  const conditions = network.fieldConditions.filter(({ rule }) => rule.endsWith('_required'))
  const isFirst = (name: string) => required.includes(name) || conditions.some(({ path }) => path.join() === name)
  const [first = [], others = []] = [true, false].map((isWanted) =>
    Object.entries(properties).filter(([name]) => isFirst(name) === isWanted),
  )
  const names = others.map(([name]) => name)
  const count = names.filter((name) => typed[name]?.text).length
  const isNeeded = issues.some((issue) => names.includes(fieldOf(issue, network)!))
  const field = ([name, schema]: [string, FieldSchema]) => html`<${Field} key=${name} ...${props} name=${name}
    schema=${schema} isRequired=${required.includes(name)}
    conditions=${conditions.flatMap(({ path, message }) => (path.join() === name ? message : []))} />`
  return html`${first.map(field)}
    ${names.length > 0 && html`<${Details} title=${count > 0 ? say(words.moreSet, { count }) : words.more} isNeeded=${isNeeded}>${() => others.map(field)}<//>`}`
}

interface FieldProps extends FieldsProps {
  name: string
  schema: FieldSchema
  isRequired: boolean
  /** When the network requires it, in words. */
  conditions: string[]
}

function Field(props: FieldProps) {
  const { network, account, typed, issues, onChange, name, schema, isRequired, conditions } = props
  const { choices, missing, isWaiting, error, reload } = useChoices(props)
  const id = `${account.id}-${name}`
  const own = issues.filter((issue) => fieldOf(issue, network) === name)
  const isSingle = ['string', 'integer', 'boolean'].includes(schema.type)
  const kind = schema.type === 'string' ? 'text' : schema.items?.type === 'string' ? 'lines' : 'json'
  const text = typed[name]?.text ?? ''
  const usual = account.defaultFields?.[name] ?? schema.default
  const usualText = typeof usual === 'string' ? usual : JSON.stringify(usual)
  const find = (wanted?: string) => choices.find(({ value }) => value === wanted)
  const none = usualText ? say(words.usual, { value: find(usualText)?.label ?? usualText }) : ''
  const control = {
    name,
    dir: 'auto',
    value: text,
    required: isRequired,
    'aria-describedby': id,
    'aria-invalid': own.some((issue) => 'rule' in issue),
    onInput: ({ target }: { target: HTMLInputElement }) => onChange({ ...typed, [name]: { kind, text: target.value } }),
  }
  const hints = [
    isRequired && words.required,
    schema.description,
    ...conditions,
    schema.maxLength && say(words.maxLength, { count: schema.maxLength }),
    schema.items?.enum && say(words.anyOf, { values: listOf(schema.items.enum) }),
    !isSingle &&
      kind === 'json' &&
      say(words.keys, { names: listOf(Object.keys((schema.items ?? schema).properties ?? {})) }),
  ]
  // Names such as r/lighthouses are known to people, who may type one that is not listed.
  const isNamed = choices.some(({ value, label }) => label.endsWith(`/${value}`))
  const all = text === '' || find(text) ? choices : [{ value: text, label: text }, ...choices]
  return html`<div class="field">
    <label>${isSingle ? toWords(name) : say(kind === 'lines' ? words.lines : words.json, { name: toWords(name) })}
      ${
        isWaiting || (choices.length > 0 && !isNamed)
          ? html`<select ...${control} disabled=${isWaiting}>
            <option value="">${missing ? say(words.first, { name: toWords(missing) }) : isWaiting ? sentences.shared.loading : none || words.unset}</option>
            ${all.map(({ value, label }) => html`<option value=${value} selected=${value === text}>${label}</option>`)}
          </select>`
          : isSingle
            ? html`<input placeholder=${none} list=${isNamed && `${id}-names`} ...${control} />`
            : html`<textarea rows="3" placeholder=${none} ...${control} />`
      }
    </label>
    ${isNamed && html`<datalist id="${id}-names">${all.map(({ value, label }) => html`<option value=${value}>${label}</option>`)}</datalist>`}
    <div id=${id} role="status">
      <p class="small">${hints.filter(Boolean).join(sentences.shared.semicolon).replaceAll('`', '')}</p>
      <${Issues} issues=${own} />
    </div>
    ${error && html`<${Problem} error=${error} onRetry=${reload} />`}
  </div>`
}

const ANSWERS: Record<string, string> = { true: words.yes, false: words.no }

/** The values of a field to choose from. Some depend on the account, and on other fields of it. */
function useChoices({ network, account, typed, name, schema }: FieldProps) {
  const { client } = useSession()
  const needs = network.fieldOptions[name]
  const textOf = (need: string) => typed[need]?.text || String(account.defaultFields?.[need] ?? '')
  const query = Object.fromEntries((needs ?? []).map((need) => [need, textOf(need)]))
  const missing = needs?.find((need) => query[need] === '')
  const { value, error, reload } = useLoad(
    async (signal) => {
      if (!needs || missing) return undefined
      await typingEnds(signal)
      return (await client.accounts.options(account.id, name, query, { signal })).data
    },
    [client, account.id, name, JSON.stringify(query)],
  )
  const values = schema.type === 'boolean' ? ['true', 'false'] : (schema.enum ?? [])
  const choices = value ?? values.map((value) => ({ value, label: ANSWERS[value] ?? toWords(value) }))
  return { choices, missing, isWaiting: needs !== undefined && !value && !error, error, reload }
}
