/** An error of opening a connection that the operator can mend. */
export class ConnectProblem extends Error {
  /** What is wrong, and what to do about it. */
  readonly problem: string
  readonly mend: string

  constructor(problem: string, mend: string, cause: unknown) {
    super(`${problem}. ${mend}`, { cause })
    this.problem = problem
    this.mend = mend
  }
}
