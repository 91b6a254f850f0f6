import t from 'tap'
import { findCashtags, findHashtags, findLinks, findMentions } from '../../src/platforms/rules/entities.ts'
import { countLength } from '../../src/platforms/rules/text-length.ts'
import { findUrls } from '../../src/platforms/rules/urls.ts'

t.test('X: the parts of a text that X turns into links are found', async (t) => {
  const urls: [string, ...string[]][] = [
    ['https://example.com', 'https://example.com'],
    ['HTTP://EXAMPLE.COM/A', 'HTTP://EXAMPLE.COM/A'],
    ['see example.com.', 'example.com'],
    ['(https://example.com/a_(b)), ok', 'https://example.com/a_(b)'],
    ['https://en.wikipedia.org/wiki/A_(b_(c))!', 'https://en.wikipedia.org/wiki/A_(b_(c))'],
    ['https://example.com/a,((b))', 'https://example.com/a'],
    ['https://example.com/?q=a.b&c=d.', 'https://example.com/?q=a.b&c=d'],
    ['https://example.com:8080/a', 'https://example.com:8080/a'],
    ['example.co.jp/a?b=c', 'example.co.jp/a?b=c'],
    ['example.com?b=c', 'example.com'],
    ['https://example.com?b', 'https://example.com?b'],
    ['https://example.com?', 'https://example.com'],
    ['例え.みんな/a'],
    ['https://例え.みんだ/a'],
    ['日本語example.com日本語', 'example.com'],
    ['詳細はhttps://example.com/詳細', 'https://example.com/'],
    ['https://日本語.jp', 'https://日本語.jp'],
    ['https://例え.みんな/a', 'https://例え.みんな/a'],
    ['http://президент.рф', 'http://президент.рф'],
    ['https://xn--80ahcqqdk.xn--p1ai', 'https://xn--80ahcqqdk.xn--p1ai'],
    ['a.com漢b.com', 'a.com', 'b.com'],
    ['https://sub_domain.example.com', 'https://sub_domain.example.com'],
    ['a.com/b.com c.com', 'a.com/b.com', 'c.com'],
    ['https://t.co/abc123/more', 'https://t.co/abc123'],
    ['http://http://example.com', 'http://example.com'],
    ['t.co', 't.co'],
  ]
  for (const [text, ...expected] of urls) {
    const found = findUrls(text, 'x').map(({ start, end }) => text.slice(start, end))
    t.same(found, expected, text)
  }
})

t.test('X: a text that resembles a link counts its characters', async (t) => {
  const none = [
    'ada@example.com',
    '@example.com',
    '#example.com',
    '$example.com',
    'xhttps://example.com',
    'https://localhost:3000/a',
    'https://127.0.0.1',
    'readme.notatld',
    'example.comma',
    '-example.com',
    '_example.com',
    'https://-example.com-',
    'https://exa_mple.com',
    'https://example..com',
    'https://',
    'http://com',
    '...',
    'e.g.',
    `${'a'.repeat(64)}.com`,
    `https://t.co/${'a'.repeat(41)}`,
  ]
  for (const text of none) {
    t.same(findUrls(text, 'x'), [], text)
    t.equal(countLength(text, 'x'), text.length, text)
  }
})

t.test('hashtags, mentions, cashtags and links are found as networks find them', async (t) => {
  t.same(findHashtags('#a b#c #Ünï #日本 #1 #1a #️⃣ &#39; https://example.com/#d #e#f ##g'), [
    '#a',
    '#Ünï',
    '#日本',
    '#1a',
    '#e',
    '#f',
    '#g',
  ])
  t.same(findMentions('@ada, (@bob.b) eve@example.com https://a.com/@joe'), ['@ada', '@bob.b'])
  t.same(findCashtags('$AAPL $BRK.B, $5 US$ x$TSLA $toolong1 ($NOPE)\n$MSFT.'), ['$AAPL', '$BRK.B', '$MSFT'])
  t.same(
    findLinks('https://a.com/1 https://a.com/1 http://a.com/1 b.com https://c.com.'),
    ['https://a.com/1', 'http://a.com/1', 'https://c.com'],
    'each once, and only with a protocol',
  )
  t.same(findLinks('See www.a.com, WWW.b.com/1 and ada@www.c.com'), ['www.a.com', 'WWW.b.com/1'], 'or with www.')
})
