import { SANDBOX_FAULTS } from '../../../schemas/sandbox.ts'
import type { Platform, Source } from '../limits.ts'
import { x } from '../x/limits.ts'

// The keys of the faults are our own; what they are answered with means what HTTP says.
const statuses: Source = {
  url: 'https://www.rfc-editor.org/rfc/rfc9110#section-15',
  confidence: 'official',
  version: 'June 2022',
}

/** A network for integrators and tests: with X's limits, so that what it takes is nothing unusual. */
export const sandbox: Platform = {
  id: 'sandbox',
  name: 'Sandbox',
  caption: x.caption,
  firstComment: x.firstComment!,
  thread: x.thread!,
  postTypes: x.postTypes,
  fields: {
    altText: x.fields.altText!,
    fault: {
      type: 'enum',
      values: SANDBOX_FAULTS,
      param: 'fault',
      description: 'the failure to simulate; the schema `SandboxFault` describes each',
      source: statuses,
    },
    faultTimes: {
      type: 'integer',
      min: 1,
      max: 1000,
      param: 'faultTimes',
      default: 1,
      description: 'how many calls for the act fail before one succeeds; with `slow_media`, every call is slow',
      source: statuses,
    },
    faultAct: {
      type: 'integer',
      min: 1,
      // The parts of the longest thread, and a comment.
      max: 26,
      param: 'faultAct',
      default: 1,
      description:
        'the act that fails: 1 is the post or the first part of a thread, then the other parts, then the first comment',
      source: statuses,
    },
  },
  rateLimits: [],
}
