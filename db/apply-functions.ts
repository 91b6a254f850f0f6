import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { sql } from 'kysely'
import manifest from '../package.json' with { type: 'json' }
import type { Db } from './client.ts'
import { maxVersion } from './migration.ts'

/** A file of `db/functions/`, which creates or replaces the function of its name. */
interface DatabaseFunction {
  name: string
  text: string
  /** The comment of the function in the database: the version that has applied the file, and the hash of the file. */
  comment: string
}

const FOLDER = new URL('functions/', import.meta.url)
const COMMENT = /^Postroom (\S+), (\w+)$/

let functions: Promise<DatabaseFunction[]> | undefined

/** The functions of this version. Their files are read once. */
const readFunctions = () => {
  functions ??= readFiles()
  return functions
}

async function readFiles(): Promise<DatabaseFunction[]> {
  const files = (await readdir(FOLDER)).filter((file) => file.endsWith('.sql')).sort()
  return Promise.all(
    files.map(async (file) => {
      const text = await readFile(new URL(file, FOLDER), 'utf8')
      const hash = createHash('sha256').update(text).digest('hex')
      return { name: basename(file, '.sql'), text, comment: `Postroom ${manifest.version}, ${hash}` }
    }),
  )
}

/** The functions that the database lacks, or has from another file of this version or an earlier one. */
async function findOutdated(db: Db): Promise<DatabaseFunction[]> {
  const functions = await readFunctions()
  const { rows } = await sql<{ name: string; comment: string | null }>`
    select name, obj_description(to_regproc(name), 'pg_proc') as comment
    from unnest(${functions.map(({ name }) => name)}::text[]) as name`.execute(db)
  const comments = new Map(rows.map(({ name, comment }) => [name, comment]))
  return functions.filter((each) => isOutdated(each, comments.get(each.name) ?? ''))
}

/** A later version has functions that also serve this version: see db/README.md. */
function isOutdated({ comment }: DatabaseFunction, found: string): boolean {
  const [, version = '', hash] = COMMENT.exec(found) ?? []
  return hash !== COMMENT.exec(comment)![2] && maxVersion(version, manifest.version) === manifest.version
}

export const listOutdatedFunctions = async (db: Db): Promise<string[]> =>
  (await findOutdated(db)).map(({ name }) => name)

/** Creates or replaces the outdated functions, all in one transaction. The caller holds the lock of migrations. */
export async function applyFunctions(db: Db): Promise<void> {
  const outdated = await findOutdated(db)
  if (outdated.length === 0) return
  await db.transaction().execute(async (db) => {
    // Functions may call each other, in any order.
    await sql`set local check_function_bodies = off`.execute(db)
    for (const { name, text, comment } of outdated) {
      await sql.raw(text).execute(db)
      await sql`comment on function ${sql.ref(name)} is ${sql.lit(comment)}`.execute(db)
    }
  })
}
