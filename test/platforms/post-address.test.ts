import t from 'tap'
import type { PlatformId } from '../../schemas/platform.ts'
import { NETWORKS } from '../../src/platforms/networks.ts'
import { readPostAddress } from '../../src/platforms/rules/post-address.ts'

const ACCOUNTS: Partial<Record<PlatformId, { username: string; externalId: string }>> = {
  bluesky: { username: 'ada.example.com', externalId: 'did:plc:abc' },
  mastodon: { username: 'ada@social.example', externalId: '7@social.example' },
  telegram: { username: 'lighthouses', externalId: '-100123' },
  facebook: { username: 'Lighthouses', externalId: '4711' },
}

const read = (platform: PlatformId, url: string) =>
  readPostAddress(
    NETWORKS[platform].addresses!,
    new URL(url),
    ACCOUNTS[platform] ?? { username: 'ada', externalId: '12' },
  )

/** Addresses as browsers show them, with the id that the adapter of the network uses. Null: none can be derived. */
const OWN: [PlatformId, url: string, id: string | null][] = [
  [
    'bluesky',
    'https://bsky.app/profile/Ada.example.com/post/3mbzyl2u5xk2a',
    'at://did:plc:abc/app.bsky.feed.post/3mbzyl2u5xk2a',
  ],
  ['bluesky', 'https://bsky.app/profile/did:plc:abc/post/3mbz/', 'at://did:plc:abc/app.bsky.feed.post/3mbz'],
  ['bluesky', 'https://bsky.app/profile/ada.example.com', null],
  ['mastodon', 'https://social.example/@ada/113', '113'],
  ['mastodon', 'https://social.example/users/ada/statuses/113?x=1', '113'],
  ['mastodon', 'https://social.example/deck/@ada/113', '113'],
  ['mastodon', 'https://social.example/ap/users/7/statuses/113', '113'],
  ['mastodon', 'https://social.example/@ada/media', null],
  // GoToSocial.
  ['mastodon', 'https://social.example/@Ada/statuses/01JABCDEFGHJKMNPQRSTVWXYZ0', '01JABCDEFGHJKMNPQRSTVWXYZ0'],
  ['mastodon', 'https://social.example/users/ada/statuses/01JABCDEFGHJKMNPQRSTVWXYZ0', '01JABCDEFGHJKMNPQRSTVWXYZ0'],
  // Pleroma and Akkoma.
  ['mastodon', 'https://social.example/notice/AxYz12abCDefGHij34', 'AxYz12abCDefGHij34'],
  ['mastodon', 'https://social.example/@ada/posts/AxYz12abCDefGHij34', 'AxYz12abCDefGHij34'],
  ['mastodon', 'https://social.example/objects/4b1ff9a0-73a3-4f8e-9a0c-2f1d3e6a7b8c', null],
  // Pixelfed.
  ['mastodon', 'https://social.example/p/ada/712345678901234567', '712345678901234567'],
  // Iceshrimp.NET and Sharkey.
  ['mastodon', 'https://social.example/notes/9xk2abcdef', '9xk2abcdef'],
  // Friendica.
  ['mastodon', 'https://social.example/display/5dd8b5a1-7667-4f2b-8d66-4f5a12345678', null],
  ['x', 'https://x.com/Ada/status/1861?s=20', '1861'],
  ['x', 'https://mobile.twitter.com/ada/status/1861/photo/1', '1861'],
  ['x', 'https://x.com/i/web/status/1861', '1861'],
  ['youtube', 'https://www.youtube.com/watch?app=desktop&v=dQw4w9WgXcQ&t=3', 'dQw4w9WgXcQ'],
  ['youtube', 'https://youtu.be/dQw4w9WgXcQ?si=abc', 'dQw4w9WgXcQ'],
  ['youtube', 'https://m.youtube.com/shorts/dQw4w9WgXcQ', 'dQw4w9WgXcQ'],
  ['youtube', 'https://www.youtube.com/@ada', null],
  ['reddit', 'https://old.reddit.com/r/whales/comments/1abcd/a_title/', 't3_1abcd'],
  ['reddit', 'https://redd.it/1abcd', 't3_1abcd'],
  ['reddit', 'https://www.reddit.com/r/whales/comments/1abcd/a_title/k2x/', null],
  ['pinterest', 'https://de.pinterest.com/pin/4711/', '4711'],
  ['pinterest', 'https://www.pinterest.co.uk/pin/a-whale--4711/?mt=login', '4711'],
  ['pinterest', 'https://pin.it/abc', null],
  ['facebook', 'https://www.facebook.com/4711/posts/99', '4711_99'],
  ['facebook', 'https://m.facebook.com/story.php?story_fbid=99&id=4711', '4711_99'],
  ['facebook', 'https://www.facebook.com/Lighthouses/posts/pfbid02', null],
  ['instagram', 'https://www.instagram.com/p/DAbc/', null],
  ['threads', 'https://www.threads.com/@ada/post/DAbc', null],
  ['linkedin', 'https://www.linkedin.com/feed/update/urn%3Ali%3Ashare%3A71/', 'urn:li:share:71'],
  ['linkedin', 'https://www.linkedin.com/posts/ada_whales-activity-71-AbCd', null],
  ['tiktok', 'https://www.tiktok.com/@ada/video/73', '73'],
  ['tiktok', 'https://vm.tiktok.com/ZM1/', null],
  ['telegram', 'https://t.me/lighthouses/17', '17'],
  ['telegram', 'https://t.me/s/lighthouses/17', '17'],
  ['telegram', 'https://t.me/c/123/5/17', '17'],
  ['discord', 'https://ptb.discord.com/channels/1/2/3', '3'],
]

