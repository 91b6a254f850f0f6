import { isDeepStrictEqual } from 'node:util'
import type { Db } from '../../../db/client.ts'
import type { StoredFile } from '../../../db/queries/delivery/claim.ts'
import type { EditContent } from '../../../db/queries/delivery/delivery.ts'
import { requestEdit } from '../../../db/queries/delivery/edits.ts'
import type { OwnedDelivery } from '../../../db/queries/delivery/owner.ts'
import { type ChangedAccount, readChangedAccounts } from '../../../db/queries/delivery/removals.ts'
import type { PostWithReadiness } from '../../../db/queries/posts/detail.ts'
import { ownFilesOf } from '../../../schemas/create-post.ts'
import type { EditDelivery } from '../../../schemas/edit-delivery.ts'
import type { MediaFacts } from '../../../schemas/media.ts'
import { fail, invalidRequest } from '../../base/errors.ts'
import { findEditObstacle } from '../../engine/delivery/owner-rules.ts'
import { planTexts } from '../../engine/delivery/plan.ts'
import { CALL_IN_FLIGHT_MAX_MS } from '../../engine/delivery/timing.ts'
import { isGranted } from '../../engine/numbers/mode.ts'
import type { EditRule } from '../../platforms/contract/changes.ts'
import { NETWORKS } from '../../platforms/networks.ts'
import { createTextCache } from '../../platforms/rules/text-cache.ts'
import type { UsableForPost } from '../posts/access.ts'
import { fromRow } from '../posts/content.ts'
import type { PostCondition } from '../posts/etag.ts'
import { getPost } from '../posts/get.ts'
import { mergeTarget } from '../posts/merge-patch.ts'
import { digestTexts } from '../posts/nearby-terms.ts'
import { checkForAccount } from './check-for-account.ts'
import { changeDelivery, type DeliveryAccess } from './own-delivery.ts'
import { findRefusal, NOT_CHANGED, readPublished } from './published-acts.ts'

/**
 * Has a worker edit the post of one delivery on its network. Changes nothing if the post has the content already, or
 * gets it by the edit that is under way. Throws 404 if the user has no such delivery, 400 if the content breaks a
 * limit, 412 if `ifMatch` does not hold, and 409 if the delivery is not published, or cannot be edited.
 */
export async function editPublished(
  db: Db,
  key: DeliveryAccess,
  edit: EditDelivery,
  ifMatch?: PostCondition,
): Promise<{ post: PostWithReadiness; warning: string | undefined }> {
  if (edit.text === undefined && Object.keys(edit.fields ?? {}).length === 0) {
    throw invalidRequest([{ code: 'custom', path: ['text'], message: 'Required, unless fields has changes' }])
  }
  let warning: string | undefined
  const post = await changeDelivery(db, key, async (db, delivery, usable) => {
    const post = await getPost(db, key.userId, key.postId)
    const [account] = await readChangedAccounts(db, [key.accountId])
    const rule = requireEditable(post, { ...delivery, accountId: key.accountId }, account!)
    warning = rule.warning
    requireTaken(edit, rule, NETWORKS[delivery.platform].name)
    const content = mergeContent(key, { post, delivery, edit })
    if (!content) return
    if (!rule.keepsId && edit.acceptNewId !== true) {
      throw fail('new_id_not_accepted', NETWORKS[delivery.platform].name)
    }
    ifMatch?.(post)
    const checked = await checkContent(db, key, { post, delivery, usable, content })
    await requestEdit(db, key, { content: checked, inFlightMs: CALL_IN_FLIGHT_MAX_MS, keyId: key.keyId })
  })
  return { post, warning }
}

type Possible = Extract<EditRule, { possible: true }>

