/** How one generator is run, and how its client is called. */
interface Generator {
  /** The command within `node_modules`, which writes to the folder `client`. */
  command: string[]
  imports: string
  /** For each operation the call with nothing but what it requires. */
  calls: Record<string, string>
}

const BODIES = {
  connectAccount: `{ platform: 'bluesky', credentials: { identifier: 'ada.example.com', password: 'abcd' } }`,
  createPost: `{ accountIds: ['a'], caption: 'hello', scheduledAt: '2030-01-15T09:30:00Z' }`,
  createDraft: `{ accountIds: ['a'] }`,
  resolveDelivery: `{ outcome: 'published' }`,
  createConnection: `{ platform: 'x' }`,
  chooseAccounts: `{ ids: ['1'] }`,
  completeConnection: `{ callbackUrl: 'http://localhost:3000/connect/callback?state=a&code=b' }`,
  putApp: `{ clientId: 'a' }`,
  uploadMedia: `{ file: new Blob() }`,
  importMedia: `{ url: 'https://www.example.com/lighthouse.jpg' }`,
  updateMedia: `{ altText: null }`,
}

const heyApi: Generator = {
  command: ['@hey-api/openapi-ts/bin/run.js', '--input', 'openapi.json', '--output', 'client', '--silent'],
  imports: `import * as api from './client/index.ts'`,
  calls: {
    listAccounts: `api.listAccounts()`,
    connectAccount: `api.connectAccount({ body: ${BODIES.connectAccount} })`,
    disconnectAccount: `api.disconnectAccount({ path: { id: 'a' } })`,
    createConnection: `api.createConnection({ body: ${BODIES.createConnection} })`,
    getConnection: `api.getConnection({ path: { id: 'a' } })`,
    chooseAccounts: `api.chooseAccounts({ path: { id: 'a' }, body: ${BODIES.chooseAccounts} })`,
    completeConnection: `api.completeConnection({ path: { id: 'a' }, body: ${BODIES.completeConnection} })`,
    deleteConnection: `api.deleteConnection({ path: { id: 'a' } })`,
    listApps: `api.listApps()`,
    putApp: `api.putApp({ path: { platform: 'x' }, body: ${BODIES.putApp} })`,
    deleteApp: `api.deleteApp({ path: { platform: 'x' } })`,
    createPost: `api.createPost({ body: ${BODIES.createPost} })`,
    createDraft: `api.createPost({ body: ${BODIES.createDraft} })`,
    listPosts: `api.listPosts()`,
    getPost: `api.getPost({ path: { id: 'a' } })`,
    deletePost: `api.deletePost({ path: { id: 'a' } })`,
    publishPost: `api.publishPost({ path: { id: 'a' } })`,
    retryDelivery: `api.retryDelivery({ path: { id: 'a', accountId: 'b' } })`,
    resolveDelivery: `api.resolveDelivery({ path: { id: 'a', accountId: 'b' }, body: ${BODIES.resolveDelivery} })`,
    uploadMedia: `api.uploadMedia({ body: ${BODIES.uploadMedia} })`,
    importMedia: `api.importMedia({ body: ${BODIES.importMedia} })`,
    listMedia: `api.listMedia()`,
    getMedia: `api.getMedia({ path: { id: 'a' } })`,
    getMediaContent: `api.getMediaContent({ path: { id: 'a' } })`,
    updateMedia: `api.updateMedia({ path: { id: 'a' }, body: ${BODIES.updateMedia} })`,
    deleteMedia: `api.deleteMedia({ path: { id: 'a' } })`,
    listSandboxCalls: `api.listSandboxCalls()`,
  },
}

const orval: Generator = {
  command: ['orval/dist/bin/orval.js', '--input', 'openapi.json', '--output', 'client/api.ts', '--client', 'fetch'],
  imports: `import * as api from './client/api.ts'`,
  calls: {
    listAccounts: `api.listAccounts()`,
    connectAccount: `api.connectAccount(${BODIES.connectAccount})`,
    disconnectAccount: `api.disconnectAccount('a')`,
    createConnection: `api.createConnection(${BODIES.createConnection})`,
    getConnection: `api.getConnection('a')`,
    chooseAccounts: `api.chooseAccounts('a', ${BODIES.chooseAccounts})`,
    completeConnection: `api.completeConnection('a', ${BODIES.completeConnection})`,
    deleteConnection: `api.deleteConnection('a')`,
    listApps: `api.listApps()`,
    putApp: `api.putApp('x', ${BODIES.putApp})`,
    deleteApp: `api.deleteApp('x')`,
    createPost: `api.createPost(${BODIES.createPost})`,
    createDraft: `api.createPost(${BODIES.createDraft})`,
    listPosts: `api.listPosts()`,
    getPost: `api.getPost('a')`,
    deletePost: `api.deletePost('a')`,
    publishPost: `api.publishPost('a')`,
    retryDelivery: `api.retryDelivery('a', 'b')`,
    resolveDelivery: `api.resolveDelivery('a', 'b', ${BODIES.resolveDelivery})`,
    uploadMedia: `api.uploadMedia(${BODIES.uploadMedia})`,
    importMedia: `api.importMedia(${BODIES.importMedia})`,
    listMedia: `api.listMedia()`,
    getMedia: `api.getMedia('a')`,
    getMediaContent: `api.getMediaContent('a')`,
    updateMedia: `api.updateMedia('a', ${BODIES.updateMedia})`,
    deleteMedia: `api.deleteMedia('a')`,
    listSandboxCalls: `api.listSandboxCalls()`,
  },
}

