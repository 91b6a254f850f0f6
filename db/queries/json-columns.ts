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
    /** A row as JSON, with the names of the columns. Those without a value are null, and left out. */
    toJson(row: { [K in P]?: unknown }): Record<string, unknown> {
      const json: Record<string, unknown> = {}
      for (const { property, name } of columns) if (row[property] !== null) json[name] = row[property]
      return json
    },
  }
}
