import { type Static, Type } from '@sinclair/typebox'

export const AccountServer = Type.Object(
  {
    host: Type.String({ description: 'The host of the server.' }),
    software: Type.String({ description: 'The name of its software. `unknown software` if it does not say.' }),
    version: Type.String({ description: 'The version of its software. Empty if it does not say.' }),
  },
  {
    $id: 'AccountServer',
    description: 'The server that an account lives on, on a network where each server has limits of its own.',
    examples: [{ host: 'social.example', software: 'GoToSocial', version: '0.20.0' }],
  },
)
export type AccountServer = Static<typeof AccountServer>

/**
 * The limits of one account that its network, or its own server, states. Stored as JSON in the form of the network,
 * whose `limitsFor` reads it. It may have been stored by another version.
 */
export interface AccountFacts {
  readonly server?: AccountServer
  readonly [fact: string]: unknown
}
