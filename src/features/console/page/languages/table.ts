/** A sentence whose words depend on the number `count`, as plural rules of the language tell. */
export type Plural = Readonly<Partial<Record<Intl.LDMLPluralRule, string>> & { other: string }>

/** The form of an English table in another language: the same keys, with sentences and plurals of its own. */
export type Translated<Table> = {
  readonly [Key in keyof Table]: Table[Key] extends string
    ? string
    : Table[Key] extends { other: string }
      ? Plural
      : Translated<Table[Key]>
}

/** The names of the values that an English sentence takes, such as `{time}`. */
export type ValueNames<Sentence> = Sentence extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ValueNames<Rest>
  : Sentence extends Plural
    ? ValueNames<Sentence[keyof Sentence]>
    : never
