import type { ChildProcess } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { run, start } from '../../faults/cluster/programs.ts'
import { isExecutable } from '../../helpers/executable.ts'
import { freePorts } from '../../helpers/ports.ts'
import { endChild } from '../../helpers/processes.ts'
import { until } from '../../helpers/until.ts'

const program = (name: string) => join('/usr/bin', name)
const missing = ['ceph-mon', 'ceph-osd', 'radosgw'].filter((name) => !isExecutable(program(name)))

/** Why this machine cannot run a Ceph; undefined if it can. */
export const missingPrograms = missing.length > 0 ? `needs these Debian packages: ${missing.join(', ')}` : undefined

interface Radosgw {
  endpoint: string
  accessKeyId: string
  secretAccessKey: string
  stop(): Promise<void>
}

/**
 * One monitor and one OSD that keeps objects in memory, without authentication between them, on the loopback address.
 */
const configOf = (folder: string, { monitor, gateway }: { monitor: number; gateway: number }) => `
[global]
fsid = ${randomUUID()}
mon host = v2:127.0.0.1:${monitor}/0
public addr = 127.0.0.1
cluster addr = 127.0.0.1
auth cluster required = none
auth service required = none
auth client required = none
# radosgw asks for encryption by default, which there is none of without authentication.
ms mon client mode = crc
run dir = ${folder}
admin socket =
pid file =
log file =
mon cluster log file =
log to stderr = true
debug rocksdb = 0/0
mon data = ${folder}/mon
osd data = ${folder}/osd
rgw data = ${folder}/rgw
osd objectstore = memstore
memstore device bytes = 4294967296
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 1
osd pool default pgp num = 1
osd pool default pg autoscale mode = off
osd crush chooseleaf type = 0
mon allow pool size one = true
rgw frontends = beast endpoint=127.0.0.1:${gateway}
`

/** Starts Ceph's S3 gateway with an empty cluster. `folder` must be writable for everybody. */
export async function startRadosgw(folder: string): Promise<Radosgw> {
  const [monitor, gateway] = (await freePorts(2)) as [number, number]
  const config = join(folder, 'ceph.conf')
  for (const name of ['mon', 'osd', 'rgw']) {
    mkdirSync(join(folder, name))
    chmodSync(join(folder, name), 0o777)
  }
  writeFileSync(config, configOf(folder, { monitor, gateway }))
  const env = { CEPH_CONF: config }
  const children: ChildProcess[] = []
  const daemon = (name: string, ...args: string[]) => {
    const line = [program(name), ...args, '--foreground']
    children.push(start(line, join(folder, `${name}.log`), { unprivileged: true, env }))
  }
  const stop = async () => {
    await Promise.all(children.map((child) => endChild(child, 'SIGKILL')))
  }
  try {
    const map = join(folder, 'monmap')
    const address = `[v2:127.0.0.1:${monitor}/0]`
    await run([program('monmaptool'), '--create', '--addv', 'a', address, map], env)
    await run([program('ceph-mon'), '--mkfs', '--id', 'a', '--monmap', map], env)
    daemon('ceph-mon', '--id', 'a')

    const uuid = randomUUID()
    // Waits for the monitor.
    await run([program('ceph'), 'osd', 'new', uuid], env)
    await run([program('ceph-osd'), '--mkfs', '--id', '0', '--osd-uuid', uuid], env)
    daemon('ceph-osd', '--id', '0')

    const keys = { accessKeyId: randomBytes(10).toString('hex'), secretAccessKey: randomBytes(20).toString('hex') }
    const pair = [`--access-key=${keys.accessKeyId}`, `--secret-key=${keys.secretAccessKey}`]
    // Waits for the OSD.
    await run([program('radosgw-admin'), 'user', 'create', '--uid=postroom', '--display-name=postroom', ...pair], env)
    daemon('radosgw')
    const endpoint = `http://127.0.0.1:${gateway}`
    await until('radosgw responds', () =>
      fetch(endpoint).then(
        () => true,
        () => false,
      ),
    )
    return { endpoint, ...keys, stop }
  } catch (error) {
    await stop()
    throw error
  }
}
