import { ERRORS, HORIZON_DAYS, QUEUE_MOVES_MAX } from './errors.ts'
import { EVENTS } from './event.ts'
import { REFRESH_PAUSE_SECONDS } from './metrics.ts'
import { ROLES } from './people.ts'
import { SCOPES } from './scopes.ts'

/*
 * The texts of the OpenAPI document that belong to no single operation. Swagger UI shows them as Markdown and keeps
 * line breaks, so that a paragraph stands on one line.
 */

export const SUMMARY = 'Write a post once for many social accounts.'

/** A paragraph that says what the service does. */
export const OVERVIEW = `One request stores a post for any number of accounts, as a draft or with a time. Each account can have its own caption. When the time comes, the service publishes the post once on each account. \`getPost\` shows the result.`

const START = `## Start

1. The operator of the service creates an API key for you. On this page, press *Authorize* and paste it.
2. \`connectAccount\` connects an account on a network. \`{"platform": "sandbox", "credentials": {"username": "ada"}}\` connects one for tests.
3. \`listAccounts\` returns the ids of your accounts. \`createPost\` takes them as \`accountIds\`; \`validatePost\` checks the same body without storing it, and \`listPlatforms\` returns the limits of each network.
4. \`getPost\` shows the state, the address and the time of each publication.

You need not poll to learn the outcome of a post:

- **Webhooks** send each event to your URL, signed: \`createWebhook\`. See the tag *webhooks*.
- **Events** can be followed from a cursor that you store: \`listEvents\`. See the tag *events*.
- **Agents** use tools over MCP at \`POST /mcp\`. See *Agents* below.

A **user** owns posts, media and API keys. An **account** is one profile on one network. You can post to the accounts that you own and to those of the **organisations** that you belong to. You see and change only your own posts and media.`

const AUTHENTICATION = `## Authentication

Every request carries \`Authorization: Bearer pr_…\`. A key acts for one user. It is shown only when it is created; the service stores a hash of it. The operator creates the first key with \`postroom key create\`; a key with the scope \`keys:manage\` creates others. A revoked key is rejected within a second. The last six characters of a key are a checksum, so that a mistyped key is rejected without a database query. The key is checked before the body is read.

A key may be limited to some **scopes**, such as a key for an author or an agent that writes drafts, which somebody else schedules. Each operation says which scope it requires. Without it, the response is 403, and \`WWW-Authenticate\` names the scope. \`getCurrentKey\` shows what a key allows.

A key may also be limited to a list of **accounts**, such as those of one customer. It treats all others as the accounts of other users: they are not listed, a post for one of them is a 403, and posts that go to any of them do not exist for the key. It sees the files of the posts that it can see, and the files that keys for the same accounts have added. Operations that would reach further, such as connecting accounts, reject such keys (403).

| scope | allows to |
|---|---|
${Object.entries(SCOPES)
  .map(([scope, meaning]) => `| \`${scope}\` | ${meaning} |`)
  .join('\n')}`

const REQUESTS = `## Requests

- Bodies are JSON of at most 1 MiB in UTF-8, with at most 20,000 keys in all objects; \`uploadMedia\` takes a form. Values are not converted: \`"5"\` is not a number. A key that an operation does not know is rejected.
- An operation rejects unknown query parameters. Four operations ignore them: \`createPost\` and \`deletePost\`; \`listPosts\` and \`listAccounts\` unless the name is almost that of a filter, or one that other APIs have for paging and filters, such as \`page\`. A known parameter whose value is not UTF-8 is rejected. A body that is sent to an operation without one is ignored. A slash at the end of a path is ignored.
- **Ids** are opaque strings. Compare them exactly: upper and lower case differ.
- **Times** are RFC 3339. Responses use UTC with milliseconds. The time of a post may be a local time in a time zone: see \`timeZone\` of \`createPost\`.
- An unknown value is absent where its property is optional, and \`null\` where its schema allows \`null\`.
- New fields, operations and codes may be added without a new version of the path. Ignore what you do not know.`

const PAGING = `## Paging

\`listPosts\`, \`listMedia\`, \`listSandboxCalls\`, and the lists of keys, connected apps, users, organisations and members are pages, newest first. Send the \`nextCursor\` of a page as \`cursor\` to get the next page, until it is \`null\`. Every page takes the same time. Items that are created or deleted meanwhile do not shift the pages, even where the last item of the previous page was deleted. \`offset\` is for short lists: it takes longer the greater it is.

A page of \`listDeliveries\`, or of \`listPosts\` with filters, may be short or empty although more follows, because a request looks at a limited number of items. Read on until \`nextCursor\` is \`null\`. The cursor of such a page belongs to its filters and order. \`retryDeliveries\` has a cursor of this kind too.`

