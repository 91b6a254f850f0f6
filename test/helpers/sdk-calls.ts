import type { ChangeOptions, CreateOptions, Postroom } from '../../src/sdk/index.ts'

/** The parts of a request, beside the ids in its path. */
interface Parts {
  // biome-ignore lint/suspicious/noExplicitAny: tests send bodies of every shape
  body: any
  // biome-ignore lint/suspicious/noExplicitAny: tests send parameters of every shape
  query: any
  options: CreateOptions & ChangeOptions
}

type Call = (client: Postroom, parts: Parts, ...ids: string[]) => PromiseLike<object>

/** The method of the SDK for each operation. */
export const SDK_CALLS: Record<string, Call> = {
  listAccounts: (client) => client.accounts.list(),
  connectAccount: (client, { body, options }) => client.accounts.connect(body, options),
  disconnectAccount: (client, _, id) => client.accounts.disconnect(id!),
  getAccountLimits: (client, _, id) => client.accounts.limits(id!),
  listFieldOptions: (client, { query }, id, field) => client.accounts.options(id!, field!, query),
  listPlatforms: (client) => client.platforms.list(),
  getPlatform: (client, _, id) => client.platforms.get(id as 'x'),
  createConnection: (client, { body, options }) => client.connections.create(body, options),
  getConnection: (client, _, id) => client.connections.get(id!),
  deleteConnection: (client, _, id) => client.connections.cancel(id!),
  chooseAccounts: (client, { body }, id) => client.connections.choose(id!, body),
  completeConnection: (client, { body }, id) => client.connections.complete(id!, body),
  listApps: (client) => client.apps.list(),
  putApp: (client, { body }, id) => client.apps.put(id as 'x', body),
  deleteApp: (client, { query }, id) => client.apps.delete(id as 'x', query),
  listPosts: (client, { query }) => client.posts.list(query),
  createPost: (client, { body, query, options }) => client.posts.create(body, { ...query, ...options }),
  countPosts: (client, { query }) => client.posts.count(query),
  listDeliveries: (client, { query }) => client.deliveries.list(query),
  createPosts: (client, { body, query, options }) => client.posts.createMany(body, { ...query, ...options }),
  validatePosts: (client, { body, query }) => client.posts.validateMany(body, query),
  retryDeliveries: (client, { body }) => client.deliveries.retryAll(body),
  validatePost: (client, { body, query }) => client.posts.validate(body, query),
  deletePost: (client, { options }, id) => client.posts.delete(id!, options),
  getPost: (client, _, id) => client.posts.get(id!),
  updatePost: (client, { body, query, options }, id) => client.posts.update(id!, body, { ...query, ...options }),
  publishPost: (client, { options }, id) => client.posts.publish(id!, options),
  retryDelivery: (client, { body, options }, id, account) => client.deliveries.retry(id!, account!, body, options),
  resolveDelivery: (client, { body, options }, id, account) => client.deliveries.resolve(id!, account!, body, options),
  cancelDelivery: (client, { options }, id, account) => client.deliveries.cancel(id!, account!, options),
  markDeliveryPublished: (client, { body, options }, id, account) =>
    client.deliveries.markPublished(id!, account!, body, options),
  listEvents: (client, { query }) => client.events.list(query),
  getEvent: (client, _, id) => client.events.get(id!),
  createWebhook: (client, { body }) => client.webhooks.create(body),
  listWebhooks: (client, { query }) => client.webhooks.list(query),
  getWebhook: (client, _, id) => client.webhooks.get(id!),
  updateWebhook: (client, { body }, id) => client.webhooks.update(id!, body),
  deleteWebhook: (client, _, id) => client.webhooks.delete(id!),
  testWebhook: (client, { body }, id) => client.webhooks.test(id!, body),
  rotateWebhookSecret: (client, { body }, id) => client.webhooks.rotateSecret(id!, body),
  deletePreviousWebhookSecret: (client, _, id) => client.webhooks.endPreviousSecret(id!),
  listWebhookDeliveries: (client, { query }, id) => client.webhooks.deliveries(id!, query),
  redeliverEvents: (client, { body }, id) => client.webhooks.redeliver(id!, body),
  uploadMedia: (client, { options }) => client.uploads.create(new Uint8Array(1), {}, options),
  listMedia: (client, { query }) => client.media.list(query),
  importMedia: (client, { body, options }) => client.uploads.fromUrl(body, options),
  getMedia: (client, _, id) => client.media.get(id!),
  updateMedia: (client, { body }, id) => client.media.update(id!, body),
  deleteMedia: (client, _, id) => client.media.delete(id!),
  getMediaContent: (client, _, id) => client.media.content(id!),
  listSandboxCalls: (client, { query }) => client.sandbox.calls(query),
  getCurrentKey: (client) => client.keys.current(),
  createKey: (client, { body }) => client.keys.create(body),
  listKeys: (client, { query }) => client.keys.list(query),
  getKey: (client, _, id) => client.keys.get(id!),
  updateKey: (client, { body }, id) => client.keys.update(id!, body),
  revokeKey: (client, _, id) => client.keys.revoke(id!),
  rotateKey: (client, { body }, id) => client.keys.rotate(id!, body),
  listUsers: (client, { query }) => client.users.list(query),
  createUser: (client, { body, options }) => client.users.create(body, options),
  getUser: (client, _, id) => client.users.get(id!),
  deleteUser: (client, _, id) => client.users.delete(id!),
  listUserKeys: (client, { query }, id) => client.users.listKeys(id!, query),
  createUserKey: (client, { body }, id) => client.users.createKey(id!, body),
  revokeUserKey: (client, _, id, key) => client.users.revokeKey(id!, key!),
  listOrganizations: (client, { query }) => client.organizations.list(query),
  createOrganization: (client, { body, options }) => client.organizations.create(body, options),
  getOrganization: (client, _, id) => client.organizations.get(id!),
  deleteOrganization: (client, _, id) => client.organizations.delete(id!),
  listMembers: (client, { query }, id) => client.organizations.listMembers(id!, query),
  putMember: (client, { body }, id, user) => client.organizations.putMember(id!, user!, body),
  deleteMember: (client, _, id, user) => client.organizations.deleteMember(id!, user!),
}