/** Addresses of posts of others, with the name in them. */
const FOREIGN: [PlatformId, url: string, owner: string][] = [
  ['bluesky', 'https://bsky.app/profile/bob.example.com/post/3mbz', 'bob.example.com'],
  ['mastodon', 'https://social.example/@bob/113', 'bob'],
  ['mastodon', 'https://social.example/@ada@other.example/113', 'ada@other.example'],
  ['mastodon', 'https://social.example/@bob/statuses/01JABCDEFGHJKMNPQRSTVWXYZ0', 'bob'],
  ['mastodon', 'https://social.example/ap/users/8/statuses/113', '8'],
  ['mastodon', 'https://social.example/p/bob/712345678901234567', 'bob'],
  ['x', 'https://x.com/bob/status/1861', 'bob'],
  ['facebook', 'https://www.facebook.com/permalink.php?story_fbid=99&id=12', '12'],
  ['threads', 'https://www.threads.net/@bob/post/DAbc', 'bob'],
  ['telegram', 'https://t.me/whales/17', 'whales'],
]

t.test('the address of a post has its id where the network allows', async (t) => {
  for (const [platform, url, id] of OWN) t.strictSame(read(platform, url), { id }, url)
})

t.test('the address of another account is noticed', async (t) => {
  for (const [platform, url, owner] of FOREIGN) t.strictSame(read(platform, url), { owner }, url)
})

t.test('an address elsewhere is noticed, however similar', async (t) => {
  for (const [id, { addresses, name }] of Object.entries(NETWORKS)) {
    if (!addresses) continue
    const own = OWN.find(([platform]) => platform === id)
    t.ok(own, `${name} has an example`)
    const { pathname, search, hostname } = new URL(own![1])
    for (const host of [`${hostname}.example.com`, `not${hostname.replace(/^www\./, '')}`]) {
      t.equal(read(id as PlatformId, `https://${host}${pathname}${search}`), 'elsewhere', host)
    }
  }
})

t.test('hostile addresses are read in an instant', async (t) => {
  for (const [id, { addresses }] of Object.entries(NETWORKS)) {
    if (!addresses) continue
    const [, own] = OWN.find(([platform]) => platform === id)!
    for (const tail of ['%', '/'.repeat(1_900), '&v='.repeat(600), 'a-'.repeat(900), '?&story_fbid=1&'.repeat(120)]) {
      t.ok(read(id as PlatformId, `${own}${tail}`), id)
    }
  }
})

t.test('without an id of the account, ids are not derived', async (t) => {
  const account = { username: 'ada.example.com', externalId: null }
  const url = new URL('https://bsky.app/profile/ada.example.com/post/3mbz')
  t.strictSame(readPostAddress(NETWORKS.bluesky.addresses!, url, account), { id: null })
})