const ERROR_BODIES = `## Errors

The body of every error response is \`{"error": "…"}\`. Only \`createPosts\` adds \`rejected\`, with the posts that it rejects. Where the shape of the request is wrong, \`details\` lists up to 20 mistakes in the form of Zod 3 issues:

\`\`\`json
{
  "error": "Invalid request",
  "details": [
    { "code": "invalid_type", "expected": "array", "received": "undefined", "path": ["accountIds"], "message": "Required" }
  ]
}
\`\`\`

A request with \`Accept: application/problem+json\` gets errors as [RFC 9457](https://www.rfc-editor.org/rfc/rfc9457) describes: \`type\`, \`title\`, \`status\`, \`detail\` with the text of \`error\`, and \`code\` with the value of \`x-error-code\`, beside the members above.

| status | reason | what to do |
|---|---|---|
| 400 with \`details\` | the shape: a missing or unknown key, a wrong type, an invalid time, invalid JSON; with \`strict=true\`, warnings | correct the request |
| 400 without | a limit of a network; rejected credentials; a file that cannot be used or fetched; a published post cannot be changed or deleted | correct the post, the credentials or the file |
| 401 | the API key is missing, invalid or expired | use another key |
| 403 | the API key lacks a scope; ids of accounts, media or organisations that you may not use, existing or not; the account of another user | compare with \`listAccounts\` |
| 404 | the resource does not exist or belongs to another user; a file has no content; the path does not exist, and \`x-error-hint\` names the nearest one | correct the id or the path |
| 405 | the path does not have the method; \`Allow\` lists those that it has | use one of them |
| 408 | the request arrived too slowly; the connection is closed | send it again |
| 409 | the state of the resource does not allow it; the \`Idempotency-Key\` belongs to another request | see the message |
| 410 | the events after a cursor of \`listEvents\` are no longer kept | begin again with the cursor in \`oldest\` |
| 412 | the post, the account or the schedule has changed since the \`ETag\` in \`If-Match\`; a precondition of \`getMediaContent\` does not match the file | read the resource again |
| 416 | the range of \`getMediaContent\` is outside the file | request the whole file |
| 413 | the body is larger than 1 MiB, or the file is larger than the service accepts | send less |
| 417 | the \`Expect\` header has another value than \`100-continue\` | leave it out |
| 429 | too many requests of the key, or too many invalid keys from the address | wait for as many seconds as \`Retry-After\` says |
| 431 | the headers are larger than 16 KiB | send less |
| 500 | an unexpected failure | retry with increasing delays |
| 502 | \`connectAccount\`, \`createConnection\`: the network could not be reached | retry later, or correct the address |
| 503 | the database is unavailable, full or not set up; the storage of files is unavailable or full; accounts cannot be connected, because the service lacks a key for credentials | retry with increasing delays, not before as many seconds as \`Retry-After\` says |

405, 408, 417 and 431 are sent before routing, so that no operation lists them, except for 408 at \`uploadMedia\`. The headers of a request must arrive within 5 seconds, and the whole request within 10. A file upload may take longer. A request that waits for the database for more than 1.2 seconds, or for a second until others have left room for its body, fails with 503. So does one whose storage of files does not respond for about 3 seconds.

**\`x-error-code\`** is a header of every error response. Its values are stable and listed below, and each operation lists those that it sends with each status; messages may change. **\`x-request-id\`** is a header of every response to a well-formed request. Name it to the operator when you report a problem: the log has the request under this id.`

const RETRIES = `## Safe retries

When a response is lost, or is a 500 or 503, the request may have been carried out. Send every request that creates something with an \`Idempotency-Key\`, and repeat it with the same key until a response arrives. It is carried out once. \`createPost\`, \`createPosts\`, \`connectAccount\`, \`createConnection\`, \`uploadMedia\`, \`createUpload\`, \`importMedia\`, \`createUser\`, \`createUserKey\` and \`createOrganization\` take a key. So does \`updatePosts\`, for its \`shift\`. \`createKey\`, \`rotateKey\`, \`createApprovalCode\`, \`createWebhook\` and \`rotateWebhookSecret\` take none, because their responses have a key or a secret and are not kept. \`testWebhook\` and \`redeliverEvents\` take none either: events may arrive more than once in any case. The other operations need none: repeating them changes nothing.

- **The first request succeeded:** the repeated one gets the same status and the same bytes, with \`Idempotent-Replayed: true\`. Nothing is checked, called or fetched again, even where the resource was deleted since.
- **The first request is still in progress:** the repeated one waits for it and gets its response.
- **The first request failed or was rejected:** nothing is kept. Correct the request and send it with the same key.
- **The key comes with another body, or at another operation:** 409, and the request is not carried out. The order of keys in JSON, explicit or absent defaults, and the encoding of a form do not count as a difference. Of a file, the bytes are compared.
- **Scope:** all API keys of a user share one set of idempotency keys. Other users have their own.
- **After 24 hours** the key is forgotten, and the request is carried out as a new one.
- **Credentials** are compared by a keyed hash, so that a reader of the database cannot guess passwords.
- **Without a key** nothing is kept, and a repeated request may create a second resource.`

