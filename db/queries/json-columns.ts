import { sql } from 'kysely'

/** Columns that a statement reads from JSON. `types` has the type of each in Postgres, by the property of our rows. */
export function jsonColumns<P extends string>(types: Record<P, string>) {
  const columns = (Object.entries(types) as [P, string][]).map(([property, type]) => ({
    property,
    name: property.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    type,
  }))
  return {
    /** For `jsonb_to_record` and `jsonb_to_recordset`. */
    definitions: sql.raw(columns.map(({ name, type }) => `${name} ${type}`).join(', ')),
    names: sql.raw(columns.map(({ name }) => name).join(', ')),
    /** Their names in a table of a statement. */
    of: (table: string) => sql.raw(columns.map(({ name }) => `${table}.${name}`).join(', ')),
    /**
     * A row as JSON, with the names of the columns. Those without a value are null, and left out. Values of `more`
     * come first: a copy of the row would take longer.
     */
    toJson(row: { [K in P]?: unknown }, more: { [K in P]?: unknown } = {}): Record<string, unknown> {
      const json: Record<string, unknown> = {}
      for (const { property, name } of columns) {
        const value = more[property] === undefined ? row[property] : more[property]
        if (value !== null) json[name] = value
      }
      return json
    },
  }
}
