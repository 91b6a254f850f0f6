import type { ChildProcess } from 'node:child_process'
import { chownSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { nginx, OWNER, start } from '../faults/cluster/programs.ts'

/** Options of a test that needs nginx. */
export const needsNginx = nginx ? {} : { skip: 'needs nginx' }

/** Starts nginx with the blocks `upstream` and `server`. Its log is nginx.log in `folder`. End it with SIGTERM. */
export function startNginx(folder: string, settings: string): ChildProcess {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => {
    const path = join(folder, name)
    mkdirSync(path)
    if (OWNER !== undefined) chownSync(path, OWNER, OWNER)
    return `${name}_temp_path ${path};`
  })
  const file = join(folder, 'nginx.conf')
  writeFileSync(
    file,
    `daemon off;
worker_processes 2;
pid ${join(folder, 'client_body', 'nginx.pid')};
error_log stderr info;
events {}
http {
access_log off;
${temporary.join('\n')}
${settings}
}
`,
  )
  return start([nginx!, '-e', 'stderr', '-c', file], join(folder, 'nginx.log'), { unprivileged: true })
}
