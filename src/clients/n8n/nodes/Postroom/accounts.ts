import type { IDataObject, ILoadOptionsFunctions, INodePropertyOptions } from 'n8n-workflow'
import { send } from './send.ts'

/** The accounts that the key can use, to choose from. */
export async function getAccounts(this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
  const { data } = await send.call(this, { method: 'GET', path: '/accounts', isRepeatable: true })
  return (data as IDataObject[]).map(({ id, username, platform }) => ({
    name: `${username} (${platform})`,
    value: String(id),
  }))
}
