import { randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { type DatabaseBudget, withDatabaseBudget } from '../../../../db/budget.ts'
import type { Db } from '../../../../db/client.ts'
import {
  addPart,
  deleteParts,
  endWriting,
  type FileKey,
  type FoundUpload,
  lockUpload,
  setWriter,
} from '../../../../db/queries/uploads.ts'
import { inTransaction } from '../../../../db/transaction.ts'
import { errorOf } from '../../../../schemas/errors.ts'
import { PIECE_BYTES_MIN, UPLOAD_ERRORS, type Upload } from '../../../../schemas/upload.ts'
import { AppError, fail } from '../../../base/errors.ts'
import { refuseOverQuota, withinQuota } from '../add.ts'
import type { Library } from '../library.ts'
import { saveFile } from '../save-file.ts'
import { withinShare } from '../share.ts'
import { storeFile } from '../store-file.ts'
import { UploadBody } from './body.ts'
import { completeFile } from './complete.ts'
import { type ContentRange, otherLength, readContentRange } from './content-range.ts'
import { discardParts } from './discard-parts.ts'
import { requireUpload, toUpload } from './show.ts'

/** The bytes of a part: a process that dies loses no more. */
export const PART_BYTES = 8 * 2 ** 20

/** Parts have no type that a browser would show. */
const PART_TYPE = 'application/octet-stream'

/** A 409 for bytes that do not follow those that are stored. */
export class UploadOffset extends AppError {
  readonly receivedBytes: number

  constructor(receivedBytes: number) {
    super(errorOf('upload_offset', receivedBytes))
    this.receivedBytes = receivedBytes
  }
}

interface UploadRequest {
  body: Readable
  /** Undefined if the body is sent in chunks. */
  length: number | undefined
  contentRange: string | undefined
  /** Each part may take as long, for however many of them. */
  budget?: DatabaseBudget | undefined
}

/**
 * Adds the bytes of a request to an upload. The last ones complete the file: it is checked and stored. A file that is
 * rejected fails, and its parts are deleted.
 */
export async function receiveUpload(library: Library, file: FileKey, request: UploadRequest): Promise<Upload> {
  const { db, bytesMax } = library
  const range = readContentRange(request.contentRange, request.length)
  const found = await requireUpload(library, file)
  if (found.isReady && (!range || range.piece)) throw fail('upload_finished')
  const total = range?.total ?? request.length
  requireSize(found, { range, total, bytesMax })
  const isQuestion = range && !range.piece
  if (isQuestion && (found.isReady || found.receivedBytes < range.total)) return toUpload(file.id, found, bytesMax)
  const writer = { ...file, writer: randomUUID() }
  await beginWriting(library, writer, range?.piece?.first ?? (isQuestion ? range.total : 0))
  try {
    await receive(library, writer, { ...request, range, total, announced: found })
  } catch (error) {
    const rejection = error instanceof AppError && REJECTIONS.has(error.code) ? error : undefined
    // Fails if the database is unavailable. A later request takes over.
    const parts = await endWriting(db, {
      ...writer,
      error: rejection ? JSON.stringify({ code: rejection.code, message: rejection.message }) : null,
    }).catch(() => [])
    discardParts(library, file.userId, parts)
    throw error
  }
  return toUpload(file.id, await requireUpload(library, file), bytesMax)
}

/** The errors of a file, not of a request. */
const REJECTIONS: ReadonlySet<string> = new Set(UPLOAD_ERRORS)

interface Sizes {
  range: ContentRange | undefined
  total: number | undefined
  bytesMax: number
}

function requireSize({ bytes }: FoundUpload, { range, total, bytesMax }: Sizes): void {
  if (total === undefined) return
  if (total > bytesMax) throw fail('file_too_large', bytesMax)
  if (bytes !== null && total !== bytes) throw otherSize(bytes, total)
  const { first, last } = range?.piece ?? { first: 0, last: total - 1 }
  if (last < total - 1 && last - first + 1 < PIECE_BYTES_MIN) {
    throw fail('upload_range', `Each piece but the last must have ${PIECE_BYTES_MIN} bytes or more`)
  }
}

const otherSize = (announced: number, actual: number) =>
  fail('upload_range', `The file has ${actual} bytes, but ${announced} were announced`)

interface Writer extends FileKey {
  writer: string
}

/** Makes the request the writer of the upload, whose stored bytes end at `first`. At 0, the file starts again. */
async function beginWriting(library: Library, writer: Writer, first: number): Promise<void> {
  const parts = await inTransaction(library.db, async (db) => {
    const [locked] = await lockUpload(db, writer)
    const { isReady, receivedBytes } = await requireUpload({ db }, writer)
    if (isReady) throw fail('upload_finished')
    if (locked?.isBusy) throw fail('upload_busy')
    if (first !== 0 && first !== receivedBytes) throw new UploadOffset(receivedBytes)
    await setWriter(db, writer)
    return first === 0 ? deleteParts(db, writer) : []
  })
  discardParts(library, writer.userId, parts)
}

interface Receiving extends UploadRequest, Omit<Sizes, 'bytesMax'> {
  announced: FoundUpload
}

/** The bodies that this process receives, by the id of their file. */
const bodies = new Map<string, UploadBody>()

async function receive(library: Library, writer: Writer, request: Receiving): Promise<void> {
  const body = new UploadBody(request.body)
  // The body of an earlier request may never end, and holds a share of the user.
  bodies.get(writer.id)?.end(fail('upload_taken_over'))
  bodies.set(writer.id, body)
  try {
    await receiveBody(library, writer, request, body)
  } finally {
    if (bodies.get(writer.id) === body) bodies.delete(writer.id)
    body.discard()
  }
}

async function receiveBody(library: Library, writer: Writer, request: Receiving, body: UploadBody): Promise<void> {
  const { range, total, announced } = request
  // A small file needs no parts.
  if (total !== undefined && total <= PART_BYTES && !range) return completeFile(library, writer, announced, body)
  const isLast = !range?.piece || range.piece.last === range.total - 1
  if (!range || range.piece) await withinShare(writer.userId, () => storeParts(library, writer, request, body))
  if (isLast)
    await withDatabaseBudget(request.budget && { ...request.budget }, () => completeFile(library, writer, announced))
}

/** Stores a body as parts. What was received before a body is cut off is kept. */
async function storeParts(
  library: Library,
  writer: Writer,
  { range, budget, announced }: Receiving,
  body: UploadBody,
): Promise<void> {
  const path = join(library.incomingDir, `part-${randomUUID()}`)
  const never = new AbortController().signal
  const first = range?.piece?.first ?? 0
  const end = range?.piece ? range.piece.last + 1 : announced.bytes
  const wrongEnd = (position: number) => {
    if (end === null) return fail('file_too_large', library.bytesMax)
    return range ? otherLength(position - first, end - first) : otherSize(end, position)
  }
  let position = first
  while (!body.isOver) {
    try {
      const { bytes } = await saveFile(body.take(PART_BYTES), path, PART_BYTES, never)
      position += bytes
      if (position > (end ?? library.bytesMax)) throw wrongEnd(position)
      // A body may end too early after each byte: a client would make millions of parts.
      const isWhole = !body.error && position === (end ?? position)
      if (bytes >= (isWhole ? 1 : PIECE_BYTES_MIN)) {
        await withDatabaseBudget(budget && { ...budget }, () =>
          storePart(library, writer, path, { firstByte: position - bytes, bytes }),
        )
      }
    } finally {
      await rm(path, { force: true }).catch(() => {})
    }
  }
  if (body.error) throw body.error
  if (position !== (end ?? position)) throw wrongEnd(position)
}

async function storePart(
  library: Library,
  writer: Writer,
  path: string,
  part: { firstByte: number; bytes: number },
): Promise<void> {
  const { userId } = writer
  await requireUpload(library, writer)
  await refuseOverQuota(library, { userId, newBytes: part.bytes })
  const isAdded = await storeFile(library, userId, { path, mimeType: PART_TYPE }, async (file) => {
    const add = async (db: Db) => ({ isNew: (await addPart(db, { ...writer, ...file, ...part })).length > 0 })
    return (await withinQuota(library, { userId, bytes: part.bytes }, add)).isNew
  })
  if (!isAdded) throw fail('upload_taken_over')
}
