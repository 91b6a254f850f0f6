import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { sync } from './folder.ts'

/** Keeps the segments of the journals of installations: small texts, beside the files of media. */
export interface JournalFiles {
  /**
   * Stores a segment durably, in place of an earlier one of this name that has the first `from` characters of the text.
   */
  write(installation: string, name: string, text: string, from?: number): Promise<void>
  /** Deletes a segment. One that is not there is not an error. */
  remove(installation: string, name: string): Promise<void>
  /** The names that sort after `after`, in order: at most `count`. */
  list(installation: string, after: string, count?: number): Promise<string[]>
  read(installation: string, name: string): Promise<string>
  /** The installations that have segments. */
  installations(): Promise<string[]>
}

/** Keeps segments as files under `folder`/journal. */
export function folderJournalFiles(folder: string): JournalFiles {
  const root = resolve(folder, 'journal')
  const pathOf = (installation: string, name: string) => join(root, assertName(installation), assertName(name))

  return {
    async write(installation, name, text, from = 0) {
      const path = pathOf(installation, name)
      // One write and one flush, in place of three flushes.
      if (from > 0) return store(path, 'a', text.slice(from))
      const isNew = (await mkdir(dirname(path), { recursive: true, mode: 0o700 })) !== undefined
      await store(`${path}.part`, 'w', text)
      await rename(`${path}.part`, path)
      // A file's fsync() does not cover its entry in the folder.
      for (const each of isNew ? [dirname(path), root, dirname(root)] : [dirname(path)]) await sync(each)
    },
    remove: (installation, name) => rm(pathOf(installation, name), { force: true }),
    async list(installation, after, count = Infinity) {
      const names = await namesIn(join(root, assertName(installation)))
      const isWhole = (name: string) => !name.endsWith('.part')
      return names
        .filter((name) => isWhole(name) && name > after)
        .sort()
        .slice(0, count)
    },
    read: (installation, name) => readFile(pathOf(installation, name), 'utf8'),
    installations: () => namesIn(root),
  }
}

async function store(path: string, flags: 'a' | 'w', text: string): Promise<void> {
  const file = await open(path, flags, 0o600)
  try {
    await file.writeFile(text)
    await file.datasync()
  } finally {
    await file.close()
  }
}

const namesIn = (folder: string): Promise<string[]> =>
  readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })

/** A name becomes part of a path, or of the name of an object. */
export function assertName(name: string): string {
  if (!/^[0-9a-z-]+$/.test(name)) throw new TypeError('The name of a journal must have lower-case letters and digits')
  return name
}
