import {
  type IDataObject,
  type IHookFunctions,
  type INodeType,
  type INodeTypeDescription,
  type IWebhookFunctions,
  type IWebhookResponseData,
  NodeApiError,
  NodeConnectionTypes,
} from 'n8n-workflow'
import { InvalidSignature, verify } from '../../../sdk/webhooks.ts'
import { getAccounts } from './accounts.ts'
import { TRIGGER_PROPERTIES } from './description.ts'
import { send } from './send.ts'

interface Registration extends IDataObject {
  id: string
  secret: string
}

export class PostroomTrigger implements INodeType {
  description: INodeTypeDescription = {
    displayName: 'Postroom Trigger',
    name: 'postroomTrigger',
    icon: { light: 'file:../../../console/icon.svg', dark: 'file:icon.dark.svg' },
    group: ['trigger'],
    version: 1,
    subtitle: '={{$parameter["types"].join(", ") || "all events"}}',
    description: 'Starts the workflow when something happens to a post or an account',
    defaults: { name: 'Postroom Trigger' },
    inputs: [],
    outputs: [NodeConnectionTypes.Main],
    credentials: [{ name: 'postroomApi', required: true }],
    webhooks: [{ name: 'default', httpMethod: 'POST', responseMode: 'onReceived', path: 'webhook' }],
    properties: TRIGGER_PROPERTIES,
  }
  methods = { loadOptions: { getAccounts } }

  webhookMethods = {
    default: {
      async checkExists(this: IHookFunctions): Promise<boolean> {
        const { id } = registrationOf.call(this)
        if (id === undefined) return false
        const webhook = await unlessMissing(
          send.call(this, { method: 'GET', path: `/webhooks/${id}`, isRepeatable: true }),
        )
        return webhook?.url === this.getNodeWebhookUrl('default') && webhook?.state === 'active'
      },
      async create(this: IHookFunctions): Promise<boolean> {
        await remove.call(this)
        // An empty list means all events, or all accounts.
        const lists = ['types', 'accountIds'].map((name) => [name, this.getNodeParameter(name) as string[]] as const)
        const body = {
          url: this.getNodeWebhookUrl('default'),
          ...Object.fromEntries(lists.filter(([, values]) => values.length > 0)),
          ...(this.getNodeParameter('additionalFields') as IDataObject),
        }
        const { id, secret } = await send.call(this, { method: 'POST', path: '/webhooks', body, isRepeatable: false })
        Object.assign(registrationOf.call(this), { id, secret })
        return true
      },
      async delete(this: IHookFunctions): Promise<boolean> {
        await remove.call(this)
        return true
      },
    },
  }

  async webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
    const { rawBody } = this.getRequestObject()
    try {
      const event = await verify(
        rawBody,
        this.getHeaderData() as Record<string, string>,
        registrationOf.call(this).secret!,
      )
      return { workflowData: [this.helpers.returnJsonArray(event as unknown as IDataObject)] }
    } catch (error) {
      if (!(error instanceof InvalidSignature)) throw new NodeApiError(this.getNode(), { message: String(error) })
      this.getResponseObject().status(400).json({ error: error.message })
      return { noWebhookResponse: true }
    }
  }
}

/** The webhook of this trigger, which n8n stores. A test of the workflow has one of its own, beside the active one. */
function registrationOf(this: IHookFunctions | IWebhookFunctions): Partial<Registration> {
  const stored = this.getWorkflowStaticData('node') as Record<string, Partial<Registration>>
  const name = this.getMode() === 'manual' ? 'test' : 'active'
  stored[name] ??= {}
  return stored[name]
}

async function remove(this: IHookFunctions): Promise<void> {
  const registration = registrationOf.call(this)
  if (registration.id === undefined) return
  await unlessMissing(send.call(this, { method: 'DELETE', path: `/webhooks/${registration.id}`, isRepeatable: true }))
  delete registration.id
  delete registration.secret
}

/** Undefined if the webhook was deleted in Postroom. */
const unlessMissing = (response: Promise<IDataObject>): Promise<IDataObject | undefined> =>
  response.catch((error) => {
    if (error instanceof NodeApiError && error.httpCode === '404') return undefined
    throw error
  })
