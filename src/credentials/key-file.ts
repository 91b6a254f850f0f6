import { randomBytes, randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import { link, open, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { KEY_BYTES, parseKey } from './keyring.ts'

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_RDONLY, O_WRONLY } = constants

/**
 * The key in the file at `path`, which is made where there is none: for its owner alone, and on the disk before it is
 * used. Of several processes that make it at once, all get the same. Throws an Error that says what to do where the file
 * holds no key, or others can read it.
 */
export async function readOrMakeKey(path: string): Promise<Buffer> {
  return (await read(path)) ?? (await make(path)) ?? (await read(path)) ?? Promise.reject(new Error(`${path} is gone`))
}

/** In base64, so that it can be moved into CREDENTIALS_KEY as it stands. */
async function read(path: string): Promise<Buffer | undefined> {
  const file = await open(path, O_RDONLY | O_NOFOLLOW).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw new Error(`${path} cannot be read (${error.code}): it has to be a file of the user who runs Postroom`)
  })
  if (!file) return undefined
  try {
    const { mode } = await file.stat()
    if ((mode & 0o077) !== 0) throw new Error(`${path} is open to other users: chmod 600 ${path}`)
    const key = parseKey((await file.readFile('utf8')).trim())
    if (key) return key
    throw new Error(
      `${path} does not hold a key: bring it back from a backup. To begin with a new one, remove it; accounts have to be connected again, then`,
    )
  } finally {
    await file.close()
  }
}

/** Written beside its place and put there whole, so that nobody reads half a key. Nothing where somebody was quicker. */
async function make(path: string): Promise<Buffer | undefined> {
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
  // The file's fsync does not cover its entry in the folder.
  const folder = await open(dirname(path))
  await folder.sync().finally(() => folder.close())
  return key
}
