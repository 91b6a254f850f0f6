import { sql } from 'kysely'
import type { Test } from 'tap'
import type { PlatformId } from '../../schemas/platform.ts'
import { claimNextRefresh, type Refreshed, refreshTokens } from '../../src/engine/credentials/refresh.ts'
import { NO_GRANT, storeAccount } from '../../src/features/accounts/store.ts'
import type { OAuth, RefreshedTokens } from '../../src/platforms/contract/oauth.ts'
import { findCredentials } from './app.ts'
import { recordSecrets } from './log-record.ts'
import { createDeliveryWorld } from './publisher.ts'
import { scriptedNetwork } from './scripted-network.ts'
import { scriptedOAuth } from './scripted-oauth.ts'
import { until } from './until.ts'

const HOUR = 3_600_000
const APP = { clientId: 'client-of-x', clientSecret: 'the-secret-of-the-app' }

type Refresh = NonNullable<OAuth['refresh']>

/** The network's reaction to one refresh. */
interface RefreshStep {
  error?: Error
  tokens?: Partial<RefreshedTokens>
  /** Awaited before the response. */
  beforeResponse?: (signal: AbortSignal) => unknown
}

/** Two networks whose publishing and refreshing the test scripts, and workers whose clock only the test advances. */
export async function createRefreshWorld(
  t: Test,
  { afterLostResponse = 'single-use' }: { afterLostResponse?: Refresh['afterLostResponse'] } = {},
) {
  recordSecrets('credentials', APP.clientSecret)
  /** The refresh token of each call. */
  const calls: (string | undefined)[] = []
  const steps: RefreshStep[] = []
  const oauth = scriptedOAuth()
  const network = Object.assign(scriptedNetwork(), { oauth })
  oauth.refresh = {
    afterLostResponse,
    isPossible: ({ refreshToken }) => refreshToken !== undefined,
    async run(credentials, app, { signal }) {
      t.same(app, APP)
      calls.push(credentials.refreshToken)
      const { error, tokens, beforeResponse } = steps.shift() ?? {}
      await beforeResponse?.(signal)
      if (error) throw error
      return { ...newTokens(calls.length), ...tokens }
    },
  }
  const newTokens = (number: number): RefreshedTokens => {
    const credentials = { accessToken: `access-token-${number}`, refreshToken: `refresh-token-${number}` }
    recordSecrets('credentials', ...Object.values(credentials))
    return { credentials, scopes: null, expiresAt: new Date(world.time.now.getTime() + 2 * HOUR) }
  }
  const oauthApps = { x: APP, linkedin: APP }
  const world = await createDeliveryWorld(t, { x: network, linkedin: network }, { oauthApps })
  const { db, keyring, time, networks, ada } = world

  const refreshed: Refreshed[] = []
  const deps = {
    db,
    networks,
    keyring,
    fetch: world.fetch,
    log: world.app.log,
    oauthApps,
    clock: () => time.now,
    uptimeMs: () => time.now.getTime(),
    pause: async () => {},
    callMaxMs: HOUR,
    report: (facts: Refreshed) => void refreshed.push(facts),
  }

  return {
    ...world,
    network,
    oauth,
    deps,
    calls,
    steps,
    refreshed,
    /** Connects an account whose access token lives for `ms`. Returns its id. */
    async connect({
      platform = 'x' as PlatformId,
      externalId = '1',
      ms = 2 * HOUR,
      isRefreshable = true,
      hasRefreshToken = true,
    } = {}): Promise<string> {
      const { accessToken, refreshToken } = newTokens(0).credentials
      const credentials = { accessToken: accessToken!, ...(hasRefreshToken && { refreshToken: refreshToken! }) }
      const { account } = await storeAccount(db, keyring, {
        platform,
        userId: ada.id,
        organizationId: undefined,
        profile: {
          externalId,
          username: 'ada',
          displayName: null,
          textLengthMax: null,
          altTextLengthMax: null,
          facts: null,
          avatarUrl: null,
          limitKey: null,
        },
        credentials,
        isRefreshable,
        grant: {
          ...NO_GRANT,
          clientId: APP.clientId,
          scopes: ['read', 'write'],
          credentialsExpireAt: new Date(Date.now() + ms),
        },
      })
      return account.id
    },
    /** Advances the time by `ms`. Then a worker refreshes what is due. Returns the outcomes. */
    async refresh(ms = 0) {
      time.now = new Date(time.now.getTime() + ms)
      const before = refreshed.length
      for (let held = await claimNextRefresh(deps); held; held = await claimNextRefresh(deps)) {
        await refreshTokens(deps, held)
      }
      return refreshed.slice(before).map(({ outcome }) => outcome)
    },
    /** A worker claims, and is killed before or after its call. Another one may claim a minute later. */
    async kill() {
      const held = await claimNextRefresh(deps)
      t.ok(held, 'something was due')
      time.now = new Date(time.now.getTime() + 60_000)
    },
    credentials: async (id: string) => keyring.open(id, (await findCredentials(db, id))!),
    /** The account as the API shows it. */
    async account(id: string) {
      const { body } = await until('the accounts are listed', () => ada.call('GET', '/accounts'), {
        isMet: ({ status }) => status === 200,
      })
      return body.data.find((account: { id: string }) => account.id === id)
    },
    /** Milliseconds until the next refresh. */
    async dueInMs(id: string): Promise<number | null> {
      const { rows } = await sql<{ ms: number | null }>`
        select (extract(epoch from refresh_at - ${time.now}::timestamptz) * 1000)::float8 as ms
        from account_credentials where account_id = ${id} and refresh_at < 'infinity'`.execute(db)
      return rows[0]?.ms ?? null
    },
  }
}
