import { accessSync, constants } from 'node:fs'

/** Whether the program at `path` exists and this user may run it. */
export const isExecutable = (path: string) => {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
