import type { SandboxCall, SandboxFault } from '../../../schemas/sandbox.ts'

/** A call as it is stored. */
export interface ReceivedCall extends Omit<SandboxCall, 'id' | 'receivedAt'> {
  token: string
  /**
   * The number of the act: 1 is the post or the first part of the thread, then its other parts, then the first comment.
   */
  number: number
}

/** The store of every call to the sandbox, including a second one for the same act. */
export interface SandboxStore {
  /** Returns the id of the call. */
  keep(received: ReceivedCall): Promise<string>
  /** Number of calls for the act that had this fault. */
  countFaults(act: { token: string; fault: SandboxFault }): Promise<number>
  /** The number of the act that a call was for; 0 for an unknown call. */
  numberOf(id: string): Promise<number>
  /** The newest accepted call for the act. */
  findAccepted(act: { token: string }): Promise<{ id: string; fault: SandboxFault | null } | undefined>
}
