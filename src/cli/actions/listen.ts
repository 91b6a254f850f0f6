import { createHmac, type KeyObject } from 'node:crypto'
import { readFile, rename, writeFile } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { createPublicClient } from '../../base/outbound/client.ts'
import { resolveListedName } from '../../base/outbound/names.ts'
import { type Event, Postroom } from '../../clients/sdk/index.ts'
import { createSend, type Send } from '../../features/webhooks/send.ts'
import { secretOf, signedHeaders, signingKeyOf } from '../../features/webhooks/sign.ts'
import { readClientConfig } from '../../run/config/config.ts'
import type { Io, Json } from '../action.ts'
import { print } from '../output.ts'

export interface ListenOptions extends Json {
  forwardTo: string
  types?: string[]
  cursor?: string
  resend?: string
}

/** Before each repetition: a program that is being written is often restarted. */
const RETRY_PAUSES_MS = [1_000, 2_000, 4_000, 8_000, 16_000]

/** Sends each event of the key to `forwardTo` as a webhook would, one after the other. Ends by a signal alone. */
export async function listen(
  io: Io,
  { forwardTo, types, cursor: file, resend, json = false }: ListenOptions,
): Promise<void> {
  const { url, key } = readClientConfig(io.env)
  const client = new Postroom({ baseUrl: url, key })
  const secret = secretOf(createHmac('sha256', key).update('postroom listen').digest())
  // The program is where the caller says, in most cases on this machine.
  const { dispatcher } = createPublicClient({ isAllowed: () => true, resolve: resolveListedName })
  const forward = createForward(io, { send: createSend(dispatcher), url: forwardTo, key: signingKeyOf(secret), json })
  try {
    if (resend !== undefined) {
      if (!(await forward(await client.events.get(resend)))) io.exitCode = 1
      return
    }
    const kept = file === undefined ? undefined : await readCursor(file)
    const after = kept ?? (await client.events.list({ after: 'now' })).nextCursor
    print(io, { listening: true, forwardTo, secret }, { json }, () =>
      [`Events are sent to ${forwardTo}. Ctrl-C ends this.`, `The secret of their signatures is ${secret}`].join('\n'),
    )
    const pages = client.events.follow({ after, ...(types && { types: types as never }) }).pages()
    for await (const { data, nextCursor } of pages) {
      for (const event of data) await forwardInTime(forward, event)
      if (file !== undefined) await writeCursor(file, nextCursor)
    }
  } finally {
    await dispatcher.close()
  }
}

type Forward = (event: Event) => Promise<boolean>

interface Receiver extends Json {
  send: Send
  url: string
  key: KeyObject
}

/** Returns a function that sends an event once, prints the outcome, and returns whether the response was 2xx. */
function createForward(io: Io, { send, url, key, json = false }: Receiver): Forward {
  return async (event) => {
    const body = JSON.stringify(event)
    const at = new Date()
    const headers = signedHeaders([key], { id: event.id, at, body })
    const { status, error } = await send({ url, headers, body }, new AbortController().signal)
    const ms = Date.now() - at.getTime()
    print(io, { type: event.type, id: event.id, status, error, ms }, { json }, () =>
      [event.timestamp, event.type, event.id, status ?? error, `${ms} ms`].join('  '),
    )
    return error === null
  }
}

async function forwardInTime(forward: Forward, event: Event): Promise<void> {
  for (const pauseMs of [...RETRY_PAUSES_MS, null]) {
    if ((await forward(event)) || pauseMs === null) return
    await pause(pauseMs)
  }
}

const readCursor = (file: string): Promise<string | undefined> =>
  readFile(file, 'utf8').then(
    (text) => text.trim() || undefined,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined
      throw error
    },
  )

async function writeCursor(file: string, cursor: string): Promise<void> {
  await writeFile(`${file}.new`, `${cursor}\n`)
  await rename(`${file}.new`, file)
}
