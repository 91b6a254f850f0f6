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

interface Registration {
  id?: string
  secret?: string
}

export class PostroomTrigger implements INodeType {
  description: INodeTypeDescription = {
    displayName: 'Postroom Trigger',
    name: 'postroomTrigger',
    icon: { light: 'file:../../../../features/console/icon.svg', dark: 'file:icon.dark.svg' },
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
        const url = this.getNodeWebhookUrl('default')
        const found = await findWebhooks.call(this)
        return found.some((webhook) => webhook.id === id && webhook.url === url && webhook.state === 'active')
      },
      async create(this: IHookFunctions): Promise<boolean> {
        await removeWebhooks.call(this)
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
        await removeWebhooks.call(this)
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
function registrationOf(this: IHookFunctions | IWebhookFunctions): Registration {
  return this.getWorkflowStaticData('node')
}

/** Those of the stored id or of the address: the response of a creation may have been lost. */
async function findWebhooks(this: IHookFunctions): Promise<IDataObject[]> {
  const { id } = registrationOf.call(this)
  const { data } = await send.call(this, { method: 'GET', path: '/webhooks', qs: { limit: 100 }, isRepeatable: true })
  return (data as IDataObject[]).filter(
    (webhook) => webhook.id === id || webhook.url === this.getNodeWebhookUrl('default'),
  )
}

async function removeWebhooks(this: IHookFunctions): Promise<void> {
  for (const { id } of await findWebhooks.call(this)) {
    await send.call(this, { method: 'DELETE', path: `/webhooks/${id}`, isRepeatable: true })
  }
}
