import { stat } from 'node:fs/promises'
import type { MediaType } from '../../../schemas/media.ts'
import { AppError, fail } from '../../base/errors.ts'
import { createSlots } from '../../base/slots.ts'
import { cpuMaxMsOf, type InspectLimits, InspectThread, wallMaxMsOf } from './inspect-thread.ts'
import type { Inspected, InspectRequest, MediaFile } from './inspected.ts'
import type { Plan } from './metadata/edits.ts'

/**
 * The facts of a user's file, and the edits that remove its metadata, from its content alone. Throws a 400 that names
 * the problem if it is not exactly one complete file of a supported type. All other errors are failures of this
 * machine. Compressed pictures are not decoded.
 *
 * One thread reads the files of all users, one after the other, so that its limits are those of the process. Users take
 * turns: each of the others delays a file by one of theirs.
 */
export async function inspectFile(
  path: string,
  userId: string,
  limits: InspectLimits = {},
): Promise<{ facts: MediaFile; edits: Plan }> {
  const { facts, edits } = await read({ path }, userId, limits)
  return { facts: facts!, edits }
}

/** The edits that remove the metadata of a file whose type and structure are known. Throws as `inspectFile` does. */
export async function planFile(path: string, userId: string, type: MediaType): Promise<Plan> {
  return (await read({ path, type }, userId, {})).edits
}

async function read(request: InspectRequest, userId: string, limits: InspectLimits) {
  const giveBack = await slots.take(userId)
  const result = await readInThread(request, limits).finally(giveBack)
  if ('refused' in result) throw new AppError(result.refused)
  if ('failed' in result) throw Object.assign(new Error(result.failed.message), result.failed)
  return result
}

const slots = createSlots({ max: 1, inTurns: true })
let thread: InspectThread | undefined

async function readInThread(request: InspectRequest, limits: InspectLimits): Promise<Inspected> {
  // Each further thread would wait for the same disk.
  if (thread?.isStuck) throw fail('storage_unavailable')
  const { size } = await stat(request.path)
  if (!thread || thread.hasEnded) thread = await InspectThread.start()
  return thread.read(request, { cpuMaxMs: cpuMaxMsOf(size), wallMaxMs: wallMaxMsOf(size), ...limits })
}
