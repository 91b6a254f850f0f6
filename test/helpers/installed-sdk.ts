import { execFile } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Installs the tarball of a package in a new, empty project, without a registry. Returns the folder of the project. */
export async function installPackage(tarball: string, project: string): Promise<string> {
  mkdirSync(project)
  writeFileSync(join(project, 'package.json'), '{ "type": "module", "private": true }')
  const args = ['install', '--offline', '--ignore-scripts', '--no-audit', '--no-fund', resolve(tarball)]
  await run('npm', args, { cwd: project })
  return project
}

/** The errors of the compiler in files of `project`, with the libraries of the web and no types of Node. */
export async function typeCheck(project: string, files: string[], options: string[]): Promise<string> {
  const tsc = resolve('node_modules/typescript/lib/tsc.js')
  const always = ['--noEmit', '--strict', '--target', 'es2022', '--skipLibCheck', 'false', '--types', '']
  const args = [tsc, ...always, ...options, ...files]
  const { stdout } = await run(process.execPath, args, { cwd: project }).catch((error) => error)
  return stdout
}
