import { isId } from '../../../db/id.ts'
import { findPostOwner } from '../../../db/queries/posts/detail.ts'
import type { RemovedPost } from '../../../schemas/remove-post.ts'
import { OperatorError } from '../../base/errors.ts'
import { editPublished } from '../../features/deliveries/edit-published.ts'
import { removeDelivery, removePost } from '../../features/deliveries/remove-delivery.ts'
import { markPostPublished } from '../../features/deliveries/settle-delivery.ts'
import { makeRenditions } from '../../features/media/renditions.ts'
import { withRenditions } from '../../features/posts/fit.ts'
import { openMediaLibrary } from '../../run/runtime/media-library.ts'
import type { Action, Context } from '../action.ts'
import { requireFound } from './on-database.ts'

/** Events of the operator's changes name no key. */
const OPERATOR = { keyId: null }

type Removed = { id: string } & RemovedPost

export const remove: Action<{ account?: string }, Removed> = {
  async run({ db }, { account }, id = '') {
    const userId = await findUserId(db, id)
    if (account === undefined) return { id, ...(await removePost(db, { ...OPERATOR, userId, id })) }
    await removeDelivery(db, { ...OPERATOR, userId, postId: id, accountId: account })
    return { id, removing: [account], left: [] }
  },
  isPartial: ({ left }) => left.length > 0,
  toText: ({ removing, left }) =>
    [
      ...removing.map((account) => `${account}: a worker removes it, or has done so`),
      ...left.map(({ accountId, message }) => `${accountId}: ${message}`),
    ].join('\n'),
}

interface EditOptions {
  account: string
  text: string
  acceptNewId?: true
}

interface Edited {
  id: string
  accountId: string
  /** The edit that a worker carries out; null if the post has the text already. */
  edit: object | null
  warning: string | null
}

export const edit: Action<EditOptions, Edited> = {
  async run({ db, config }, { account: accountId, text, acceptNewId }, id = '') {
    const userId = await findUserId(db, id)
    const body = { text, ...(acceptNewId && { acceptNewId }) }
    const { post, warning } = await withRenditions(
      async (userId, wanted) => makeRenditions(await openMediaLibrary(config, db), userId, wanted),
      () => editPublished(db, { ...OPERATOR, userId, postId: id, accountId }, body),
    )
    const { delivery } = post.targets.find((target) => target.accountId === accountId)!
    return { id, accountId, edit: delivery.edit ?? null, warning: warning ?? null }
  },
  toText: ({ accountId, edit, warning }) =>
    [
      edit
        ? `${accountId}: a worker edits the post; post show has the outcome`
        : `${accountId}: the post has this text`,
      ...(warning === null ? [] : [`warning: ${warning}`]),
    ].join('\n'),
}

/** The owner of a post. */
async function findUserId(db: Context['db'], id: string): Promise<string> {
  const owner = isId(id) ? await findPostOwner(db, id) : undefined
  requireFound(owner !== undefined, 'post')
  return owner!.userId
}

export const markPublished: Action = {
  async run({ db }, _options, id = '') {
    const outcome = isId(id) ? await markPostPublished(db, id) : 'missing'
    if (outcome === 'busy') throw new OperatorError('The post is being published now: try again in a minute')
    requireFound(outcome === 'published', 'post')
    return { id, status: 'published' }
  },
}
