import { createInterface } from 'node:readline/promises'
import type { Db } from '../../../db/client.ts'
import { findConnection } from '../../../db/queries/connections.ts'
import { userExists } from '../../../db/queries/people.ts'
import { sandboxStore } from '../../../db/queries/sandbox.ts'
import type { Account } from '../../../schemas/account.ts'
import type { Connection, ConnectionChoice, CreateConnection } from '../../../schemas/connection.ts'
import { AppError, OperatorError } from '../../base/errors.ts'
import type { Log } from '../../base/log.ts'
import { createPublicClient } from '../../base/outbound/client.ts'
import { chooseAccounts } from '../../features/connections/choose.ts'
import { completeFlow } from '../../features/connections/complete.ts'
import type { ConnectionContext } from '../../features/connections/context.ts'
import { prepareConnection, storeConnection } from '../../features/connections/create.ts'
import { toConnection } from '../../features/connections/view.ts'
import { createNetworks } from '../../platforms/adapters.ts'
import type { Config } from '../../run/config/config.ts'
import { openKeyring } from '../../run/runtime/keyring.ts'
import { urlOf } from '../../run/runtime/server.ts'
import { escapeControls } from '../../run/runtime/terminal.ts'
import type { Action } from '../action.ts'
import { requireFound } from './on-database.ts'

interface ConnectOptions {
  platform: CreateConnection['platform']
  user: string
  org?: string
  account?: string
  hint?: string
}

export const connect: Action<ConnectOptions> = {
  async run({ db, config, io: { stdin, stderr } }, { platform, user, org, account, hint }) {
    requireFound(await userExists(db, user), 'user')
    const body = {
      platform,
      ...(org !== undefined && { organizationId: org }),
      ...(account !== undefined && { accountId: account }),
      ...(hint !== undefined && { hint }),
    }
    const lines = createInterface({ input: stdin, output: stderr })
    try {
      const terminal = { say: (text: string) => void stderr.write(`${escapeControls(text)}\n`), ask: ask(lines) }
      return { data: await connectInTerminal(await openContext(config, db), user, body, terminal) }
    } finally {
      lines.close()
    }
  },
}

export const openContext = async (config: Config, db: Db): Promise<ConnectionContext> => ({
  db,
  networks: createNetworks(sandboxStore(db)),
  keyring: await openKeyring(config),
  fetch: createPublicClient({ allowList: config.outboundAllow }).fetch,
  publicUrl: () => config.publicUrl ?? urlOf(config.host, config.port),
  returnUrls: config.returnUrls,
  oauthApps: config.oauthApps,
})

/** `readline` never answers a question whose input ends. */
const ask = (lines: ReturnType<typeof createInterface>) => (question: string) =>
  new Promise<string>((resolve, reject) => {
    lines.once('close', () => reject(new OperatorError('The input ended before the connection did')))
    lines.question(question).then(resolve, reject)
  })

export interface Terminal {
  say(text: string): void
  ask(question: string): Promise<string>
}

/** Connects accounts by asking a person at a terminal. Returns the connected accounts. */
export async function connectInTerminal(
  context: ConnectionContext,
  userId: string,
  body: CreateConnection,
  terminal: Terminal,
): Promise<Account[]> {
  try {
    const { id, url } = await begin(context, userId, body)
    terminal.say(`Open this address in a browser, and consent:\n\n${url}\n`)
    const read = async () => (await findConnection(context.db, id))!
    const callbackUrl = await terminal.ask(
      'Paste the address that the browser shows afterwards, even if the page fails: ',
    )
    await completeFlow(context, await read(), callbackUrl.trim(), logTo(terminal))
    const { state, choices } = await read()
    if (state === 'choosing') await chooseAccounts(context, await read(), await choose(choices ?? [], terminal))
    return requireAccounts(await toConnection(context, await read()))
  } catch (error) {
    throw error instanceof AppError ? new OperatorError(describe(error)) : error
  }
}

/** The mistakes in the request where there are some: they name what the options set. */
const describe = ({ message, details }: AppError) =>
  details?.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('\n') ?? message

async function begin(context: ConnectionContext, userId: string, body: CreateConnection) {
  const manual = { ...body, manual: true }
  return storeConnection(context, userId, manual, await prepareConnection(context, userId, manual))
}

/** The choices as numbers: ids of networks are long. */
async function choose(choices: ConnectionChoice[], terminal: Terminal): Promise<string[]> {
  const lines = choices.map(
    ({ kind, username, displayName }, index) => `${index + 1}  ${displayName ?? username} (${kind})`,
  )
  terminal.say(`\n${lines.join('\n')}\n`)
  const answer = await terminal.ask('Numbers of the accounts to connect: ')
  const numbers = answer.split(/[\s,]+/).filter(Boolean)
  const chosen = numbers.map((number) => choices[Number(number) - 1])
  if (chosen.length === 0 || chosen.includes(undefined)) {
    throw new OperatorError(`Write numbers from 1 to ${choices.length}, separated by spaces`)
  }
  return chosen.map((choice) => choice!.id)
}

function requireAccounts({ error, accounts }: Connection): Account[] {
  if (error) throw new OperatorError(error.message)
  return accounts
}

const logTo = ({ say }: Terminal): Log => ({
  info: () => {},
  warn: () => {},
  error: ({ err }: { err?: Error }) => say(String(err)),
})
