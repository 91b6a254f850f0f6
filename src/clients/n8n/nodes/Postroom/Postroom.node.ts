import {
  type IExecuteFunctions,
  type INodeExecutionData,
  type INodeType,
  type INodeTypeDescription,
  NodeConnectionTypes,
  NodeOperationError,
} from 'n8n-workflow'
import { getAccounts } from './accounts.ts'
import { PROPERTIES } from './description.ts'
import { run } from './run.ts'

export class Postroom implements INodeType {
  description: INodeTypeDescription = {
    displayName: 'Postroom',
    name: 'postroom',
    icon: { light: 'file:../../../../features/console/icon.svg', dark: 'file:icon.dark.svg' },
    group: ['output'],
    version: 1,
    subtitle: '={{$parameter["operation"] + ": " + $parameter["resource"]}}',
    description: 'Publish posts to social networks',
    defaults: { name: 'Postroom' },
    usableAsTool: true,
    inputs: [NodeConnectionTypes.Main],
    outputs: [NodeConnectionTypes.Main],
    credentials: [{ name: 'postroomApi', required: true }],
    properties: PROPERTIES,
  }
  methods = { loadOptions: { getAccounts } }

  async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
    const results: INodeExecutionData[] = []
    for (const itemIndex of this.getInputData().keys()) {
      try {
        const found = await run.call(this, itemIndex)
        results.push(...found.map((json) => ({ json, pairedItem: { item: itemIndex } })))
      } catch (error) {
        if (!this.continueOnFail()) throw new NodeOperationError(this.getNode(), error as Error, { itemIndex })
        results.push({ json: { error: (error as Error).message }, pairedItem: { item: itemIndex } })
      }
    }
    return [results]
  }
}
