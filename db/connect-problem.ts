/** An error of opening a connection that the operator can mend. */
export class ConnectProblem extends Error {
  /** The fault, and the advice to the operator. */
  readonly problem: string
  readonly mend: string

  constructor(problem: string, mend: string, cause: unknown) {
    super(`${problem}. ${mend}`, { cause })
    this.problem = problem
    this.mend = mend
  }
}
