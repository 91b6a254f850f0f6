import type { FastifyPluginAsync } from 'fastify'
import { AppError } from '../errors.ts'
import { clientMetadata } from '../platforms/bluesky/client.ts'
import { blueskyOAuth } from '../platforms/bluesky/connect.ts'
import { type ConnectionContext, redirectUriOf } from './context.ts'

const PATH = '/oauth/client-metadata.json'

/** The document that servers of Bluesky read about this service. It is public. */
export const clientMetadataDocument: FastifyPluginAsync<ConnectionContext> = async (app, context) => {
  app.get(PATH, { schema: { hide: true } }, async () => {
    const client = context.oauthApps.bluesky
    // A loopback client has no document.
    if (client?.clientId !== `${context.publicUrl()}${PATH}`) throw new AppError(404, 'route_not_found', 'Not found')
    return clientMetadata(client, redirectUriOf(context, blueskyOAuth))
  })
}
