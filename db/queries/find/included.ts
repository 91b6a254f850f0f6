import { sql } from 'kysely'
import { jsonBuildObject } from 'kysely/helpers/postgres'
import type { DeliveryCounts, ListedTarget } from '../../../schemas/find.ts'
import { prepared } from '../../prepared.ts'
import { deliveryProperties, selectDeliveries } from '../posts/detail.ts'

interface PostsOfPage {
  userId: string
  ids: string[]
}

/** The number of deliveries in each state, of each of these posts. */
export const countStates = prepared<PostsOfPage, { id: string; states: DeliveryCounts }>(
  'count_states',
  (_db, value) => sql`
    select post_id as id, json_object_agg(state, count) as states
    from (
      select post_id, state, count(*) as count from post_targets
      where user_id = ${value('userId')}::uuid and post_id = any(${value('ids')}::uuid[])
      group by 1, 2) as counted
    group by post_id`,
)

/** The accounts of each of these posts, with their deliveries. */
export const readDeliveries = prepared<PostsOfPage, { id: string; targets: ListedTarget[] }>(
  'read_deliveries',
  (db, value) =>
    db
      .selectFrom('posts')
      .select((eb) => [
        'posts.id',
        selectDeliveries(eb, (eb) => ({ delivery: jsonBuildObject(deliveryProperties(eb)) })).as('targets'),
      ])
      .where('posts.userId', '=', value('userId'))
      .where('posts.id', '=', sql<string>`any(${value('ids')}::uuid[])`)
      .$castTo<{ id: string; targets: ListedTarget[] }>(),
)
