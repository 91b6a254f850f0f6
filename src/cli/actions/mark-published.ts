import { isId } from '../../../db/id.ts'
import { OperatorError } from '../../base/errors.ts'
import { markPostPublished } from '../../features/deliveries/mark-published.ts'
import type { Action } from '../action.ts'
import { requireFound } from './on-database.ts'

export const markPublished: Action = {
  async run({ db }, _options, id = '') {
    const outcome = isId(id) ? await markPostPublished(db, id) : 'missing'
    if (outcome === 'busy') throw new OperatorError('The post is being published now: try again in a minute')
    requireFound(outcome === 'published', 'post')
    return { id, status: 'published' }
  },
}
