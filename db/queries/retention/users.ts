import { prepared } from '../../prepared.ts'

/** The ids of users after `after`, in order. */
export const listUserIds = prepared<{ after: string; limit: number }, { id: string }>('list_user_ids', (db, value) =>
  db.selectFrom('users').select('id').where('id', '>', value('after')).orderBy('id').limit(value('limit')),
)