/** The rule by which the network edits the delivery. Throws 409 if it does not. */
export function requireEditable(
  post: PostWithReadiness,
  delivery: OwnedDelivery & { accountId: string },
  account: ChangedAccount,
): Possible {
  const { target, acts } = readPublished(post, delivery)
  const { state, sent, platform } = delivery
  const [act] = acts
  const obstacle = findEditObstacle({ state, isOut: act !== undefined })
  if (obstacle || !act) throw fail(NOT_CHANGED[obstacle ?? 'unpublished'])
  const { name, changes } = NETWORKS[platform]
  const rule = changes.edit
  const reason = findRefusal(rule, act, { ...account, platform })
  if (reason || !rule.possible) throw fail('not_editable', reason ?? '')
  if (planTexts({ ...post, ...target, firstComment: null, comments: null }).length > 1)
    throw fail('not_editable.thread')
  if (act.id === null) throw fail('delivery_without_id')
  if (!isGranted(rule, account)) throw fail('not_editable.scope', rule.scope!, platform)
  const { timesMax = Number.POSITIVE_INFINITY } = rule
  if ((sent[0]!.edits ?? 0) >= timesMax) throw fail('not_editable.times', name, timesMax)
  return rule
}

/** Throws 400 for content that the network does not change. */
function requireTaken({ fields = {} }: EditDelivery, { what }: Possible, network: string): void {
  const issues = Object.keys(fields)
    .filter((key) => !what.includes(key))
    .map((key) => ({
      code: 'custom' as const,
      path: ['fields', key],
      message: `${network} does not change this after publication, only: ${what.join(', ')}`,
    }))
  if (issues.length > 0) throw invalidRequest(issues)
}

interface Edited {
  post: PostWithReadiness
  delivery: OwnedDelivery
}

/** The content after the edit; undefined if nothing is left to do. Throws 409 while another edit is under way. */
function mergeContent(
  { accountId }: DeliveryAccess,
  { post, delivery, edit }: Edited & { edit: EditDelivery },
): Omit<EditContent, 'textDigest'> | undefined {
  const target = fromRow(post).targets.find((target) => target.accountId === accountId)!
  const textOf = (content: Omit<EditContent, 'textDigest'> & { threadParts: readonly string[] | null }) =>
    planTexts({ ...post, ...content, captionSuffix: null, firstComment: null, comments: null })[0]!.text
  const override = {
    // A thread of one part becomes a text.
    ...((edit.text !== undefined || target.threadParts) && { captionOverride: edit.text ?? textOf(target) }),
    ...(edit.fields && { fields: edit.fields }),
  }
  const { captionOverride, fields } = mergeTarget(target, { overrides: { [accountId]: override } })
  const content = { captionOverride, fields }
  const isSame = (other: Parameters<typeof textOf>[0] | undefined) =>
    other !== undefined &&
    textOf(other) === textOf({ ...content, threadParts: null }) &&
    isDeepStrictEqual(other.fields, fields)
  if (delivery.edit?.state === 'pending') {
    if (isSame(delivery.edit.content && { ...delivery.edit.content, threadParts: null })) return undefined
    throw fail('edit_in_progress')
  }
  // An edit that has failed may have reached the network: then the earlier content is no longer there.
  return delivery.edit === null && isSame(target) ? undefined : content
}

/** The facts that are null concern no text. */
const toFacts = (file: StoredFile): MediaFacts => ({ ...file, fps: null, frames: null, tracks: null })

/** Checks the content by the limits of the network. Throws the errors of `createPost`. */
async function checkContent(
  db: Db,
  { userId, accountId }: DeliveryAccess,
  {
    post,
    delivery,
    usable,
    content,
  }: Edited & { usable: UsableForPost | undefined; content: Omit<EditContent, 'textDigest'> },
): Promise<EditContent> {
  const before = fromRow(post)
  const target = before.targets.find((target) => target.accountId === accountId)!
  const deletedFiles = (delivery.deletedFiles ?? []).filter(({ part }) => part === 1).map(toFacts)
  const files = [...(ownFilesOf(target)?.[0] ?? before.mediaIds), ...deletedFiles.map(({ id }) => id)]
  const changed = { ...target, ...content, threadParts: null, threadMedia: null, mediaIds: files }
  await checkForAccount(db, userId, { row: post, before, changed, usable, deletedFiles })
  return { ...content, textDigest: digestTexts(delivery.platform, before, changed, createTextCache()) }
}