const swaggerTypescriptApi: Generator = {
  command: ['swagger-typescript-api/dist/cli.mjs', 'generate', '-p', 'openapi.json', '-o', 'client', '-n', 'api.ts'],
  imports: `import { Api, PlatformId } from './client/api.ts'\n\nconst { api } = new Api()`,
  calls: {
    ...orval.calls,
    connectAccount: `api.connectAccount(${BODIES.connectAccount})`,
    createConnection: `api.createConnection({ platform: PlatformId.X })`,
    uploadMedia: `api.uploadMedia({ file: new File([], 'a') })`,
  },
}

const openapiTypescript: Generator = {
  command: ['openapi-typescript/bin/cli.js', 'openapi.json', '--output', 'client/schema.ts'],
  imports: `import createClient from 'openapi-fetch'
import type { paths } from './client/schema.ts'

const api = createClient<paths>({ baseUrl: 'http://127.0.0.1:3000' })`,
  calls: {
    listAccounts: `api.GET('/api/v1/accounts')`,
    connectAccount: `api.POST('/api/v1/accounts', { body: ${BODIES.connectAccount} })`,
    disconnectAccount: `api.DELETE('/api/v1/accounts/{id}', { params: { path: { id: 'a' } } })`,
    createConnection: `api.POST('/api/v1/connections', { body: ${BODIES.createConnection} })`,
    getConnection: `api.GET('/api/v1/connections/{id}', { params: { path: { id: 'a' } } })`,
    chooseAccounts: `api.POST('/api/v1/connections/{id}/choose', { params: { path: { id: 'a' } }, body: ${BODIES.chooseAccounts} })`,
    completeConnection: `api.POST('/api/v1/connections/{id}/complete', { params: { path: { id: 'a' } }, body: ${BODIES.completeConnection} })`,
    deleteConnection: `api.DELETE('/api/v1/connections/{id}', { params: { path: { id: 'a' } } })`,
    listApps: `api.GET('/api/v1/apps')`,
    putApp: `api.PUT('/api/v1/apps/{platform}', { params: { path: { platform: 'x' } }, body: ${BODIES.putApp} })`,
    deleteApp: `api.DELETE('/api/v1/apps/{platform}', { params: { path: { platform: 'x' } } })`,
    createPost: `api.POST('/api/v1/posts', { body: ${BODIES.createPost} })`,
    createDraft: `api.POST('/api/v1/posts', { body: ${BODIES.createDraft} })`,
    listPosts: `api.GET('/api/v1/posts')`,
    getPost: `api.GET('/api/v1/posts/{id}', { params: { path: { id: 'a' } } })`,
    deletePost: `api.DELETE('/api/v1/posts/{id}', { params: { path: { id: 'a' } } })`,
    publishPost: `api.POST('/api/v1/posts/{id}/publish', { params: { path: { id: 'a' } } })`,
    retryDelivery: `api.POST('/api/v1/posts/{id}/deliveries/{accountId}/retry', { params: { path: { id: 'a', accountId: 'b' } } })`,
    resolveDelivery: `api.POST('/api/v1/posts/{id}/deliveries/{accountId}/resolve', { params: { path: { id: 'a', accountId: 'b' } }, body: ${BODIES.resolveDelivery} })`,
    // openapi-typescript types every file as a string: https://openapi-ts.dev/node#example-blob-types
    uploadMedia: `api.POST('/api/v1/media', { body: { file: '' }, bodySerializer: () => new FormData() })`,
    importMedia: `api.POST('/api/v1/media/import', { body: ${BODIES.importMedia} })`,
    listMedia: `api.GET('/api/v1/media')`,
    getMedia: `api.GET('/api/v1/media/{id}', { params: { path: { id: 'a' } } })`,
    getMediaContent: `api.GET('/api/v1/media/{id}/content', { params: { path: { id: 'a' } }, parseAs: 'blob' })`,
    updateMedia: `api.PATCH('/api/v1/media/{id}', { params: { path: { id: 'a' } }, body: ${BODIES.updateMedia} })`,
    deleteMedia: `api.DELETE('/api/v1/media/{id}', { params: { path: { id: 'a' } } })`,
    listSandboxCalls: `api.GET('/api/v1/sandbox/calls')`,
  },
}

export const GENERATORS: Record<string, Generator> = {
  'hey-api': heyApi,
  orval,
  'swagger-typescript-api': swaggerTypescriptApi,
  'openapi-typescript with openapi-fetch': openapiTypescript,
}