const RATES = `## Rate limits

By default, requests are not limited. The operator may limit the requests of each API key in a minute (\`RATE_LIMIT_PER_MINUTE\`): all of them, and those that write. The keys of a user get twice that together. Every response to a valid key then tells what is left:

- \`RateLimit-Policy: "all";q=1200;w=60, "write";q=300;w=60\` has the quotas \`q\` in \`w\` seconds.
- \`RateLimit: "all";r=1185;t=1, "write";r=300;t=0\` has the remaining requests \`r\`, and the seconds \`t\` until the whole quota is available again. A quota refills evenly.

A request over a quota is a 429 with \`Retry-After\`, and was not carried out. Replays under an \`Idempotency-Key\` count too. Each process of the service counts by itself. How fast networks accept posts is another matter (\`rateLimits\` of \`listPlatforms\`): posts over those limits wait, and are not rejected.`

const BROWSERS = `## Browsers

Web pages can call the API from the origins that the operator lists in \`CORS_ORIGINS\`; by default from none. Pages can read the headers \`x-request-id\`, \`x-error-code\`, \`x-error-hint\`, \`allow\`, \`www-authenticate\`, \`etag\`, \`content-range\`, \`content-disposition\`, \`idempotent-replayed\`, \`retry-after\`, \`ratelimit\` and \`ratelimit-policy\`.`

const AGENTS = `## Agents

\`POST /mcp\` speaks the Model Context Protocol, with the same API keys. Its tools call the operations of this document. It is no operation itself: the message says what a request does, not its method and path. An agent gets the list of tools from it.

Give each agent a key of its own. Without the scope \`posts:publish\`, it writes drafts only, and reads nothing of publishing. The examples have the service at \`https://postroom.example.com\`, and read the key from \`POSTROOM_KEY\` or ask for it: keep it out of files that others read.

**Claude Code**, in a terminal:

\`\`\`sh
claude mcp add --transport http postroom https://postroom.example.com/mcp --header "Authorization: Bearer $POSTROOM_KEY"
\`\`\`

\`claude mcp list\` then shows \`postroom\` as connected. A project shares it in \`.mcp.json\`:

\`\`\`json
{
  "mcpServers": {
    "postroom": {
      "type": "http",
      "url": "https://postroom.example.com/mcp",
      "headers": { "Authorization": "Bearer \${POSTROOM_KEY}" }
    }
  }
}
\`\`\`

**Cursor**, in \`~/.cursor/mcp.json\`, or in \`.cursor/mcp.json\` of a project:

\`\`\`json
{
  "mcpServers": {
    "postroom": {
      "url": "https://postroom.example.com/mcp",
      "headers": { "Authorization": "Bearer \${env:POSTROOM_KEY}" }
    }
  }
}
\`\`\`

**VS Code**, in \`.vscode/mcp.json\` of a workspace. It asks for the key once, and stores it encrypted:

\`\`\`json
{
  "inputs": [{ "type": "promptString", "id": "postroom-key", "description": "API key of Postroom", "password": true }],
  "servers": {
    "postroom": {
      "type": "http",
      "url": "https://postroom.example.com/mcp",
      "headers": { "Authorization": "Bearer \${input:postroom-key}" }
    }
  }
}
\`\`\`

**Claude Desktop** starts a program, which sends each message to the service and needs no database. In \`claude_desktop_config.json\` (*Settings*, *Developer*, *Edit Config*), with the path of a checkout of Postroom:

\`\`\`json
{
  "mcpServers": {
    "postroom": {
      "command": "npm",
      "args": ["run", "-s", "--prefix", "/path/to/postroom", "postroom", "--", "mcp"],
      "env": { "POSTROOM_URL": "https://postroom.example.com", "POSTROOM_KEY": "pr_…" }
    }
  }
}
\`\`\`

**claude.ai and ChatGPT** take no key. Add \`https://postroom.example.com/mcp\` as a custom connector, and approve it on the page that opens: see *Connect an app*. Other clients of MCP do the same where no key is configured.`

