import type { PostAddresses } from '../contract/post-address.ts'

/** The code in an address is no id of the API. */
export const threadsAddresses: PostAddresses = {
  form: 'https://www.threads.com/@NAME/post/CODE',
  hosts: /^threads\.(?:com|net)$/,
  patterns: [/^[^/]+\/@(?<owner>[\w.]+)\/post\//],
}
