import t from 'tap'
import { withoutHtml, withoutMarkdownV2 } from '../../src/platforms/telegram/markup.ts'

// The examples of https://core.telegram.org/bots/api#formatting-options, and the texts that readers see.

t.test('HTML is removed', async (t) => {
  const shown: [string, string][] = [
    ['plain', 'plain'],
    ['<b>bold <i>italic bold <s>struck</s></i> <u>under</u></b>', 'bold italic bold struck under'],
    ['<a href="http://www.example.com/?a=1&amp;b=2">inline URL</a>', 'inline URL'],
    ['<span class="tg-spoiler">spoiler</span>', 'spoiler'],
    ['<pre><code class="language-python">x = 1</code></pre>', 'x = 1'],
    ['<tg-emoji emoji-id="5368324170671202286">👍</tg-emoji>', '👍'],
    ['a &lt; b &gt; c &quot;', 'a & b & c &'],
    ['&#169;&#xA9;&#x1F600', '&&&'],
    ['&nbsp; &copy;', '&nbsp; &copy;'],
  ]
  for (const [written, expected] of shown) t.equal(withoutHtml(written), expected, written)
})

t.test('MarkdownV2 is removed', async (t) => {
  const shown: [string, string][] = [
    ['plain', 'plain'],
    ['*bold \\*text*', 'bold *text'],
    ['*bold _italic bold ~struck ||spoiler||~ __under___ bold*', 'bold italic bold struck spoiler under bold'],
    ['[inline URL](http://www.example.com/a_(b\\)*c)\\!', 'inline URL!'],
    ['![👍](tg://emoji?id=5368324170671202286)', '👍'],
    ['`a*b_c[d](e) \\` f`', 'a*b_c[d](e) ` f'],
    ['```\nx * y\n```', 'x * y\n'],
    ['```python\nx = y[1](2)\n```', 'x = y[1](2)\n'],
    ['```two words\n```', 'two words\n'],
    ['>quoted\n>lines||', 'quoted\nlines'],
    ['**>expandable\n>more||', 'expandable\nmore'],
    ['1 \\> 0 \\| 2', '1 > 0 | 2'],
  ]
  for (const [written, expected] of shown) t.equal(withoutMarkdownV2(written), expected, written)
})