const CONNECT_APP = `## Connect an app

An app that takes no API key gets one of its own by OAuth 2.1. You approve it in a browser:

1. Give the app the address \`https://postroom.example.com/mcp\`. It opens a page of Postroom.
2. Enter an API key with the scope \`keys:manage\`, or a code that \`postroom mcp approve\` or \`createApprovalCode\` prints. The app does not see either. Check the address to which the access goes: anybody can give an app any name.
3. Choose the accounts. The app **writes drafts only**, unless you tick *Publishing*. It never gets more than your key allows, and expires no later. It stays when you revoke your key.

\`listConnectedApps\` lists the apps, and \`disconnectApp\` removes one, with the webhooks that it has created. An app whose tokens are not used for 30 days is disconnected. To give an app other rights, disconnect it and connect it again.

**For authors of apps.** Everything follows from the document at \`/.well-known/oauth-authorization-server\`:

| | |
|---|---|
| Specifications | OAuth 2.1 with PKCE (S256) and RFC 9207 (\`iss\`), for [MCP](https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization) and for this API |
| Clients | public, without a secret (\`token_endpoint_auth_method\`: \`none\`) |
| \`client_id\` | the https URL of a [client ID metadata document](https://datatracker.ietf.org/doc/html/draft-ietf-oauth-client-id-metadata-document), or from \`POST /oauth/register\`. An unapproved registration expires after a day, or earlier if many register. |
| Redirect URIs | compared exactly, except for the port of \`http://127.0.0.1\`, \`http://[::1]\` and \`http://localhost\`. Other \`http\` addresses are refused. Apps on a device may have the scheme of a reversed domain, such as \`com.example.app:\`, or \`cursor:\`. |
| \`resource\` | \`https://postroom.example.com/mcp\`, or \`https://postroom.example.com/api/v1\`. A token is good for the one that was asked for, else it gets a 401. Without \`resource\`, it is for \`/mcp\`. |
| \`scope\` | those of API keys, except \`keys:manage\` and \`admin\`. Other scopes are ignored. The response has those that were granted: without the tick, \`posts:write\` takes the place of \`posts:publish\`. |
| Access token | \`Authorization: Bearer prat_…\`, for an hour; \`getCurrentKey\` shows what it allows |
| Refresh token | for 30 days. Each use returns a new one. The old one is accepted for a minute longer, in case the response was lost; after that it ends the access, because somebody else may have it. |
| \`POST /oauth/revoke\` | ends the access, with either token |`

const CODES = `## Error codes

| \`x-error-code\` | meaning |
|---|---|
${Object.entries(ERRORS)
  .map(([code, { meaning }]) => `| \`${code}\` | ${meaning} |`)
  .join('\n')}`

/** The chapters of the description, by the name that their address has. Each begins with its title. */
export const CHAPTERS = {
  start: START,
  authentication: AUTHENTICATION,
  requests: REQUESTS,
  paging: PAGING,
  errors: ERROR_BODIES,
  retries: RETRIES,
  'rate-limits': RATES,
  browsers: BROWSERS,
  agents: AGENTS,
  'connect-an-app': CONNECT_APP,
  'error-codes': CODES,
}

export const DESCRIPTION = [OVERVIEW, ...Object.values(CHAPTERS)].join('\n\n')

export const SERVERS = [
  // Right wherever the document is read from a running service.
  { url: '/', description: 'The service that this document was read from' },
  // Generated clients want an absolute URL.
  { url: 'http://127.0.0.1:3000', description: 'A service that was started with the default configuration' },
]

/** Tables with rows for each network, in Markdown. */
export interface NetworkTables {
  guarantees: string
  rates: string
}

const describePosts = ({
  guarantees,
  rates,
}: NetworkTables) => `Write posts for one or more accounts, publish them, and see the result.

