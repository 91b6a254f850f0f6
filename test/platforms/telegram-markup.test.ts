import t from 'tap'
import { telegramMarkup } from '../../src/platforms/telegram/markup.ts'
import { asStored } from '../../src/platforms/telegram/stored-text.ts'
import { collectProblems } from '../helpers/problems.ts'

// The examples of https://core.telegram.org/bots/api#formatting-options, and the texts that readers see. More are in
// test/sdks, where TDLib reads them too.

type Mode = keyof typeof telegramMarkup

const shown: Record<Mode, [string, string][]> = {
  HTML: [
    ['plain', 'plain'],
    ['<b>bold <i>italic bold <s>struck</s></i> <u>under</u></b>', 'bold italic bold struck under'],
    ['<a href="http://www.example.com/?a=1&amp;b=2">inline URL</a>', 'inline URL'],
    ['<span class="tg-spoiler">spoiler</span>', 'spoiler'],
    ['<pre><code class="language-python">x = 1</code></pre>', 'x = 1'],
    ['<tg-emoji emoji-id="5368324170671202286">👍</tg-emoji>', '👍'],
    ['a &lt; b &gt; c &quot;', 'a < b > c "'],
    ['&#169;&#xA9;&#x1F600', '©©😀'],
    ['&nbsp; &copy; &ltx', '&nbsp; &copy; &ltx'],
    ['<blockquote expandable>quoted</blockquote>', 'quoted'],
    ['<b> inside of an entity</b>', ' inside of an entity'],
    [' <b>before it </b> ', 'before it'],
  ],
  MarkdownV2: [
    ['plain', 'plain'],
    ['*bold \\*text*', 'bold *text'],
    ['*bold _italic bold ~struck ||spoiler||~ __under___ bold*', 'bold italic bold struck spoiler under bold'],
    ['[inline URL](http://www.example.com/a_(b\\)*c)\\!', 'inline URL!'],
    ['![👍](tg://emoji?id=5368324170671202286)', '👍'],
    ['`a*b_c[d](e) \\` f`', 'a*b_c[d](e) ` f'],
    ['```\nx * y\n```', 'x * y'],
    ['```python\nx = y[1](2)\n```', 'x = y[1](2)'],
    ['```two words\n```', ' words'],
    ['>quoted\n>lines||', 'quoted\nlines'],
    ['**>expandable\n>more||', 'expandable\nmore'],
    ['1 \\> 0 \\| 2', '1 > 0 | 2'],
  ],
  Markdown: [
    ['Version 1.2 is out!', 'Version 1.2 is out!'],
    ['*bold* _italic_ `code` \\_', 'bold italic code _'],
    ['[inline URL](http://www.example.com/)', 'inline URL'],
    ['```python\nx = 1\n```', 'x = 1'],
  ],
}

const refused: Record<Mode, [string, number, RegExp][]> = {
  HTML: [
    ['<p>Version 1.2</p>', 0, /<p> is not supported.* write "&lt;" for "<"/],
    ['a < b', 2, /the tag does not end|not supported/],
    ['<b>a', 0, /<b> is not closed: add "<\/b>"/],
    ['a</b>', 1, /closes nothing/],
    ['<b><i>a</b></i>', 7, /<i> is open, so "<\/i>" has to come before/],
    ['<a href=http://a.b>a</a>', 8, /write href="value"/],
    ['<span>a</span>', 0, /class="tg-spoiler"/],
    ['a &#xD800; b', 2, /half of a character/],
    ['<tg-emoji emoji-id="x">a</tg-emoji>', 0, /emoji-id="5368324170671202286"/],
  ],
  MarkdownV2: [
    ['Version 1.2 is out!', 9, /"\." is reserved, write "\\\."/],
    ['Out!', 3, /"!" is reserved, write "\\!"/],
    ['😀 a-b', 4, /"-" is reserved, write "\\-"/],
    ['*bold', 0, /"\*" is not closed: add "\*", or write "\\\*"/],
    ['[a', 0, /"\[" is not closed: add "\]", or write "\\\["/],
    ['[a](http://a.b', 4, /add "\)", or write "\\\("/],
    ['![a](http://a.b)', 0, /tg:\/\/emoji\?id=/],
    ['a > b', 2, /write "\\>"/],
  ],
  Markdown: [
    ['snake_case', 5, /"_" is not closed: add "_", or write "\\_"/],
    ['[a', 0, /add "\]", or write "\\\["/],
    ['```a', 0, /"```" is not closed: add "```"/],
  ],
}

for (const mode of Object.keys(telegramMarkup) as Mode[]) {
  t.test(`${mode}: what readers see, and where and why Telegram refuses a text`, async (t) => {
    const { problems, check } = collectProblems()
    for (const [written, expected] of shown[mode]) {
      const parsed = telegramMarkup[mode](written)
      check('text' in parsed ? parsed.text : parsed.problem, expected, written)
    }
    for (const [written, index, expected] of refused[mode]) {
      const parsed = telegramMarkup[mode](written)
      if ('text' in parsed) check('accepted', 'refused', written)
      else check([parsed.index, expected.test(parsed.problem) || parsed.problem], [index, true], written)
    }
    t.strictSame(problems, [])
  })
}

t.test('a link is kept only if Telegram makes one of its address', async (t) => {
  const alive = [
    ...['http://example.com', 'https://example.com/a?b#c', 'example.com', 'HTTP://EXAMPLE.COM', 'http://[::1]:80/'],
    ...['http://a:b@example.com:8080', 'tg://user?id=5', 'tg:resolve', 'ton://a', 'tonsite://a.ton', 'пример.рф'],
  ]
  const dead = [
    ...['', 'example', 'ftp://example.com', 'http://exa mple.com', 'http://example.com:0', 'tel:+49', 'http://'],
    ...['tg://a.b', 'tg://a:80', 'http://%zz.com', 'http://[::g]', '.', 'http://example.com:99999'],
  ]
  const { problems, check } = collectProblems()
  for (const address of [...alive, ...dead]) {
    const parsed = telegramMarkup.HTML(`<a href="${address || ' '}">a</a>`)
    check('deadLinks' in parsed && parsed.deadLinks.length, alive.includes(address) ? 0 : 1, address)
  }
  t.strictSame(problems, [])
})

t.test('without markup, what Telegram stores', async (t) => {
  const stored: [string, string][] = [
    [' \n a\r\nb\t \n', 'a\nb'],
    ['a\u2028\u202Eb', 'ab'],
    ['A\u030A', 'A'],
    ['\u200E\u200F\u200Ea', '\u200C\u200C\u200Ea'],
    ['\u00A0a\u3000', '\u00A0a\u3000'],
  ]
  const blank = ['', ' \n\t', '\u200B', '\u00A0\uFEFF', '\u2800\u3000\uFFFC', '\u{E0020}\u{E007F}', '\r\u202E']
  const { problems, check } = collectProblems()
  for (const [sent, expected] of [...stored, ...blank.map((sent) => [sent, ''] as const)]) {
    check(asStored(sent), expected, JSON.stringify(sent))
  }
  t.strictSame(problems, [])
})
