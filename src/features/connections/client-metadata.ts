import type { FastifyPluginAsync } from 'fastify'
import { fail } from '../../base/errors.ts'
import { clientMetadata, METADATA_PATH } from '../../platforms/bluesky/client.ts'
import { blueskyOAuth } from '../../platforms/bluesky/connect.ts'
import { type ConnectionContext, redirectUriOf } from './context.ts'

/** The document that servers of Bluesky read about this service. It is public. */
export const clientMetadataDocument: FastifyPluginAsync<ConnectionContext> = async (app, context) => {
  app.get(METADATA_PATH, { schema: { hide: true } }, async () => {
    const client = context.oauthApps.bluesky
    // A loopback client has no document.
    if (client?.clientId !== `${context.publicUrl()}${METADATA_PATH}`) throw fail('route_not_found')
    return clientMetadata(client, redirectUriOf(context, blueskyOAuth))
  })
}
