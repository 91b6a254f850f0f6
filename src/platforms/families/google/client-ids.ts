import type { ClientIds } from '../../contract/network.ts'

/** https://developers.google.com/identity/sign-in/web/sign-in */
export const googleClientIds: ClientIds = {
  pattern: /\.apps\.googleusercontent\.com$/,
  form: 'a text that ends with .apps.googleusercontent.com: copy it from Credentials at console.cloud.google.com',
}
