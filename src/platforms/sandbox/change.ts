import { validate as isUuid } from 'uuid'
import type { OnNetwork } from '../contract/adapter.ts'
import type { Io } from '../contract/io.ts'
import type { SandboxStore } from '../contract/sandbox-store.ts'
import { callSandbox } from './call.ts'
import { clientFor } from './client.ts'
import { findFault } from './fault.ts'

/** Stores that a post was removed or edited. Its id is the token of these calls. */
export async function change(
  kind: 'remove' | 'edit',
  text: string,
  { id, accountId, fields }: OnNetwork,
  io: Io,
  store: SandboxStore,
): Promise<void> {
  const network = clientFor(io)
  // The sandbox gave out no such id.
  if (!isUuid(id)) return
  const number = await store.numberOf(id)
  const fault = await findFault(kind, { token: id, number, fields }, store)
  const received = { accountId, token: id, fault, kind, text, fields, media: [], parentId: id, number }
  await callSandbox(received, network, io, store)
}
