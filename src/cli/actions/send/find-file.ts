import { realpath, stat } from 'node:fs/promises'
import { dirname, relative, resolve, sep } from 'node:path'
import { OperatorError } from '../../../base/errors.ts'

/** The folder whose files the post of a file may have: the working directory, or its own folder if it is elsewhere. */
export const rootOf = (path: string): string =>
  isInside(process.cwd(), resolve(path)) ? process.cwd() : dirname(resolve(path))

/**
 * The real path of a file in `root`. A post may come from a stranger's pull request, whose paths and links can name any
 * file of the machine, also the token in `.git`. Throws an OperatorError, or the error of the file system.
 */
export async function findFile(root: string, path: string): Promise<string> {
  const found = await realpath(path)
  const folder = await realpath(root)
  if (!isInside(folder, found) || relative(folder, found).split(sep).includes('.git')) {
    throw new OperatorError(`is outside of ${root} or in its folder .git: no file there is read`)
  }
  if (!(await stat(found)).isFile()) throw new OperatorError('is not a file')
  return found
}

const isInside = (folder: string, path: string) =>
  resolve(path).startsWith(folder.endsWith(sep) ? folder : folder + sep)
