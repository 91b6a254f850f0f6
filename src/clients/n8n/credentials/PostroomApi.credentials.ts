import type { IAuthenticateGeneric, ICredentialTestRequest, ICredentialType, INodeProperties } from 'n8n-workflow'

export class PostroomApi implements ICredentialType {
  name = 'postroomApi'
  displayName = 'Postroom API'
  icon = { light: 'file:../../../features/console/icon.svg', dark: 'file:../nodes/Postroom/icon.dark.svg' } as const
  documentationUrl = 'https://www.npmjs.com/package/n8n-nodes-postroom'
  properties: INodeProperties[] = [
    {
      displayName: 'Base URL',
      name: 'baseUrl',
      type: 'string',
      required: true,
      default: 'http://localhost:3000',
      placeholder: 'e.g. https://postroom.example.com',
      description: 'The address of the server, without /api/v1',
    },
    {
      displayName: 'API Key',
      name: 'apiKey',
      type: 'string',
      typeOptions: { password: true },
      required: true,
      default: '',
      placeholder: 'pr_…',
      description: 'The trigger needs the scope webhooks:manage, and publishing needs posts:publish',
    },
  ]
  authenticate: IAuthenticateGeneric = {
    type: 'generic',
    properties: { headers: { authorization: '=Bearer {{$credentials.apiKey}}' } },
  }
  test: ICredentialTestRequest = { request: { baseURL: '={{$credentials.baseUrl}}', url: '/api/v1/key' } }
}
