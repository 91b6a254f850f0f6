import { v7 } from 'uuid'

const FORM = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** A new id: UUIDv7, so that later ids of one process are greater. */
export const newId = (): string => v7()

/** True of what `newId` may have made. Postgres would also take other spellings of a UUID, and fail on everything else. */
export const isId = (text: string): boolean => FORM.test(text)
