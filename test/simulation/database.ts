import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { Duplex } from 'node:stream'
import { threadId } from 'node:worker_threads'
import { PGlite } from '@electric-sql/pglite'
import { CamelCasePlugin, Kysely, PostgresDialect } from 'kysely'
import { connect, connections, type Db, servers } from '../../db/client.ts'
import type { Server } from '../../db/connection.ts'
import { migrate } from '../../db/migrate.ts'
import type { DB } from '../../db/types.ts'
import { nameKept } from '../helpers/postgres.ts'
import type { Fates } from './scheduler.ts'

/** A connection to PostgreSQL in this process: each message is answered before the next one. */
class InProcess extends Duplex {
  readonly #server: PGlite
  constructor(server: PGlite) {
    super()
    this.#server = server
  }
  connect(): this {
    this.#server.execProtocolRawSync(DISCARD_ALL)
    process.nextTick(() => this.emit('connect'))
    return this
  }
  setNoDelay = () => this
  setKeepAlive = () => this
  ref = () => this
  unref = () => this
  override _read(): void {}
  override _write(bytes: Buffer, _encoding: string, done: () => void): void {
    const answer = this.#server.execProtocolRawSync(bytes)
    if (answer.length > 0) this.push(Buffer.from(answer))
    done()
  }
}

/** The one session serves all connections, one after the other: each begins without the statements of the last one. */
const DISCARD_ALL = Buffer.from('Q\0\0\0\x10discard all\0', 'latin1')

/** The files of a database with all tables. They are kept, because creating them takes as long as some days. */
export async function readMigrated(): Promise<Blob> {
  const kept = nameKept('node_modules/.cache/simulation')
  if (!existsSync(kept)) {
    const server = await PGlite.create()
    const db = connectTo(server)
    await migrate(db)
    const files = await server.dumpDataDir('none')
    await db.destroy()
    await server.close()
    mkdirSync(dirname(kept), { recursive: true })
    const copy = `${kept}.${process.pid}.${threadId}`
    writeFileSync(copy, await files.bytes())
    renameSync(copy, kept)
  }
  const bytes = new Uint8Array(readFileSync(kept))
  // A Blob copies its bytes in small pieces, for a second of CPU time.
  return Object.assign(new Blob([]), { arrayBuffer: async () => bytes.buffer })
}

/** One connection, so that each statement is a step, and so is each transaction. */
const connectTo = (server: PGlite): Db =>
  connect({ url: 'postgres://postgres@simulation/postgres', poolMax: 1, stream: () => new InProcess(server) as never })

type Client = Awaited<ReturnType<NonNullable<ReturnType<typeof connections.get>>>>

export interface Database {
  /** Waits for the only connection. It is given back with `release`. */
  take(): Promise<{ client: Client; release(): void }>
  /** The state that all connections share. */
  server: Server
  db: Db
  stop(): Promise<void>
}

/** Starts PostgreSQL in this process, on these files. */
export async function startDatabase(files: Blob, pgliteWasmModule?: object): Promise<Database> {
  const postgres = await PGlite.create({ loadDataDir: files, ...(pgliteWasmModule && { pgliteWasmModule }) })
  const pool = connectTo(postgres)
  const server = servers.get(pool)!
  // Kept open: each new connection would plan all statements again.
  const client = await connections.get(pool)!()
  let last = Promise.resolve()
  const take = async () => {
    const released = Promise.withResolvers<void>()
    const before = last
    last = released.promise
    await before
    return { client, release: released.resolve }
  }
  const always = { enter: async () => WORKS, tell: () => {}, endProcess: () => {} }
  return {
    take,
    server,
    db: asSeenBy({ take, server }, always),
    stop: async () => {
      client.release()
      await pool.destroy()
      await postgres.close()
    },
  }
}

/** The fate of the statements that one process sends on a connection, until it releases it. */
export interface DatabaseFate {
  /** The statement after which the connection ends; infinite if it does not. What is not committed is undone. */
  statements: number
  /** Whether the process ends with it. The outcome of the statement stays unknown to it either way. */
  endsProcess: boolean
}

const WORKS: DatabaseFate = { statements: Number.POSITIVE_INFINITY, endsProcess: false }
const fatesOf = (endsProcess: boolean) => [1, 2, 3].map((statements) => ({ statements, endsProcess }))

/** A worker is killed, or its connection ends. Requests of the API are not killed. */
export const WORKER_STATEMENTS: Fates<DatabaseFate> = {
  works: WORKS,
  faults: [...fatesOf(true), ...fatesOf(false)],
  share: 0.02,
}
export const API_STATEMENTS: Fates<DatabaseFate> = { works: WORKS, faults: fatesOf(false), share: 0.02 }

interface Gate {
  /** Resolves when it is the turn of these statements; never if the process has ended. */
  enter(): Promise<DatabaseFate>
  tell(what: string): void
  endProcess(): void
}

type Send = (...args: never[]) => Promise<unknown>

/** The database as one process sees it. What is sent on one connection until its release is one step. */
export function asSeenBy({ take, server }: Pick<Database, 'take' | 'server'>, gate: Gate): Db {
  const open = async () => {
    const { statements, endsProcess } = await gate.enter()
    const { client, release } = await take()
    let left = statements
    const fail = () => (endsProcess ? new Promise<never>(() => {}) : Promise.reject(broken()))
    const passOn =
      (send: Send): Send =>
      async (...args) => {
        if (left === 0) return fail()
        gate.tell(nameOf(args[0]))
        const outcome = await send.apply(client, args).then(
          (value) => ({ value }),
          (error: unknown) => ({ error }),
        )
        if (--left === 0) {
          await client.query('rollback')
          release()
          gate.tell('the connection ends')
          if (endsProcess) gate.endProcess()
          return fail()
        }
        if ('error' in outcome) throw outcome.error
        return outcome.value
      }
    return {
      query: passOn(client.query as Send),
      run: passOn(client.run as Send),
      release: () => {
        if (left > 0) release()
      },
    }
  }
  const seen = new Kysely<DB>({
    dialect: new PostgresDialect({ pool: { connect: open, end: async () => {} } as never }),
    plugins: [new CamelCasePlugin({ maintainNestedObjectKeys: true })],
  })
  connections.set(seen, open as never)
  servers.set(seen, server)
  return seen
}

const nameOf = (statement: unknown): string => {
  const { name, text } = (typeof statement === 'string' ? { text: statement } : statement) as Record<string, string>
  return name || text!.trim().split(/\s+/).slice(0, 3).join(' ')
}

const broken = () => Object.assign(new Error('Connection terminated unexpectedly'), { code: 'ECONNRESET' })
