import type { ClientIds } from '../../contract/network.ts'

/** https://developers.facebook.com/docs/graph-api/reference/application: the id of an app is a numeric string. */
export const metaClientIds: ClientIds = {
  pattern: /^\d+$/,
  form: 'digits only: copy the app id from its dashboard at developers.facebook.com',
}
