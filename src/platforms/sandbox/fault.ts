import type { SandboxFault } from '../../../schemas/sandbox.ts'
import type { SandboxStore } from '../contract/sandbox-store.ts'

/** The calls that can fail, as values of `fields.faultCall`. */
export const FAULT_CALLS = ['publish', 'remove', 'edit'] as const
type FaultCall = (typeof FAULT_CALLS)[number]

interface Faults {
  fault?: SandboxFault
  faultTimes?: number
  faultAct?: number
  faultCall?: FaultCall
}

/** The fault that a call gets; null if it works. Calls with the same token are for the same act. */
export async function findFault(
  call: FaultCall,
  act: { token: string; number: number; fields: Readonly<Record<string, unknown>> },
  store: SandboxStore,
): Promise<SandboxFault | null> {
  const { token, number } = act
  const { fault, faultTimes = 1, faultAct = 1, faultCall = 'publish' } = act.fields as Faults
  if (!fault || number !== faultAct || call !== faultCall) return null
  if (fault === 'slow_media') return fault
  return (await store.countFaults({ token, fault })) < faultTimes ? fault : null
}
