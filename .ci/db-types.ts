import { spawnSync } from 'node:child_process'
import { TEMPLATE, urlOf } from '../test/helpers/database.ts'
import { withPostgres } from '../test/helpers/postgres.ts'

/** Writes db/types.ts from the migrated schema. With `--verify`, fails if the file differs. */
process.exitCode = await withPostgres(async () => {
  const { status, stdout, stderr } = spawnSync(
    'kysely-codegen',
    [
      '--dialect=postgres',
      `--url=${urlOf(TEMPLATE)}`,
      '--camel-case',
      '--exclude-pattern=kysely_*',
      '--type-mapping={"int8":"number"}',
      '--out-file=db/types.ts',
      ...process.argv.slice(2),
    ],
    { encoding: 'utf8' },
  )
  if (status !== 0) process.stderr.write(`${stdout}${stderr}\ndb/types.ts is not up to date: run make db-types\n`)
  return status ?? 1
})
