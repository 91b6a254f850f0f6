/** Sentences of the calendar, its views and its drafts. */
export const calendar = {
  calendar: 'Calendar',
  today: 'Today',
  view: 'View',
  views: { month: 'Month', week: 'Week', list: 'List' },
  allPosts: 'All posts',
  select: 'Select',
  newPost: 'New post',
  newPostOn: 'New post on {time}',
  nothing: 'Nothing is scheduled here.',
  nothingYet: 'Nothing is scheduled here. {link}, or click a free day.',
  compose: 'Compose a post',
  day: { one: '{day}, {count} post', other: '{day}, {count} posts' },
  fewer: 'Fewer',
  more: { one: '{count} more', other: '{count} more' },
  shareOf: '{count} of {total}',
  night: 'Hours of the night',
  fold: 'Fold the night',
  unfold: 'Unfold the night',
  filters: {
    words: 'Words or reference',
    search: 'Search posts',
    network: 'Network',
    networks: 'All networks',
    state: 'State',
    states: 'All states',
  },
  list: {
    order: 'Order',
    latest: 'All, latest first',
    next: 'From now on, next first',
    none: 'No post meets the filters. A post without a time is among the drafts.',
  },
  drafts: {
    title: 'Drafts',
    drop: 'Drop a post here to take it back.',
    none: 'No drafts.',
    noneYet: 'No drafts. A post without a time is one.',
    more: 'More drafts',
  },
  moves: {
    changed: 'the post has changed meanwhile, look at it again',
    past: '{time} has passed. To publish the post now, open it.',
    failed: 'Not moved: {reason}',
    moved: 'Moved to {time}.',
    scheduled: 'Scheduled for {time}.',
    withdrawn: 'Taken back to the drafts.',
    cancelled: 'it is cancelled for {accounts}, which would get it again. Open it in the composer.',
    noTime: 'a draft has no time',
    published: 'it is published',
  },
  bulk: {
    title: 'Selected posts',
    selected: { one: '{count} selected', other: '{count} selected' },
    selectShown: 'Select all shown',
    selectPost: 'Select: {text}',
    shift: 'Shift',
    shiftHelp: 'Each post keeps its time of the day. Drafts and published posts stay as they are.',
    days: 'Days, less than 0 for earlier',
    moveTo: 'Move to a day',
    moveHelp: 'Each post keeps its time of the day. Drafts get one, and are scheduled.',
    day: 'Day',
    retryHelp: {
      one: 'What is missing of {count} of the posts is sent within seconds, to each account where it has failed or was missed.',
      other:
        'What is missing of {count} of the posts is sent within seconds, to each account where it has failed or was missed.',
    },
    deleteHelp: {
      one: '{count} post is deleted, and nothing of it is published. This cannot be undone. Published posts stay.',
      other:
        '{count} posts are deleted, and nothing of them is published. This cannot be undone. Published posts stay.',
    },
    done: 'Done',
  },
  /** The result of a change of several posts: of all, or of `{done}` of them. */
  results: {
    shifted: {
      all: { one: 'Shifted {count} post.', other: 'Shifted {count} posts.' },
      some: {
        one: 'Shifted {done} of {count} post. The others are as they were:',
        other: 'Shifted {done} of {count} posts. The others are as they were:',
      },
    },
    moved: {
      all: { one: 'Moved {count} post.', other: 'Moved {count} posts.' },
      some: {
        one: 'Moved {done} of {count} post. The others are as they were:',
        other: 'Moved {done} of {count} posts. The others are as they were:',
      },
    },
    movedBack: {
      all: { one: 'Moved back {count} post.', other: 'Moved back {count} posts.' },
      some: {
        one: 'Moved back {done} of {count} post. The others are as they were:',
        other: 'Moved back {done} of {count} posts. The others are as they were:',
      },
    },
    retried: {
      all: { one: 'Retried {count} post.', other: 'Retried {count} posts.' },
      some: {
        one: 'Retried {done} of {count} post. The others are as they were:',
        other: 'Retried {done} of {count} posts. The others are as they were:',
      },
    },
    deleted: {
      all: { one: 'Deleted {count} post.', other: 'Deleted {count} posts.' },
      some: {
        one: 'Deleted {done} of {count} post. The others are as they were:',
        other: 'Deleted {done} of {count} posts. The others are as they were:',
      },
    },
  },
} as const