A post without \`scheduledAt\` is a \`draft\`; with it, it is \`scheduled\`. As soon as something of it is published, or may be, it is \`published\` and can no longer be changed; it can be deleted once it is taken down everywhere. An **override** changes the caption, the files or the time for one account, or adds \`fields\` for its network. Where accounts have times of their own, the post is \`scheduled\` until the first of them, and the rest follow at theirs. With \`postType\` \`thread\`, **thread parts** divide the text for an account. \`attention\` in \`listAccounts\` says to which accounts nothing can be published at the moment. What you publish by hand is recorded with \`markDeliveryPublished\`.

Posts are yours. In an organisation, an admin may read and change the posts that other members have made for its accounts: \`listPosts\`, \`listDeliveries\` and \`countPosts\` with \`organizationId\`, and every operation on one post. Their accounts stay within the organisation, and only their owner can add files.

## Show a post before it is sent

An editor shows each account its own post. \`validatePost\` with \`include=parts\` returns what would be sent: the text of each part as the network stores and counts it, with its links, mentions and tags; the files in their order, with their alternative texts; the title, the link card and the first comment. Publishing makes its calls from the same values.

- **\`text\`** is what readers see. \`sentText\` is there where the network gets something else, such as markup.
- **Offsets** of entities are in UTF-16 units, as in strings of JavaScript: \`text.slice(start, end)\`.
- **Pictures** of the files: \`getMediaPreview\`. \`listPosts\` with \`include=media\` returns addresses of previews that take no key, for calendars.

## Deliveries

A post has one **delivery** for each of its accounts; \`getPost\` shows them, and \`explainDelivery\` says in words why one is late, waiting, failed or unconfirmed. A delivery consists of **acts**: the post, or the parts of its thread, then the first comment. The acts are sent one after the other, and each result is stored before the next act begins.

- Where a part of a thread fails, the parts before it are published. A retry continues with the first missing part.
- A first comment replies to the last part of a thread. Where it fails, the delivery is \`published\` with the error of the comment, and a retry sends the comment alone.
- On YouTube, \`thumbnailUrl\` and \`playlistId\` are acts as well. They follow the first comment. If one of these acts fails, the next one is sent all the same, and the delivery is \`published\` with the error. \`history\` has the error of each act. A retry sends only the failed acts.
- An act that was certainly not accepted (no connection, 429) is retried automatically: after the \`Retry-After\` of the network, otherwise after 30 seconds, and twice as long each time up to an hour, less a random part. After eight failures in a row, about an hour, the delivery is \`failed\`.
- An act that the network rejects (content, credentials) is \`failed\` immediately, with the message of the network. Where it rejected the credentials, the account has \`attention\` until something is sent again: connect the account again, then retry.
- A network may need time, for example to process a video. The delivery is then \`queued\` until the service checks again, for up to a day.
- A delivery that is due for longer than the service allows, 24 hours by default, is \`missed\` and sent only when you retry it. Where only its first comment is missing, it stays \`published\` with the error \`too_late\`.
- Nothing is sent to an account that was disconnected, or that you can no longer post to: \`no_access\`.

## Lost responses

Where the response of a network is lost, the act may have been published. The call is not repeated while its outcome is unknown:

${guarantees}

Two cases can still publish twice. On the sandbox: a worker that is suspended for half a minute exactly when its call begins sends the call when it resumes. On Mastodon: the clock of the database jumps forward by more than 20 seconds, so that the network is queried too soon.

## Order and speed

Posts of one account are published one after the other, in the order of their times: the later of \`scheduledAt\`, of the account or else of the post, and \`createdAt\`. A post that waits for a retry lets later ones pass. Where the network requires a pause, all posts of the account wait, and so do those of the accounts that share its rate limit, such as the channels of one Telegram bot. An account publishes at most as fast as its network allows, and further posts wait without holding up other accounts:

${rates}

## Slots

An account may have a **schedule**: times of the week at which it publishes, on the clocks of a time zone (\`putSchedule\`). Each of these times is a **slot** for one post. A post with \`schedule\` in place of \`scheduledAt\` takes slots, in \`createPost\`, \`createPosts\` and \`updatePost\`:

| \`queue\` | the post takes |
|---|---|
| \`next\` | the first free slot of each account |
| \`together\` | the first slot that is free on all of its accounts |
| \`front\` | the first slot of each account; the queued posts from there to the next free slot move on by one slot each |

- **A slot is taken** in the transaction that stores the post: two requests never get the same one, and none is skipped. A post that is scheduled by hand in the minute of a slot takes it as well.
- **A slot is free again** when its post is deleted, moved or made a draft, and when its delivery fails or is cancelled before anything is out. A slot stays taken where the post is published, or may be (\`unconfirmed\`).
- **A delivery that ended** and that you retry does not look for another slot. A cancelled one is published in the slot that it had, even if another post has it by then; a failed one immediately. \`updatePost\` with \`schedule\` moves its post to a free slot.
- **A full queue** is a 409 with the code \`queue_full\`, and nothing is stored. Queues are ${HORIZON_DAYS} days long.
- **Clocks that change** do not move a slot on the clocks of its zone. A time that they skip is the first instant after the gap, and a time that they show twice is the first of the two.
- **A post at the front** moves only posts that you may change, and that have not begun. The others stay in their slots: those of other users, those that several accounts publish at one time, and those that are being changed. Each post that moves is a \`post.updated\`. One request moves ${QUEUE_MOVES_MAX} posts at most.

\`listSlots\` returns the next slots of an account with their posts. A changed schedule moves no post; \`rearrangeSchedule\` moves the queued posts to the first free slots, in their order, by the rules of a post at the front.

## Costs and budgets

Some networks charge the owner of the app for each post. \`prices\` in \`listPlatforms\` has what one operation costs, with the page and the date where it was read. All amounts are integers in millionths of a US dollar. \`validatePost\` returns the \`cost\` of a post on each account, and a delivery has what its acts have cost.

A **budget** limits what may be spent in a calendar month in UTC: \`putAccountBudget\` for an account, \`putKeyBudget\` for the key that created, scheduled or retried a post last, or that requested its removal or edit. An act has to be covered by both.

- The price of an act is **reserved** before its call, together with the record that the call is made. A crash separates neither.
- If nothing was sent, the price is given back. If the act is out, it is spent. Where the outcome is unknown, it stays reserved until the delivery is resolved.
- An act that a budget does not cover is not sent. The delivery fails with \`budget_used_up\`. Raise the budget, or wait for the next month, then call \`retryDeliveries\` with \`errorCode\` \`budget_used_up\`.
- The price of a removal or an edit is reserved, spent and given back in the same way. Each removed act has its price, and each edit: on X, an edit costs what a new post costs. A call that is repeated after a lost response is paid once. Where the budget does not cover it, the removal or edit fails with \`budget_used_up\`: raise the budget, or wait for the next month, then request it again.
- Readings of numbers and checks are paid from the budget of the account, once for each post and UTC day. A post that it does not cover is not read: its numbers have the reason \`costs\`, and the reading the error \`budget_used_up\`.
- Keys that replace a key share its budget, and so do keys that a key with a budget creates. A key with a budget sets none.
- The search for a post after a lost response is paid from no budget. A restored database does not know what was spent after its backup.

## Numbers

Where the operator has set \`METRICS\`, workers read likes, comments, views and other numbers of published posts. \`getPostMetrics\` returns those of one post, \`listDeliveryMetrics\` those of many.

- **\`null\` is unknown, and \`0\` is what the network reported.** \`unavailable\` has the reason for each number that is \`null\`. \`native\` has the numbers under the names of the network.
- **Which numbers** a network tells is in \`metrics\` of \`listPlatforms\`, each with its page. Some need a scope that earlier connections have not granted: the reason is then \`scope_missing\`, and \`reconnectAdds\` in \`listAccounts\` says what connecting again would add.
- **When:** every 15 minutes in the first hour, then less and less often, and for the last time after 28 days. \`refresh=true\` reads a post now, at most once in ${REFRESH_PAUSE_SECONDS} seconds.
- **\`history=true\`** returns the last numbers of each day, for 400 days, where the terms of the network allow to keep them.
- **The event \`metrics.updated\`** is written for webhooks that name it.
- A reading never delays a post. X charges for readings: they need \`METRICS=paid\`.

## Posts that have disappeared

The same readings find posts that are not on their network any more. A post that two readings, at least 10 minutes apart, have not found has \`goneAt\`, and the event \`delivery.gone\` says so once. One reading is not enough, because networks lag. \`checkDelivery\` asks the network now.

The state stays \`published\`, and the numbers stay those of the last reading. If the post shows again, \`goneAt\` disappears.

## Taking down

\`removeDelivery\` has a worker delete from its network what a delivery has published there, \`removePost\` from the networks of all its accounts. The delivery is \`removing\`, then \`removed\` or \`remove_failed\`, with the events \`delivery.removed\` and \`delivery.remove_failed\`.

- **\`removed\` is certain.** Deleting twice is deleting once, so that a call whose response was lost is repeated. Only the network itself says that something is gone; where its response does not, it is read afterwards (\`confirmedBy\`).
- **Order:** from the last act to the first, the first comment before the post.
- **A failure that may pass** is tried again as in publishing. After \`remove_failed\`, ask again.
- **Not every network deletes.** \`changes\` in \`listPlatforms\` says which networks do, for how long after publishing, and with which scope. If a network does not, the call is a 409 with the reason, and nothing changes.
- The post stays here as \`published\`, and keeps its slot. When it is taken down everywhere, \`deletePost\` deletes it.

## Editing

\`editDelivery\` changes the text of a published post on its network, and \`fields\` where the network takes them. \`changes.edit\` of \`getPlatform\` says what, for how long and how often. Files stay as they are.

- The delivery stays \`published\`. Its \`edit\` is \`pending\` until the network has accepted the new text, and then absent: from then on, the post has the new text here too. The event \`delivery.edited\` says so.
- A failure that may pass is tried again. After a lasting one, \`edit\` is \`failed\` with its \`error\`, and the event \`delivery.edit_failed\` says so. After an error that leaves the outcome open, such as \`timeout\`, the network may show the new text: call \`editDelivery\` again, with either text.
- One edit of a delivery at a time. The same call again changes nothing; another text meanwhile is a 409. \`removeDelivery\` takes the place of an edit.
- Nothing is published twice: where an edit is a new post, as on X, workers look for it before they repeat a call. It needs \`acceptNewId: true\`, because links to the earlier post lead to its old text.
- Comments, and threads with several parts, are not edited.`

