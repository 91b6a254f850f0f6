import { v5 as uuidOf } from 'uuid'
import type { ClaimedDelivery, StoredFile } from '../../../db/queries/delivery/claim.ts'
import type { SentAct } from '../../../db/queries/delivery/delivery.ts'
import type { Act, Sent } from '../../platforms/contract/adapter.ts'
import type { Deps } from './deps.ts'
import { type Failure, failure } from './failures.ts'
import { openFile } from './open-file.ts'
import { describeAct, type PlannedAct } from './plan.ts'

/**
 * An act as its adapter gets it, the same for each attempt. Returns a failure instead if it can never be sent: the id
 * that it would reply to is unknown, or a file of the post was registered without its content.
 */
export function buildAct(
  { storage, addressOf }: Pick<Deps, 'storage' | 'addressOf'>,
  delivery: ClaimedDelivery,
  planned: PlannedAct,
  sent: readonly SentAct[],
): Act | Failure {
  const { number, kind } = planned
  const { accountId, facts, token, startedAt } = delivery
  const root = sent[0] ?? null
  // Comments and acts on the post itself do not reply to a comment.
  const parent = (kind === 'thumbnail' || kind === 'playlist' ? root : sent.at((planned.parent ?? 0) - 1)) ?? null
  if (!isKnown(parent) || !isKnown(root)) {
    return failure('parent_unknown', 'The id that this would reply to is unknown: publish the rest by hand')
  }
  const { media, ...content } = describeAct(planned, { ...delivery, media: groupByPart(delivery.media) })
  if (!media.every(isStored)) {
    return failure(
      'media_unreadable',
      'A file of the post was registered without content: upload the file and create the post again',
    )
  }
  return {
    ...content,
    accountId,
    facts,
    media: media.map(({ storageKey, rendition: _, part: __, ...file }) => ({
      ...file,
      open: (range) => openFile(storage, storageKey, range),
      publicUrl: () => addressOf({ storageKey, mimeType: file.mimeType }),
    })),
    parent,
    root,
    token: uuidOf(String(number), token),
    // A millisecond apart, so that the names that networks derive from it are in order.
    startedAt: new Date(startedAt.getTime() + number - 1),
  }
}

export const groupByPart = (files: readonly StoredFile[]): StoredFile[][] =>
  Array.from({ length: Math.max(0, ...files.map(({ part }) => part)) }, (_, index) =>
    files.filter(({ part }) => part === index + 1),
  )

const isKnown = (sent: SentAct | null): sent is Sent | null => sent === null || sent.id !== null
const isStored = (file: StoredFile): file is StoredFile & { storageKey: string } => file.storageKey !== null
