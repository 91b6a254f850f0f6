export { Postroom } from './client.ts'
export * from './errors.ts'
// This one, and not the type of the API with this name.
export { ConnectionError } from './errors.ts'
export {
  type ChangeOptions,
  type CreateOptions,
  type Options,
  type PostroomOptions,
  responseOf,
} from './http.ts'
export type { List, Page } from './pages.ts'
export type * from './types.ts'
export type { FileContent, FileDescription, FileSource } from './uploads.ts'
export * as webhooks from './webhooks.ts'
export { InvalidSignature, type WebhookHeaders } from './webhooks.ts'
