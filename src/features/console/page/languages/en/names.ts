import type {
  DeliveryMetrics,
  DeliveryState,
  Event,
  MediaKind,
  PostType,
  WebhookDeliveryState,
} from '../../../../../clients/sdk/index.ts'

type Reason = DeliveryMetrics['unavailable'][number]['reason']

/** Words for names of the API. */
export const names = {
  states: {
    unconfirmed: {
      word: 'Unconfirmed',
      title: 'Unconfirmed post',
      meaning: 'The response was lost: the network may have it. Look there, then say whether it was published.',
    },
    failed: {
      word: 'Failed',
      title: 'Failed post',
      meaning: 'The network does not have it. Mend the cause, then retry.',
    },
    missed: {
      word: 'Missed',
      title: 'Missed post',
      meaning: 'It could not be sent in time. Retry it if it is still wanted.',
    },
    remove_failed: {
      word: 'Not removed',
      title: 'Published post',
      meaning: 'It is still there. Mend the cause, then take it down.',
    },
    publishing: { word: 'Publishing', title: 'Publishing post', meaning: 'It is being sent.' },
    removing: { word: 'Removing', title: 'Published post', meaning: 'It is being taken down.' },
    queued: { word: 'Scheduled', title: 'Scheduled post', meaning: 'It is sent at its time.' },
    waiting: {
      word: 'Draft',
      title: 'Draft',
      meaning: 'Nothing is sent before somebody schedules or publishes the post.',
    },
    cancelled: { word: 'Cancelled', title: 'Cancelled post', meaning: 'It was withdrawn before it was sent.' },
    published: { word: 'Published', title: 'Published post', meaning: 'The network has it.' },
    removed: {
      word: 'Removed',
      title: 'Removed post',
      meaning: 'It was taken down, and is no longer on the network.',
    },
  },
  partlyPublished: 'Partly published post',
  outcomes: {
    published: 'the network accepted it',
    failed: 'the network did not accept it',
    unknown: 'the response was lost',
    found: 'the network has it, as it said later',
    absent: 'the network does not have it, as it said later',
    said_published: 'somebody said that it was published',
    said_not_published: 'somebody said that it was not published',
  },
  postTypes: {
    post: 'post',
    carousel: 'carousel',
    reel: 'reel',
    story: 'story',
    short: 'short',
    video: 'video',
    thread: 'thread',
  },
  kinds: { image: 'image', gif: 'gif', video: 'video', document: 'document' },
  metrics: {
    likes: 'likes',
    comments: 'comments',
    reposts: 'reposts',
    quotes: 'quotes',
    shares: 'shares',
    saves: 'saves',
    views: 'views',
    reach: 'reach',
    clicks: 'clicks',
    score: 'score',
  },
  reasons: {
    not_offered: 'the network does not tell',
    scope_missing: 'the account has to be connected again for it',
    too_old: 'the post is too old',
    not_public: 'the network does not show it',
    costs: 'it would cost money',
    not_read: 'not read yet',
    retired: 'the network does not tell it any more',
    network_error: 'the network could not tell',
    gone: 'the post is gone',
    not_published: 'nothing of it is published',
    no_id: 'its ID on the network is not known',
    not_connected: 'the account is not connected',
    metrics_off: 'this service does not read them',
  },
  events: {
    'post.created': 'Post created',
    'post.updated': 'Post updated',
    'post.deleted': 'Post deleted',
    'post.settled': 'Post settled',
    'delivery.published': 'Delivery published',
    'delivery.failed': 'Delivery failed',
    'delivery.missed': 'Delivery missed',
    'delivery.unconfirmed': 'Delivery unconfirmed',
    'delivery.resolved': 'Delivery resolved',
    'delivery.retried': 'Delivery retried',
    'delivery.cancelled': 'Delivery cancelled',
    'delivery.edited': 'Delivery edited',
    'delivery.edit_failed': 'Delivery edit failed',
    'delivery.removed': 'Delivery removed',
    'delivery.remove_failed': 'Delivery remove failed',
    'delivery.gone': 'Delivery gone',
    'account.connected': 'Account connected',
    'account.disconnected': 'Account disconnected',
    'account.expiring': 'Account expiring',
    'account.reconnect_required': 'Account reconnect required',
    'account.updated': 'Account updated',
    'key.created': 'Key created',
    'key.expiring': 'Key expiring',
    'key.revoked': 'Key revoked',
    'key.rotated': 'Key rotated',
    'metrics.updated': 'Metrics updated',
    'webhook.disabled': 'Webhook disabled',
    'webhook.failing': 'Webhook failing',
    'webhook.test': 'Webhook test',
  },
  webhookStates: { pending: 'pending', delivered: 'delivered', failed: 'failed' },
} as const satisfies {
  states: Record<DeliveryState, object>
  postTypes: Record<PostType, string>
  kinds: Record<MediaKind, string>
  metrics: Record<keyof DeliveryMetrics['values'], string>
  reasons: Record<Reason, string>
  events: Partial<Record<Event['type'], string>>
  webhookStates: Record<WebhookDeliveryState, string>
  [other: string]: string | object
}
