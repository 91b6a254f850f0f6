import type { Networks } from '../../platforms/adapters.ts'
import { listApiVersions } from '../../platforms/api-versions.ts'
import type { AnyAdapter, FieldOptions } from '../../platforms/contract/adapter.ts'
import type { AppRegistration, OAuth, OAuthIo } from '../../platforms/contract/oauth.ts'
import type { Metrics } from './metrics.ts'

/** The same networks, with every HTTP call of their adapters measured. The sandbox makes none. */
export function measureNetworks(
  networks: Networks,
  metrics: Pick<Metrics, 'networkCalls' | 'apiVersionEnds'>,
): Networks {
  for (const { platform, name, endsAt } of listApiVersions(networks)) {
    metrics.apiVersionEnds.set({ platform, version: name }, endsAt.getTime() / 1000)
  }
  const measured = Object.entries(networks).map(([platform, adapter]) => [
    platform,
    measureAdapter(adapter, (io) => ({ ...io, fetch: measureFetch(io.fetch, platform, metrics) })),
  ])
  return Object.fromEntries(measured)
}

function measureAdapter(adapter: AnyAdapter, measured: Measured): AnyAdapter {
  const { reconcile, remove, edit, readMetrics, oauth, options } = adapter
  return {
    ...adapter,
    identify: (io) => adapter.identify(measured(io)),
    prepare: (act, io, saved) => adapter.prepare(act, measured(io), saved),
    publish: (act, io, ready) => adapter.publish(act, measured(io), ready),
    ...(reconcile && { reconcile: (act, io, ready) => reconcile(act, measured(io), ready) }),
    ...(remove && { remove: (published, io) => remove(published, measured(io)) }),
    ...(edit && { edit: (act, published, io) => edit(act, published, measured(io)) }),
    ...(readMetrics && { readMetrics: (posts, names, io) => readMetrics(posts, names, measured(io)) }),
    ...(oauth && { oauth: measureOAuth(oauth, measured) }),
    ...(options && { options: measureOptions(options, measured) }),
  }
}

type Measured = <T extends OAuthIo>(io: T) => T

const measureOptions = (options: Readonly<Record<string, FieldOptions>>, measured: Measured) =>
  Object.fromEntries(
    Object.entries(options).map(([field, { read, ...others }]): [string, FieldOptions] => [
      field,
      { ...others, read: (io, fields) => read(measured(io), fields) },
    ]),
  )

const measureOAuth = (oauth: OAuth, measured: Measured): OAuth => ({
  ...oauth,
  begin: (authorization, io) => oauth.begin(authorization, measured(io)),
  finish: (authorization, io) => oauth.finish(authorization, measured(io)),
  ...(oauth.registration && { registration: measureRegistration(oauth.registration, measured) }),
  ...(oauth.refresh && {
    refresh: {
      ...oauth.refresh,
      run: (credentials, app, io) => oauth.refresh!.run(credentials, app, measured(io)),
    },
  }),
  ...(oauth.revoke && { revoke: (credentials, app, io) => oauth.revoke!(credentials, app, measured(io)) }),
})

const measureRegistration = (registration: AppRegistration, measured: Measured): AppRegistration => ({
  ...registration,
  register: (server, redirectUri, io) => registration.register(server, redirectUri, measured(io)),
  isKnown: (server, app, io) => registration.isKnown(server, app, measured(io)),
})

function measureFetch(call: typeof fetch, platform: string, { networkCalls }: Pick<Metrics, 'networkCalls'>) {
  return async (...args: Parameters<typeof fetch>): Promise<Response> => {
    const startedAt = performance.now()
    let result = 'no_response'
    try {
      const response = await call(...args)
      result = resultOf(response.status)
      return response
    } finally {
      networkCalls.observe({ platform, result }, (performance.now() - startedAt) / 1000)
    }
  }
}

/** The class of the status: a server may send any number. 429 has its own, because it is the network's rate limit. */
const resultOf = (status: number) => (status === 429 ? '429' : `${Math.floor(status / 100)}xx`)
