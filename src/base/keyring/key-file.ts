import { randomBytes, randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import { link, open, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { KEY_BYTES, parseKey } from './keyring.ts'

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_RDONLY, O_WRONLY } = constants

/**
 * Reads the key in the file at `path`. If there is no file, creates one that only its owner can read, and flushes it to
 * the disk before the key is used. Processes that do this concurrently get the same key. Throws an Error that says what
 * to do if the file holds no key, or if other users can read it.
 */
export async function readOrCreateKey(path: string): Promise<Buffer> {
  return (
    (await read(path)) ??
    (await create(path)) ??
    (await read(path)) ??
    Promise.reject(new Error(`${path} was deleted while it was read`))
  )
}

/** The file has the format of CREDENTIALS_KEY: base64. */
async function read(path: string): Promise<Buffer | undefined> {
  const file = await open(path, O_RDONLY | O_NOFOLLOW).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw new Error(`${path} cannot be read (${error.code}): it must be a file of the user who runs Postroom`, {
      cause: error,
    })
  })
  if (!file) return undefined
  try {
    const { mode } = await file.stat()
    if ((mode & 0o077) !== 0) throw new Error(`${path} can be read by other users. Run: chmod 600 ${path}`)
    const key = parseKey((await file.readFile('utf8')).trim())
    if (key) return key
    throw new Error(
      `${path} does not contain a key. Restore it from a backup. If there is none, delete the file, and connect all accounts again`,
    )
  } finally {
    await file.close()
  }
}

/**
 * Writes a temporary file and links it to `path`, so that no process reads half a key. Returns undefined if another
 * process created the file first.
 */
async function create(path: string): Promise<Buffer | undefined> {
  const key = randomBytes(KEY_BYTES)
  const draft = `${path}.${randomUUID()}`
  const file = await open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600)
  try {
    await file.writeFile(`${key.toString('base64')}\n`)
    await file.sync()
    await link(draft, path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return undefined
    throw error
  } finally {
    await file.close()
    await rm(draft, { force: true })
  }
  // The file's fsync() does not cover its entry in the folder.
  const folder = await open(dirname(path))
  await folder.sync().finally(() => folder.close())
  return key
}
