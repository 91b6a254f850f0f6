import t from 'tap'
import { validate, version } from 'uuid'
import { isId, newId } from '../../db/id.ts'

t.test('ids are UUIDv7, and each is greater than the ones before it, even within a millisecond', async (t) => {
  const ids = Array.from({ length: 100_000 }, newId)
  t.ok(ids.every((id, index) => index === 0 || id > ids[index - 1]!))
  t.ok(ids.every((id) => isId(id) && validate(id) && version(id) === 7))
})
