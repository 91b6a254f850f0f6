import t from 'tap'
import { formatTable } from '../../src/cli/table.ts'
import { cutToWidth, padToWidth, widthOf } from '../../src/cli/width.ts'

t.test('texts of all scripts have the width that terminals give them', async (t) => {
  for (const [text, width] of [
    ['Whales', 6],
    ['鲸鱼', 4],
    ['クジラ', 6],
    ['고래', 4],
    ['Ｗ', 2],
    ['Zoë', 3],
    ['Zoe\u0308', 3],
    ['🐋', 2],
    ['👩‍👩‍👧', 2],
    ['🇩🇪', 2],
    ['\u200b\u00ad', 0],
    ['שלום', 4],
  ] as const) {
    t.equal(widthOf(text), width, JSON.stringify(text))
  }
})

t.test('no character is cut apart, and padding fills the columns', async (t) => {
  t.equal(cutToWidth('鲸鱼鲸鱼', 8), '鲸鱼鲸鱼')
  t.equal(cutToWidth('鲸鱼鲸鱼', 6), '鲸鱼…')
  t.equal(cutToWidth('a👩‍👩‍👧b👩‍👩‍👧', 5), 'a👩‍👩‍👧b…')
  t.equal(padToWidth('鲸', 4), '鲸  ')
})

t.test('columns are aligned beside wide characters and escapes', async (t) => {
  const rows = [
    { name: '鲸鱼', likes: 1 },
    { name: '\x1b[31m', likes: 2 },
  ]
  const lines = formatTable(rows, { name: ({ name }) => name, likes: ({ likes }) => likes }).split('\n')
  t.strictSame(lines, ['name        likes', '鲸鱼        1', '\\u001b[31m  2'])
})
