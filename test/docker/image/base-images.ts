import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { type Buildah, buildFromFolder } from './buildah.ts'

const run = promisify(execFile)

/** The packages of gcr.io/distroless/cc-debian12, as far as Node needs them. The image has no shell. */
const RUNTIME = ['base-files', 'netbase', 'tzdata', 'ca-certificates', 'libc6', 'libgcc-s1', 'libstdc++6']
/** A shell for the build, and the programs that it calls. */
const SHELL = ['dash', 'coreutils', 'findutils', 'libacl1', 'libattr1', 'libgmp10', 'libpcre2-8-0', 'libselinux1']

/**
 * Builds stand-ins for the public base images, which tests cannot download: from the files of Debian packages on this
 * machine, and this process's Node with npm. Returns the arguments of the build that name them.
 */
export async function buildBaseImages(buildah: Buildah, folder: string): Promise<string[]> {
  const [base, node] = [join(folder, 'base'), join(folder, 'node')]
  await copyPackages(RUNTIME, base)
  await buildFromFolder(buildah, 'localhost/base', base)
  await copyPackages([...RUNTIME, ...SHELL], node)
  await copyNode(node)
  await buildFromFolder(buildah, 'localhost/node', node)
  // Debian's buildah reads no default of an argument that names a stage.
  const values = ['BASE_IMAGE=localhost/base', 'NODE_IMAGE=localhost/node', 'RUNTIME=plain']
  return [...values.flatMap((value) => ['--build-arg', value]), '--pull-never']
}

/** Copies the installed files of Debian packages, without documentation. */
async function copyPackages(packages: string[], target: string): Promise<void> {
  // /lib64 is a link to the last one, which no package contains.
  for (const name of ['dev', 'proc', 'tmp', 'etc/ssl/certs', 'usr/lib64'])
    mkdirSync(join(target, name), { recursive: true })
  const { stdout } = await run('dpkg', ['--listfiles', ...packages], { maxBuffer: 64 * 1024 * 1024 })
  const list = join(target, '../files')
  const files = stdout.split('\n').filter((path) => /^\/(?!\.$|usr\/share\/(doc|man|locale)\/)/.test(path))
  writeFileSync(list, files.map((path) => path.slice(1)).join('\n'))
  const archive = join(target, '../files.tar')
  await run('tar', ['--create', '--no-recursion', '--ignore-failed-read', '-f', archive, '-C', '/', '-T', list])
  await run('tar', ['--extract', '-f', archive, '-C', target])
  // Generated when the package is installed.
  cpSync('/etc/ssl/certs/ca-certificates.crt', join(target, 'etc/ssl/certs/ca-certificates.crt'))
}

/** Copies Node and npm to the paths of the public image, with the registry that this machine uses. */
async function copyNode(target: string): Promise<void> {
  const bin = join(target, 'usr/local/bin')
  mkdirSync(bin, { recursive: true })
  cpSync(realpathSync(process.execPath), join(bin, 'node'))
  const { stdout: npm } = await run('sh', ['-c', 'command -v npm'])
  const packageFolder = dirname(dirname(realpathSync(npm.trim())))
  cpSync(packageFolder, join(target, 'usr/local/lib/node_modules/npm'), { recursive: true })
  symlinkSync('../lib/node_modules/npm/bin/npm-cli.js', join(bin, 'npm'))
  const { stdout: registry } = await run('npm', ['config', 'get', 'registry'])
  mkdirSync(join(target, 'usr/local/etc'))
  const settings = [`registry=${registry.trim()}`, 'cafile=/etc/ssl/certs/ca-certificates.crt', 'update-notifier=false']
  writeFileSync(join(target, 'usr/local/etc/npmrc'), `${settings.join('\n')}\n`)
}
