import type { CreatePost, PatchPost } from '../../../../clients/sdk/index.ts'
import { type Draft, type Stored, timesOf } from './draft.ts'

/** The values with which a change removes what its body leaves out. */
const NOTHING = { firstComment: null, mediaFit: null, padColor: null, threadParts: null }
const NO_FILES = { mediaIds: null, threadMedia: null }

/**
 * The change that gives a stored post a typed body. A time that was not changed is left out: it keeps its seconds, and
 * its slot.
 */
export function toPatch(body: CreatePost, typed: Draft, stored: Stored, keepsTimes: boolean): PatchPost {
  const { accountOverrides = [], scheduledAt = null, timeZone, fold, ...content } = body
  const times = timesOf(typed)
  const isMoved = !body.schedule && (!keepsTimes || times.post !== stored.times.post)
  const overrides = accountOverrides.map(({ accountId, scheduledAt = null, fields = {}, ...own }) => [
    accountId,
    {
      ...NO_FILES,
      ...own,
      fields: toMergePatch(stored.fields[accountId], fields),
      ...((isMoved || times[accountId] !== stored.times[accountId]) && !body.schedule && { scheduledAt }),
    },
  ])
  return {
    ...NOTHING,
    ...content,
    ...(isMoved && { scheduledAt, ...(timeZone && { timeZone }), ...(fold && { fold }) }),
    overrides: Object.fromEntries(overrides),
  }
}

/** The merge patch (RFC 7396) that turns one value into another. */
export function toMergePatch(before: unknown, after: unknown): unknown {
  if (!isObject(before) || !isObject(after)) return after
  const removed = Object.keys(before).map((key) => [key, null])
  const changed = Object.entries(after).map(([key, value]) => [key, toMergePatch(before[key], value)])
  return Object.fromEntries([...removed, ...changed])
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
