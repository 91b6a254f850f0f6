import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply } from 'fastify'
import type { Db } from '../../../db/client.ts'
import { isId } from '../../../db/id.ts'
import { findAccountLimits } from '../../../db/queries/account-facts.ts'
import { hasVideoWorker } from '../../../db/queries/rendition-jobs.ts'
import * as operations from '../../../schemas/operations/index.ts'
import type { PlatformId } from '../../../schemas/platform.ts'
import { findPlatform } from '../../../schemas/platform-names.ts'
import { fail } from '../../base/errors.ts'
import { type Constant, createConstant, sendConstant } from '../../base/http/constant.ts'
import { isListed } from '../../base/http/rights.ts'
import type { Networks } from '../../platforms/adapters.ts'
import { limitsOf, platforms } from '../../platforms/limits.ts'
import { describePlatform } from './describe-platform.ts'

const render = (value: object): Constant => createConstant(JSON_TYPE, JSON.stringify(value))

const JSON_TYPE = 'application/json; charset=utf-8'

/** Serves the limits of the networks. They change with the version only, so each response is rendered once. */
export const catalogue: FastifyPluginAsyncTypebox<{ db: Db; networks: Networks }> = async (app, { db, networks }) => {
  const rendered = new Map<string, Constant>()
  const renderOnce = (key: string, describe: () => object): Constant => {
    const known = rendered.get(key) ?? render(describe())
    rendered.set(key, known)
    return known
  }
  const renderPlatform = (id: PlatformId) => renderOnce(id, () => describePlatform(platforms[id], networks))

  app.route({
    ...operations.listPlatforms,
    handler: async (_request, reply) => {
      const [{ hasWorker: convertsVideos } = { hasWorker: false }] = await hasVideoWorker(db, {})
      const all = Object.values(platforms)
      return send(
        reply,
        renderOnce(`all ${convertsVideos}`, () => ({
          data: all.map((platform) => describePlatform(platform, networks)),
          convertsVideos,
        })),
        SHORT,
      )
    },
  })

  app.route({
    ...operations.getPlatform,
    handler: async ({ params: { platform } }, reply) => {
      if (!Object.hasOwn(platforms, platform)) {
        const id = findPlatform(platform)
        throw id ? fail('platform_not_found.named', id) : fail('platform_not_found')
      }
      return send(reply, renderPlatform(platform as PlatformId), SHORT)
    },
  })

  app.route({
    ...operations.getAccountLimits,
    handler: async ({ userId, rights, params: { id } }, reply) => {
      const isPossible = isId(id) && isListed(rights, id)
      const account = isPossible ? await findAccountLimits(db, { userId, id }) : undefined
      if (!account) throw fail('account_not_found')
      const limits = limitsOf(account)
      const isOwn = limits !== platforms[account.platform]
      return send(reply, isOwn ? render(describePlatform(limits, networks)) : renderPlatform(limits.id), ALWAYS_ASK)
    },
  })
}

const SHORT = 'private, max-age=300'
/** The limits of an account change when it is connected again, and the user may lose it. */
const ALWAYS_ASK = 'private, no-cache'

const send = (reply: FastifyReply, constant: Constant, cacheControl: string) =>
  sendConstant(reply, constant, cacheControl) as Promise<never>
