import { spawnSync } from 'node:child_process'
import fs from 'node:fs'

/** The user that the server runs as. */
export interface ServerUser {
  uid: number
  gid: number
}

/** Runs the server for root, which Postgres refuses. A uid suffices: no user needs to be created. */
export const NOBODY: ServerUser = { uid: 65534, gid: 65534 }

export const isRoot = () => process.getuid?.() === 0

/**
 * Spawn options for the programs of Postgres: the user, and a fixed environment and folder (without our LANG, PGPORT
 * …).
 */
export const spawnOptionsFor = (user: ServerUser) => ({
  cwd: '/',
  env: { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' },
  ...(isRoot() ? user : {}),
})

/** Makes `user` the owner of a file that root created for the server. */
export function giveTo(user: ServerUser, path: string): void {
  if (isRoot()) fs.lchownSync(path, user.uid, user.gid)
}

/** Tries to enter the folder: the file modes alone would miss ACLs and mounts. Only root can act as another user. */
export const canEnter = (folder: string, user: ServerUser): boolean =>
  !isRoot() || spawnSync('/bin/sh', ['-c', 'cd -- "$0"', folder], spawnOptionsFor(user)).status === 0

export function assertCanEnter(folder: string, user: ServerUser): void {
  if (canEnter(folder, user)) return
  throw new Error(`uid ${user.uid} cannot enter ${folder}: give it the x permission on that folder and those above it`)
}
