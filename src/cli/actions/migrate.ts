import { migrate, readSchema } from '../../../db/migrate.ts'
import type { Action } from '../action.ts'

export const migrateSchema: Action<{ status?: boolean }> = {
  isForAnySchema: true,
  async run({ db, io: { stderr } }, { status }) {
    if (status) return { ...(await readSchema(db)) }
    return { applied: await migrate(db, (line) => stderr.write(`${line}\n`)) }
  },
}
