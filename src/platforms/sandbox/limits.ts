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
      description:
        'what goes wrong: `rate_limited` is a 429 with `Retry-After: 5`, `server_error` a 500, `server_error_after` a 500 although the post is there, `timeout_after` no answer although it is, `unknown` the same, and the sandbox cannot say later whether it is (the delivery becomes `unconfirmed`), `expired_token` a 401, `content_refused` a 422; `slow_media` takes 5 s for each file before it posts',
      source: statuses,
    },
    faultTimes: {
      type: 'integer',
      min: 1,
      max: 1000,
      param: 'faultTimes',
      default: 1,
      description: 'how many calls for the act go wrong before one works; with `slow_media`, all are slow',
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
        'which act goes wrong: 1 is the post, or the first part of a thread; the other parts follow, then the first comment',
      source: statuses,
    },
  },
  rateLimits: [],
}
