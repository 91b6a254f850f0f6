import type { ErrorCode, PostWarning } from '../../../../../clients/sdk/index.ts'

type Words = readonly [happened: string, todo: string]

/** Errors and warnings, by their codes. */
export const problems = {
  /** Errors of the service: what has happened, and what to do. */
  codes: {
    missing_api_key: ['The key is not valid', 'Use another one.'],
    invalid_api_key: ['The key is not valid', 'Use another one.'],
    expired_api_key: ['The key is not valid any more', 'Use another one.'],
    insufficient_scope: ['The key does not allow this', 'Use one with more rights.'],
    account_list: ['The key is for some accounts alone', 'Use one for all accounts.'],
    idempotency_key_reused: [
      'An earlier text of this post is stored already',
      'Look at it, or make this one another post.',
    ],
    precondition_failed: ['The post has changed meanwhile', 'Go back to see it. What you have typed stays.'],
    post_not_found: ['There is no such post any more', 'Look for it in the calendar.'],
    post_published: ['The post is published already', 'Retry the accounts that lack it.'],
    post_cancelled: ['The post is cancelled for all its accounts', 'Retry it for those that are to get it.'],
    time_in_past: ['The time has passed', 'To publish the post now, open it.'],
    post_busy: ['The post is being sent at the moment', 'Wait until it is published or has failed.'],
    post_is_draft: ['The post is a draft', 'Schedule it or publish it first.'],
    delivery_not_due: ['Its time has not come yet', 'Publish the post to send it now.'],
    delivery_in_progress: ['It is being sent at the moment', 'Look again in half a minute.'],
    delivery_unconfirmed: ['It may have been published', 'Look on the network, then say whether it is there.'],
    delivery_not_unconfirmed: ['Its outcome is known already', 'Go back to see it.'],
    delivery_not_queued: ['It is not going to be sent', 'Go back to see its state.'],
    delivery_removed: ['It was taken down, or is about to be', 'Compose a new post to publish it again.'],
    media_in_use: ['A post that is still to be published uses the file', 'Take the file out of the post first.'],
    media_used_elsewhere: ['Other accounts use the file too', 'Use a key for all accounts.'],
    media_in_too_many_posts: ['Too many posts use the file', 'Change it when fewer of them are still to be published.'],
    media_not_found: ['There is no such file any more', 'Look for it in the library.'],
    account_not_found: ['There is no such account any more', 'Connect it again.'],
    schedule_not_found: ['The account has no slots', 'Add some on the page of the accounts.'],
    queue_without_slots: [
      'An account of the post has no slots',
      'Add some on the page of the accounts, or choose a time.',
    ],
    queue_full: ['No slot is free', 'Add some on the page of the accounts, or choose a time.'],
  },
  /** The meaning of an error of a delivery for the owner of a post, and its remedy. */
  deliveries: {
    rate_limited: ['The network asks for a pause', 'It is sent again by itself.'],
    reconnect_required: ['The access to the account has ended', 'Connect the account again, then retry.'],
    unauthorized: ['The network does not accept the access to the account', 'Connect the account again, then retry.'],
    content_refused: ['The network does not take this content', 'Correct the post, then retry.'],
    unreachable: ['The network could not be reached', 'Nothing was sent. Retry when it is back.'],
    timeout: ['The network did not answer in time', 'Look there whether the post is out.'],
    disconnected: ['The connection to the network broke', 'Look there whether the post is out.'],
    server_error: ['The network had a failure', 'Retry later.'],
    unexpected_answer: ['The answer of the network was not understood', 'Look there whether the post is out.'],
    app_restricted: [
      'The network restricts this service',
      'Its operator has to act. Posts wait, and go out by themselves afterwards.',
    ],
    account_restricted: [
      'The network restricts the account',
      'Act on the network as it asks. It is tried again for some hours.',
    ],
    inbox_full: ['The account has too many unfinished drafts on the network', 'Finish or delete some of them there.'],
    media_unreadable: ['A file of the post could not be read', 'Replace the file, then retry.'],
    media_unconvertible: ['A video could not be made to fit', 'Replace the video, then retry.'],
    storage_unavailable: ['The files of the service could not be reached', 'Retry later.'],
    public_url_missing: [
      'The network cannot fetch files from this service',
      'Its operator has to give the service a public address.',
    ],
    database_unavailable: ['The service had a failure', 'Retry later.'],
    media_deleted: ['A file of the post was deleted', 'Use the post again, with another file.'],
    not_connected: ['The account is not connected', 'Connect it, then retry.'],
    no_access: ['The account is not yours any more', 'Connect it again, and compose a new post.'],
    credentials_unreadable: ['The service cannot read the access to the account', 'Its operator has to act.'],
    interrupted: ['The service stopped while it was being sent', 'Look on the network whether the post is out.'],
    unknown_outcome: ['The network does not tell whether it has the post', 'Look there, then say whether it is out.'],
    late_call: ['An earlier call to the network may still arrive', 'It goes on by itself.'],
    not_published: ['Somebody said that it is not there', 'Retry it if it is still wanted.'],
    parent_unknown: [
      'The rest cannot be sent, because the part before it is not known',
      'Publish the rest by hand, or take the post down and send it again.',
    ],
    cancelled: ['Somebody cancelled it', 'Retry it if it is still wanted.'],
    too_late: ['It was due for too long', 'Retry it if it is still wanted.'],
    held: ['The operator of the service holds it back', 'Ask the operator.'],
    restored: ['The service was restored from a backup', 'Look on the network, then retry it if it is missing.'],
    budget_used_up: ['The budget does not cover its price', 'Raise the budget or wait for the next month, then retry.'],
    internal_error: [
      'The service had an unexpected failure',
      'Retry later. Give the operator the details if it stays.',
    ],
  },
  /** Why the owner of an account has to act. */
  attention: {
    not_connected: 'The account has no credentials. Connect it, or publish by hand.',
    paused: 'The account is paused. Its posts wait until it is resumed.',
    unauthorized: 'The network does not accept the access to the account. Connect it again.',
    reconnect_required: 'The access to the account has ended. Connect it again.',
    refresh_failed:
      'The access to the account has ended and could not be renewed yet, which is tried again. Connect it again if this lasts.',
    app_missing:
      'The app that the account was connected with is not set up any more. The operator has to put it back, or the account is connected again.',
    scopes_missing: 'The network allows less than publishing needs. Connect the account again.',
    expiring: 'The access to the account ends soon, and cannot be renewed. Connect it again before.',
    app_not_approved: 'The network has not approved the app of this service yet. Its operator has to get the approval.',
    account_restricted: 'The network restricts the account. Act there as it asks.',
    app_restricted: 'The network restricts this service. Its operator has to act, and posts wait.',
    credentials_unreadable: 'The service cannot read the access to the account. Its operator has to act.',
  },
  /** Warnings, where those of the API name ids and properties. */
  warnings: {
    unused_thread_parts: 'It is no thread, so its further parts are kept and not published.',
    unknown_field: 'The network does not know an option, which has no effect.',
    unused_field: 'An option has no effect in this post.',
    unused_alt_text: 'The network does not take the description of a file, and gets the file without it.',
    omitted_suffix: 'The text goes out without the signature of the account, which would make it too long.',
    altered_text: 'The network leaves out a part of the text, such as a link or some formatting.',
    text_cut: 'The network cuts off the end of a text, which is too long.',
    may_be_refused: 'The network may refuse this, although it keeps to the limits that it states.',
    past_time: 'Its time has passed. It goes out as soon as it is stored.',
    removed_time_zone: 'It has no time zone any more, because its new time has an offset.',
    account_attention: 'Nothing can be published to the account at the moment. Its owner has to act.',
    repeated_text: 'The same text is due, or was published, within a week of this post.',
    close_posts: 'Another post is due, or was published, shortly before or after this one.',
    daily_limit: 'The account has about as many posts within a day as its network allows.',
  },
  /** Warnings that are about one of several options, which is named. */
  named: {
    unknown_field: '{name}: the network does not know an option, which has no effect.',
    unused_field: '{name}: an option has no effect in this post.',
  },
  openPost: 'Open that post',
  sentence: '{happened}. {todo}',
  unreachable: 'The service cannot be reached',
  failed: 'This did not work',
  tooMany: 'Too many requests at the moment',
  busy: 'The service cannot answer at the moment',
  invalid: 'Something that was typed is not right',
  skipped: 'The clocks skip this time on that day: choose another one',
  twice: 'The clocks show this time twice on that day: choose another hour',
  place: '{name} {number}',
  isRetried: { one: 'This is tried again in {count} second.', other: 'This is tried again in {count} seconds.' },
  wait: { one: 'Try again in {count} second.', other: 'Try again in {count} seconds.' },
  again: 'Try again',
  details: 'Details',
  request: 'Request {id}',
  connectionLost: 'The connection was lost',
} as const satisfies {
  codes: Partial<Record<ErrorCode, Words>>
  deliveries: Record<string, Words>
  warnings: Record<PostWarning['code'], string>
  [other: string]: string | object
}
