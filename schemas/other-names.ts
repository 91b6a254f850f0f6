interface OtherNames {
  /** Names that other APIs have, in lower case, without what separates words. */
  names: readonly string[]
  /** The names of this API for the same purpose. A list may have some of them, or none. */
  ours: readonly string[]
  /** The reason why a list has none of them. Absent for names in bodies. */
  lack?: string
}

/**
 * Parameters of lists of other APIs, and names in bodies of their posts. A list that ignored one would return something
 * else than was asked for.
 */
const OTHER_NAMES: readonly OtherNames[] = [
  {
    names:
      'page pagenumber pageno pagetoken nexttoken nextpage skip startindex startingafter endingbefore after sinceid maxid'.split(
        ' ',
      ),
    ours: ['cursor', 'offset'],
    lack: 'the list has no pages, and returns everything',
  },
  {
    names: 'perpage pagesize pagelimit size count max maxresults maxitems first last take top rows'.split(' '),
    ours: ['limit'],
    lack: 'the list has no pages, and returns everything',
  },
  {
    names: ['from', 'since', 'start', 'date', 'startdate', 'starttime', 'datefrom', 'fromdate', 'mindate'],
    ours: ['scheduledFrom', 'createdFrom', 'updatedFrom'],
    lack: 'the list has no filter on a time',
  },
  {
    names: ['to', 'until', 'before', 'end', 'enddate', 'endtime', 'dateto', 'todate', 'maxdate'],
    ours: ['scheduledBefore', 'createdBefore', 'updatedBefore'],
    lack: 'the list has no filter on a time',
  },
  { names: ['q', 'search', 'query', 'keyword', 'term'], ours: ['q'], lack: 'the list cannot be searched' },
  { names: ['sort', 'sortby', 'orderby', 'ordering'], ours: ['sort'], lack: 'the list has one order' },
  {
    names: ['order', 'direction', 'dir', 'sortorder', 'sortdirection'],
    ours: ['order'],
    lack: 'the list has one order',
  },
  {
    names: ['status', 'statuses', 'statusin', 'state', 'states', 'statein'],
    ours: ['status', 'state', 'attention'],
    lack: 'the list has no filter on a state',
  },
  {
    names: ['platform', 'platforms', 'platformin', 'network', 'networks', 'provider', 'socialnetwork'],
    ours: ['platform'],
    lack: 'the list has no filter on a network',
  },
  {
    names: ['account', 'accounts', 'accountid', 'accountids', 'profile', 'profileid', 'profileids', 'channelid'],
    ours: ['accountId', 'accountIds'],
    lack: 'the list has no filter on an account',
  },
  {
    names: ['organization', 'organizationid', 'org', 'orgid', 'workspaceid', 'teamid'],
    ours: ['organizationId'],
    lack: 'the list has no filter on an organisation',
  },
  { names: ['type', 'posttype'], ours: ['postType'], lack: 'the list has no filter on a type' },
  { names: ['caption', 'text', 'content', 'message', 'body'], ours: ['caption', 'captionOverride'] },
  { names: ['media', 'mediaurls', 'images', 'videos', 'files', 'attachments', 'assets'], ours: ['mediaIds'] },
  {
    names: ['publishat', 'postat', 'sendat', 'dueat', 'scheduledate', 'scheduledfor', 'scheduledtime', 'publishdate'],
    ours: ['scheduledAt'],
  },
  { names: ['overrides', 'platformoverrides', 'platformoptions', 'customizations'], ours: ['accountOverrides'] },
  { names: ['channels', 'channelids', 'integrations', 'socialaccounts', 'socialaccountids'], ours: ['accountIds'] },
  { names: ['thread', 'threads', 'parts', 'tweets'], ours: ['threadParts'] },
  { names: ['comment', 'firstreply'], ours: ['firstComment'] },
]

/** The row of a name as a client writes it: `per_page`, `perPage` and `per-page` are one. */
export function findOtherName(name: string): OtherNames | undefined {
  const plain = name.toLowerCase().replace(/[_-]|\[\]$/g, '')
  return OTHER_NAMES.find(({ names }) => names.includes(plain))
}

/** Some of the names, for descriptions. */
export const OTHER_NAME_SAMPLES = OTHER_NAMES.flatMap(({ names, lack }) => (lack ? names.slice(0, 2) : []))
  .map((name) => `\`${name}\``)
  .join(', ')
