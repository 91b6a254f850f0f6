import { type Static, Type } from '@sinclair/typebox'
import { errorResponse } from './error.ts'
import { errorOf } from './errors.ts'
import { PlatformId } from './platform.ts'
import { PLATFORM_IDS } from './platform-ids.ts'
import { ListedText, Ref, StringEnum } from './shared.ts'

/** Visible ASCII characters, which an address or a header can carry. */
export const APP_WORD = '^[!-~]{1,512}$'

export const PutApp = Type.Object(
  {
    clientId: Type.String({
      pattern: APP_WORD,
      description: 'The client id that the network shows for the app: 1 to 512 visible ASCII characters.',
    }),
    clientSecret: Type.Optional(
      Type.String({
        pattern: APP_WORD,
        description:
          'The client secret of the app: 1 to 512 visible ASCII characters. It is stored encrypted and never shown. Leave it out for an app that has none.',
      }),
    ),
    scopes: Type.Optional(
      Type.Array(Type.String({ pattern: APP_WORD }), {
        minItems: 1,
        description:
          'The scopes to ask users for, in the words of the network, where the app may not ask for all that Postroom uses. Default: those of `listApps`.',
      }),
    ),
    organizationId: Type.Optional(
      Type.String({
        description:
          'The id of an organisation that you administer. Its connections then use the app. Without it, your own connections use the app.',
      }),
    ),
  },
  {
    $id: 'PutApp',
    additionalProperties: false,
    description: 'An app that you have registered with a network.',
    examples: [
      { clientId: 'rG9n6402A3dbUJKzXTNX4oWHJ', clientSecret: 'a-secret-of-the-network' },
      { clientId: '86vhj2q7ukf83q', clientSecret: 'another-secret', scopes: ['openid', 'profile', 'w_member_social'] },
    ],
  },
)
export type PutApp = Static<typeof PutApp>

const APP_SOURCES = ['none', 'deployment', 'user', 'organization'] as const

export const App = Type.Object(
  {
    platform: Ref(PlatformId),
    source: StringEnum(APP_SOURCES, {
      description:
        'Where the app is from. `deployment`: the operator has configured it for everybody. `user`: you have stored it. `organization`: an admin of the organisation has stored it. `none`: there is no app yet, and the network cannot be connected.',
    }),
    organizationId: Type.Optional(Type.String({ description: 'With `organization` only.' })),
    clientId: Type.Optional(Type.String({ description: 'The client id. Absent for `none`.' })),
    scopes: Type.Array(Type.String(), { description: 'The scopes that users are asked for.' }),
    redirectUri: Type.String({ description: 'The redirect URI to register with the network, exactly as it is.' }),
  },
  {
    $id: 'App',
    description: 'An app that accounts of a network are connected with. No response contains its secret.',
    examples: [
      {
        platform: 'x',
        source: 'user',
        clientId: 'rG9n6402A3dbUJKzXTNX4oWHJ',
        scopes: ['tweet.read', 'tweet.write', 'users.read', 'media.write', 'offline.access'],
        redirectUri: 'https://postroom.example.com/connect/callback',
      },
    ],
  },
)
export type App = Static<typeof App>

export const AppList = Type.Object(
  {
    data: Type.Array(Ref(App), { description: 'All apps, network by network, and `none` for a network without one.' }),
  },
  { $id: 'AppList', description: 'The apps of your connections.', examples: [{ data: App.examples }] },
)
export type AppList = Static<typeof AppList>

export const AppPath = Type.Object({
  platform: ListedText(PLATFORM_IDS, { description: 'The network, such as `x`.', examples: ['x'] }),
})

export const AppQuery = Type.Object({
  organizationId: Type.Optional(
    Type.String({
      description: 'The id of the organisation whose app is deleted. Without it, your own app is deleted.',
    }),
  ),
})
export type AppQuery = Static<typeof AppQuery>

export const noAccessResponse = errorResponse(
  'You do not belong to this organisation, or it does not exist, or you are not one of its admins.',
  [errorOf('no_access', 'organizationId', '0196f0c4-9a3d-7b15-8e20-5d7f41a6c893'), 'not_organization_admin.apps'],
)