const MEDIA = `The images, videos and documents of posts. Add a file with \`uploadMedia\` or \`importMedia\` before you create the post that shows it, and refer to it by its id. The properties that networks limit are read from the bytes when the file is added. A post with a file that a network does not accept is therefore rejected when it is created.

The limits of a network for GIFs apply to every GIF and to other animated images. On Bluesky and Telegram, a GIF with a single frame counts as an image.

A document is a PDF. LinkedIn publishes it, for members and organizations: at most 100 MB and 300 pages, as the only file of the post, with a title in \`mediaTitle\` of \`fields\`. Other networks refuse it. A PDF that is encrypted, even if anybody may read it, is rejected.

## Files that fit

With \`mediaFit\`, one file will do for a post on many networks. An account whose network does not take the file gets a **rendition** of it: another type, fewer bytes or fewer pixels. \`pad\` and \`crop\` change the aspect ratio as well. \`adjustments\` in the response of \`createPost\`, \`updatePost\` and \`validatePost\` says what each account gets, and why. A file that breaks no limit is sent as it is. What cannot be made to fit is a violation, with the numbers.`

const ACCOUNTS = `Connect social accounts, list those that you can post to, and disconnect them. \`listAccounts\` returns exactly the accounts that posts can be created for. Where an account belongs to an organisation, all its members can post to it. \`updateAccount\` gives an account a display name of your own, and **default fields**: the options that each new post for it gets, such as a board. \`avatarUrl\` is a small copy of its picture on the network, where the network gives one.`

