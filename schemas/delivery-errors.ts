/** The codes of the errors of deliveries: what has happened, and what mends it. */
export const DELIVERY_ERRORS: Record<string, string> = {
  rate_limited: 'the network requires a pause.',
  reconnect_required: 'the access token has expired and cannot be refreshed. Connect the account again, then retry.',
  unauthorized: 'the network rejected the credentials. Connect the account again, then retry.',
  content_refused: 'the network rejected the content.',
  unreachable: 'the network could not be reached, so nothing was sent.',
  timeout: 'the response of the network was lost.',
  disconnected: 'the response of the network was lost.',
  server_error: 'the network failed.',
  unexpected_answer: 'the response of the network was not understood.',
  app_restricted:
    'the network restricts the app of this service until its operator does what the message says, such as having the app reviewed. If `retryable`, the post waits, as all posts to accounts of the app do.',
  account_restricted:
    'the network restricts the account, whose owner has to act on the network. The delivery is tried again for some hours.',
  inbox_full:
    'the account has as many unfinished drafts as the network accepts. The delivery is tried again every few hours.',
  media_unreadable: 'a file of the post could not be read.',
  media_unconvertible: 'a video of the post could not be made to fit by `mediaFit`. Replace the file, then retry.',
  storage_unavailable: 'the storage of files was not available.',
  public_url_missing:
    'the network fetches files from this service, which has no public address: its operator has to set `PUBLIC_URL`.',
  database_unavailable: 'the database of this service was not available or full.',
  media_deleted: 'a file of the post was deleted. The delivery cannot be retried.',
  not_connected: 'the account has no credentials.',
  no_access: 'the account was disconnected, or you can no longer post to it.',
  credentials_unreadable: 'the service lacks the key of the credentials.',
  interrupted: 'a worker stopped or was suspended before or during the call.',
  unknown_outcome: 'the network does not tell whether it accepted the post.',
  late_call:
    'at a removal: the response to an earlier call was lost, and the call may still arrive, or has arrived after the removal. The removal goes on by itself.',
  not_published: 'the owner resolved the delivery as not published.',
  parent_unknown: 'the next part or the first comment cannot be sent, because the id of the act before it is unknown.',
  cancelled: 'the owner cancelled the delivery.',
  too_late: 'the delivery was due for longer than the service allows.',
  held: 'the operator of the service holds the delivery back.',
  restored:
    'the delivery was due before the database of the service was restored from a backup, and was not sent. At an edit: it was made after the backup.',
  budget_used_up:
    'the budget of the account, or of the key that scheduled the post or requested its removal or edit, does not cover the price of the next act. Nothing was sent. Raise the budget, or wait for the next month, then retry. At a reading of numbers: the budget of the account does not cover it.',
  internal_error: 'an unexpected failure of this service.',
}
