import { accessSync, constants } from 'node:fs'

/** Whether this user may run the program at `path`. */
export const isExecutable = (path: string) => {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