const PLATFORMS = `What each network accepts, for forms, editors and planning. Posts are checked against exactly these limits.

- **Every limit has its source**: the page, the version of it that was read, and how far it can be trusted. \`official\` and \`copy\` are the network's own words. \`cross-checked\` values are those of several tools, and \`assumed\` ones are inferences.
- **\`fields\`** is JSON Schema (2020-12). Most form libraries can show it. What it cannot express is in \`fieldConditions\`, with the \`rule\` that \`validatePost\` reports. Together they decide which \`fields\` are accepted.
- **Required values** are required of scheduled posts; a draft may be incomplete. Maxima hold for drafts too.
- **\`delivery\`** says what happens where a response of the network is lost; see the tag *posts*.`

const CONNECTIONS = `Connect accounts by OAuth: the user consents on a page of the network, and no password passes through your program.

1. \`createConnection\` returns a link. Send the user there.
2. The user consents. The browser returns to this service, and then to your \`returnUrl\`.
3. \`getConnection\` returns the connected accounts. If the user consented to several accounts, the browser first asks which to connect.

The pages under \`/connect\` take no API key. Instead, the link is secret, works once, and is bound to the browser that opens it. A user who refuses, or who consents to another account than you asked for, ends the connection with an \`error\`. Tokens are stored encrypted, and no response, log or address contains them.

Where no browser can reach this service, begin the connection with \`manual\`, and pass the address that the browser shows at the end to \`completeConnection\`.`

const APPS = `The apps that accounts are connected with. A network shows the name of the app when it asks a user to consent, and counts calls by app. The operator can configure an app for everybody; you can store your own, for you or for an organisation. Register it with the network first, with the \`redirectUri\` of \`listApps\`.`

const TENANTS = `Users, organisations, their members and their keys, for a program that serves many customers. These operations require a key with the scope \`admin\`, which only the operator creates: \`postroom key create --user ID --scopes admin\`. Other keys never have this scope.

1. For each of your customers who must not see the others, \`createUser\` creates a **user**: the owner of posts, files and accounts.
2. \`createUserKey\` creates the key with which your program acts for that customer.
3. Where several users share accounts, create an **organisation** and add them with \`putMember\`. Accounts are connected for it with \`organizationId\`, by members with the role \`admin\`.
4. Follow the events of all of them in **one stream**: \`listEvents\` with \`allUsers=true\`, or one webhook with \`allUsers\`. Each event has its \`userId\`. The key needs the scopes of the events as well: \`--scopes admin,posts:read,accounts:read,webhooks:manage\`.

| role | what it allows |
|---|---|
${Object.entries(ROLES)
  .map(([role, allowed]) => `| \`${role}\` | ${allowed} |`)
  .join('\n')}

A post belongs to an organisation if all its accounts do; a post that also has another account is its owner's alone. A changed role, or the end of a membership, takes effect immediately.`

const KEYS = `Create API keys that allow less than your own, and replace or revoke them.

- A key can give only what it has: scopes, accounts, and time until it expires. A key is narrowed, never widened.
- \`rotateKey\` creates the successor of a key. Both are valid for a day, or for as long as you say.
- A revoked or narrowed key loses its rights in each process within a second.
- Keys do not belong to the key that created them: revoking that one leaves them valid.`

const CONNECTED_APPS = `See and end the access of apps that were connected by OAuth, such as claude.ai. The section *Connect an app* says how they are connected.

Each connected app is an API key with the name of the app: its changes are events of keys, and \`updateKey\` takes rights away from it.`

const WEBHOOKS = `Get events at a URL of yours as soon as they happen, signed as [Standard Webhooks](https://www.standardwebhooks.com) describe. The section *Webhooks* of this page has the body of each type.

- **Verify** each request with a library of Standard Webhooks, such as \`standardwebhooks\` from npm, and the \`secret\` of \`createWebhook\`. It checks \`webhook-id\`, \`webhook-timestamp\` and \`webhook-signature\`.
- **Try** your receiver without a public URL: \`postroom listen --forward-to http://localhost:4000/events\` sends it the events of a key, and \`postroom trigger delivery.failed\` makes one in the sandbox.
- **Respond 2xx** within 10 seconds, before you do any work. Redirects are not followed. 410 disables the webhook.
- **Expect repeats.** An event is sent at least once. \`webhook-id\` is the id of the event, the same in each attempt.
- **Do not rely on the order.** Each event has its \`position\`: sort by it if you need to.
- **Retries** follow after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h and 24 h, each ±10 %, or after the \`Retry-After\` of the response, up to 24 h. Meanwhile, a failing webhook gets one request at a time, at least every minute while deliveries are due.
- A webhook without a success for a day leads to the event \`webhook.failing\`, and another one a day before the end. After 5 days and at least 20 attempts it is **disabled**, and \`webhook.disabled\` says so. **Nothing is lost:** events are recorded on, and pending deliveries stay pending. Enable the webhook with \`updateWebhook\`, then call \`redeliverEvents\` from the \`failingSince\` of the event.
- **All users:** with \`allUsers\` or \`organizationId\`, one webhook gets the events of all your tenants, for a key with the scope \`admin\`. Each has its \`userId\`. It gets four requests at a time, whatever the number of tenants.
- \`rotateWebhookSecret\` replaces the secret. Both sign for a day, or for as long as you say.`

