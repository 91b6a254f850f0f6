import type { CompiledQuery } from 'kysely'
import type { Db } from '../../client.ts'
import { prepared } from '../../prepared.ts'
import { isGiven } from './walk.ts'

/** The number of forms of a statement that are prepared. There are thousands, and clients use a few. */
const PREPARED_MAX = 100

interface Statement<R> {
  compile(db: Db): CompiledQuery<R>
  execute(): Promise<R[]>
}

/**
 * A statement that has another form for each query and each set of conditions that restrict. Each of the first forms is
 * built with placeholders and prepared once; any further one is built and planned for its values each time.
 */
export function formsOf<Q extends object, P extends object, R>(
  name: string,
  build: (db: Db, query: Q, values: P) => Statement<R>,
): (db: Db, query: Q, values: P) => Promise<R[]> {
  const forms = new Map<string, (db: Db, values: P) => Promise<R[]>>()
  return (db, query, values) => {
    const given = (Object.keys(values) as (keyof P & string)[]).filter((key) => isGiven(values[key])).sort()
    const key = JSON.stringify([query, given])
    let run = forms.get(key)
    if (!run && forms.size < PREPARED_MAX) {
      run = prepared<P, R>(`${name}_${forms.size + 1}`, (db, value) =>
        build(db, query, Object.fromEntries(given.map((key) => [key, value(key)])) as P),
      )
      forms.set(key, run)
    }
    return run ? run(db, values) : build(db, query, values).execute()
  }
}
