import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { recordSecretsOfEnvironment, recordStderr } from '../../helpers/log-record.ts'
import { endChild, processesOf } from '../../helpers/processes.ts'

/** The part of an image that says how to run it. */
export interface ImageConfig {
  User: string
  Env: string[]
  Entrypoint: string[]
  Cmd: string[]
  WorkingDir: string
}

export interface ContainerOptions {
  /** The folder of the image's files. */
  root: string
  config: ImageConfig
  /** Replaces the image's command. */
  args?: string[]
  env: Record<string, string>
  mediaFolder: string
  /** The socket of a Postgres. In the container it is in /tmp. */
  postgresSocket: string
}

export interface Container {
  child: ChildProcess
  /** Everything that it printed. Resolves when it has ended. */
  output: { stdout: Promise<string>; stderr: Promise<string> }
  /** Runs a program in the container, as the same user. Rejects if it fails. */
  exec(...line: string[]): Promise<string>
  /** Returns the exit code. */
  stop(signal: NodeJS.Signals): Promise<number | null>
}

/**
 * Mounts what a container runtime mounts: the root without write access, /tmp in memory, and a writable volume. Then
 * runs the program as an unprivileged user, which is process 1 and cannot gain privileges.
 */
const SETUP = `
root=$1 media=$2 socket=$3 uid=$4 gid=$5 wd=$6
shift 6
ip link set lo up
mount --bind "$root" "$root"
mount -o remount,bind,ro "$root"
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
mount -t tmpfs -o mode=1777 tmpfs "$root/tmp"
mount --bind "$media" "$root/var/lib/postroom/media"
touch "$root/tmp/.s.PGSQL.5432"
mount --bind "$socket" "$root/tmp/.s.PGSQL.5432"
exec setpriv --no-new-privs unshare --root "$root" --wd "$wd" --setgid "$gid" --setuid "$uid" -- "$@"
`

const UNSHARE = ['--mount', '--pid', '--net', '--ipc', '--uts', '--fork', '--kill-child=KILL']

/**
 * Starts a container in namespaces of its own, with a network of its own in which there is only the loopback address.
 */
export function startContainer(options: ContainerOptions): Container {
  const { root, config, args = config.Cmd, env, mediaFolder, postgresSocket } = options
  const [uid, gid] = config.User.split(':') as [string, string]
  const place = [root, mediaFolder, postgresSocket, uid, gid, config.WorkingDir]
  const line = ['sh', '-euc', SETUP, 'sh', ...place, ...config.Entrypoint, ...args]
  // Drops the environment of this process, to which tap adds NODE_OPTIONS.
  const withEnv = ['-i', ...config.Env, ...Object.entries(env).map(([name, value]) => `${name}=${value}`)]
  const child = spawn('/usr/bin/env', [...withEnv, '/usr/bin/unshare', ...UNSHARE, ...line], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  recordSecretsOfEnvironment(env)
  recordStderr(child.stderr)
  const output = { stdout: text(child.stdout), stderr: text(child.stderr) }
  const closed = once(child, 'close')
  /** Process 1 of the container. */
  const first = () => {
    const pid = processesOf(child.pid!)[1]
    if (pid === undefined) throw new Error(`The container has ended with ${child.exitCode}`)
    return pid
  }
  return {
    child,
    output,
    async exec(...command) {
      const namespaces = ['--mount', '--pid', '--net', '--root', '--wd']
      const user = ['--setuid', uid, '--setgid', gid]
      const nsenter = ['/usr/bin/nsenter', '--target', `${first()}`, ...namespaces, ...user]
      return (await promisify(execFile)('/usr/bin/env', [...withEnv, ...nsenter, '--', ...command])).stdout
    },
    async stop(signal) {
      // unshare itself does not pass signals on.
      if (child.exitCode === null) process.kill(first(), signal)
      await closed
      return child.exitCode
    },
  }
}

/** Runs a command to its end, and returns what it printed. Throws if it fails. */
export async function runContainer(options: ContainerOptions): Promise<string> {
  const { child, output } = startContainer(options)
  try {
    const [stdout, stderr] = await Promise.all([output.stdout, output.stderr, once(child, 'close')])
    if (child.exitCode !== 0) throw new Error(`${options.args?.join(' ')} exited with ${child.exitCode}: ${stderr}`)
    return stdout
  } finally {
    await endChild(child, 'SIGKILL')
  }
}