const SANDBOX = `A network for tests, which is part of this service. An account on \`sandbox\` accepts what X accepts, and its posts are not visible to anyone. \`listSandboxCalls\` shows what the sandbox received. With \`fields.fault\`, the sandbox fails as real networks do:

| \`fault\` | what the sandbox does | effect on the delivery |
|---|---|---|
| \`rate_limited\` | responds with 429 and \`Retry-After: 5\` | sent again after the pause |
| \`server_error\` | responds with 500, and does not accept the post | the sandbox is queried, then the post is sent again |
| \`server_error_after\` | responds with 500, although it accepted the post | the sandbox is queried, and the post is found |
| \`timeout_after\` | accepts the post, and the response is lost | the sandbox is queried, and the post is found |
| \`unknown\` | as \`timeout_after\`, and cannot tell later whether it accepted the post | the sandbox is queried after 30 seconds, then \`unconfirmed\` |
| \`expired_token\` | responds with 401 | \`failed\`, and the account has \`attention\` |
| \`content_refused\` | responds with 422 | \`failed\` |
| \`slow_media\` | takes 5 seconds for each file, then accepts the post | published later |

- \`faultTimes\` (1 to 1000, default 1): the number of calls that fail before one succeeds. With \`slow_media\`, all calls are slow.
- \`faultAct\` (1 to 26, default 1): the act that fails. 1 is the post or the first part of a thread, followed by the other parts, then the first comment.
- \`faultCall\` (\`publish\`, \`remove\` or \`edit\`, default \`publish\`): the call for the act that fails.

The token \`expired\` is rejected when an account is connected: \`{"platform": "sandbox", "credentials": {"username": "ada", "token": "expired"}}\`.

**A clock.** \`putSandboxClock\` moves your time forwards if all of your accounts are on the sandbox. What is due before happens now, in order, each at its time. Then follows the event \`sandbox.clock_reached\`. A clock stands still between two moves, and its time is your present:

- Posts are created and changed at that time. One that is scheduled before is due immediately, and \`publishPost\` publishes at that time. Slots are free from then on.
- Pauses between attempts, rests of accounts, lateness, removals and edits go by the clock. What waits goes on when you move the clock.
- Events have that time, also in the requests to webhooks, and so has \`receivedAt\` of \`listSandboxCalls\`.
- Webhooks are sent and repeated by the real time, at which they are signed. Keys, \`Idempotency-Key\`, files, the warning \`past_time\` and the removal of old data go by the real time too.
- The sandbox has no tokens that are refreshed, and no numbers.
- \`deleteSandboxClock\` ends the clock, and so does an account on another network, and a membership in an organisation. What has happened keeps its times.

\`\`\`json
{
  "accountIds": ["ID"],
  "caption": "Will it arrive?",
  "accountOverrides": [{ "accountId": "ID", "fields": { "fault": "timeout_after" } }],
  "scheduledAt": "2026-01-01T00:00:00Z"
}
\`\`\``

const EVENTS_TEXT = `What has happened to your posts, deliveries, accounts and keys, without polling them.

\`listEvents\` returns events in their order. Read in a loop, with \`wait=20\` and with the \`nextCursor\` of the page before as \`after\`: each event arrives less than a second after it happened, once, however often your program or the service is restarted. Store the cursor after you have processed a page.

| type | meaning |
|---|---|
${EVENTS.map((event) => `| \`${event.examples[0].type}\` | ${event.description} |`).join('\n')}

Events have ids, states and errors, and never a caption or credentials. An event of a post or a delivery belongs to the owner of the post, an event of an account to everybody who could use the account at the time, and an event of a key to its user. The contents of an event never change: read \`getPost\` for the present state. New types may be added: ignore those that you do not know.`

export interface Tag {
  name: string
  description: string
}

/** In the order in which Swagger UI shows them. */
export const listTags = (tables: NetworkTables): Tag[] => [
  { name: 'posts', description: describePosts(tables) },
  { name: 'events', description: EVENTS_TEXT },
  { name: 'media', description: MEDIA },
  { name: 'accounts', description: ACCOUNTS },
  { name: 'platforms', description: PLATFORMS },
  { name: 'connections', description: CONNECTIONS },
  { name: 'apps', description: APPS },
  { name: 'keys', description: KEYS },
  { name: 'connected-apps', description: CONNECTED_APPS },
  { name: 'webhooks', description: WEBHOOKS },
  { name: 'tenants', description: TENANTS },
  { name: 'sandbox', description: SANDBOX },
]
