import type { ChildProcess } from 'node:child_process'
import { chownSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { nginx, OWNER, start } from '../cluster/programs.ts'

/** src/runtime/README.md shows these settings to operators. */
const settings = (apiPorts: number[]) => `
upstream postroom {
  zone postroom 64k;
  keepalive 16;
${apiPorts.map((port) => `  server 127.0.0.1:${port} max_fails=1 fail_timeout=1s;`).join('\n')}
}
server {
  listen 127.0.0.1:PORT;
  location / {
    proxy_pass http://postroom;
    proxy_http_version 1.1;
    proxy_set_header Connection "";
    proxy_set_header Host $host;
    proxy_set_header X-Forwarded-For $remote_addr;
    proxy_request_buffering off;
    client_max_body_size 0;
  }
}`

/** Starts nginx in front of the API. Its log is nginx.log in `folder`. */
export function startNginx(folder: string, port: number, apiPorts: number[]): ChildProcess {
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
${settings(apiPorts).replace('PORT', String(port))}
}
`,
  )
  return start([nginx!, '-e', 'stderr', '-c', file], join(folder, 'nginx.log'), { unprivileged: true })
}
