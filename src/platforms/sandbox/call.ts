import type { SandboxFault } from '../../../schemas/sandbox.ts'
import type { Io } from '../contract/io.ts'
import type { ReceivedCall, SandboxStore } from '../contract/sandbox-store.ts'
import { ID, object } from '../wire/answer.ts'
import { callNetwork, type NetworkRules } from '../wire/call-network.ts'
import { HOST } from './client.ts'

interface Behaviour {
  accepted: boolean
  /** Absent if no response comes. */
  status?: number
  headers?: Record<string, string>
}

const WORKING: Behaviour = { accepted: true, status: 201 }

const FAULTS: Record<SandboxFault, Behaviour> = {
  rate_limited: { accepted: false, status: 429, headers: { 'retry-after': '5' } },
  server_error: { accepted: false, status: 500 },
  server_error_after: { accepted: true, status: 500 },
  timeout_after: { accepted: true },
  unknown: { accepted: true },
  expired_token: { accepted: false, status: 401 },
  content_refused: { accepted: false, status: 422 },
  slow_media: WORKING,
}

/** Stores a call, and responds to it as its fault demands. Returns the body of the response. */
export async function callSandbox(
  received: Omit<ReceivedCall, 'accepted'>,
  network: NetworkRules,
  { signal }: Pick<Io, 'signal'>,
  store: SandboxStore,
): Promise<unknown> {
  const { fault } = received
  const { accepted, status, headers } = fault ? FAULTS[fault] : WORKING
  const respond = async () => {
    signal.throwIfAborted()
    const id = await store.keep({ ...received, accepted })
    // The call fails without a delay: waiting for the timeout would show nothing more.
    if (!status) throw new DOMException('No response', 'TimeoutError')
    return Response.json({ id, error: `fields.fault is ${fault}` }, { status, ...(headers && { headers }) })
  }
  // Through callNetwork, so that faults have the same meaning as on every network.
  const options = { method: 'POST' as const, visible: true, answer: object({ id: ID }) }
  return (await callNetwork(network, { fetch: respond, signal }, `https://${HOST}/posts`, options)).body
}
