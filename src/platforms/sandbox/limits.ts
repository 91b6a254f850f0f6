import { SANDBOX_FAULTS } from '../../../schemas/sandbox.ts'
import { QUERIED } from '../contract/guarantee.ts'
import type { Platform } from '../contract/limits.ts'
import type { Source } from '../contract/source.ts'
import { pinterest } from '../pinterest/limits.ts'
import { x } from '../x/limits.ts'
import { FAULT_CALLS } from './fault.ts'

// The faults are Postroom's own. Their statuses have the meaning that HTTP defines.
const statuses: Source = {
  url: 'https://www.rfc-editor.org/rfc/rfc9110#section-15',
  confidence: 'official',
  version: 'June 2022',
  seenAt: '2026-11-22',
}

/** A simulated network for integrators and tests. It has the limits of a real network, X. */
export const sandbox: Platform = {
  id: 'sandbox',
  name: 'Sandbox',
  caption: x.caption,
  firstComment: x.firstComment!,
  thread: x.thread!,
  // It takes them for videos too.
  altTexts: { ...x.altTexts, video: x.altTexts.image! },
  postTypes: x.postTypes,
  fields: {
    altText: x.fields.altText!,
    boardId: {
      type: 'string',
      param: 'boardId',
      description: 'optional, and any text is accepted; `listFieldOptions` returns two boards, like those of Pinterest',
      source: pinterest.fields.boardId!.source,
    },
    boardSectionId: {
      type: 'string',
      param: 'boardSectionId',
      description: 'any text is accepted; `listFieldOptions` returns the sections of a board',
      source: pinterest.fields.boardSectionId!.source,
    },
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
      // The longest thread has 25 parts, followed by ten comments.
      max: 35,
      param: 'faultAct',
      default: 1,
      description:
        'the act that fails: 1 is the post or the first part of a thread, then the other parts, then the first comment',
      source: statuses,
    },
    faultCall: {
      type: 'enum',
      values: FAULT_CALLS,
      param: 'faultCall',
      default: 'publish',
      description: 'the call that fails: the one that publishes the act, removes it or edits it',
      source: statuses,
    },
  },
  rateLimits: [],
  guarantees: [{ guarantee: 'reconcilable', ifAbsent: 'sent again', description: QUERIED, source: statuses }],
}
