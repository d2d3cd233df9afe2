import { expect, test } from 'vitest'
import { coded, html, tied } from '../../../src/report/text/markup.ts'

test('values are escaped in text and in attributes', () => {
  const name = `<b a='1'>"&`
  expect(html`<td title="${name}">${name}</td>`.text).toBe(
    '<td title="&lt;b a=&#39;1&#39;&gt;&quot;&amp;">&lt;b a=&#39;1&#39;&gt;&quot;&amp;</td>',
  )
})

test('markup within markup stays what it is, lists are joined, null is nothing', () => {
  const cells = ['a', 'b'].map((cell) => html`<td>${cell}</td>`)
  expect(
    html`<tr>
      ${cells}${null}${3}
    </tr>`.text.replaceAll('\n', ''),
  ).toBe('<tr><td>a</td><td>b</td>3</tr>')
})

test('line breaks of a value stay, those of a template shrink', () => {
  const plan = '{\n  "a": 1\n}'
  const page = html`<pre>${plan}</pre>

    <p></p>`
  expect(page.text).toBe('<pre>{\n  &quot;a&quot;: 1\n}</pre>\n<p></p>')
})

test('control characters and direction marks are replaced', () => {
  expect(html`${'a\u0000b\u202Ec\td'}`.text).toBe('a&lt;U+0000&gt;b&lt;U+202E&gt;c\td')
})

test('numbers are tied to their units', () => {
  expect(tied('61.4 s of 3 h 04 min, 2.2 % in 3 minutes').text).toBe(
    '61.4\u00A0s of 3\u00A0h 04\u00A0min, 2.2\u00A0% in 3 minutes',
  )
})

test('flags are kept whole, and only flags', () => {
  expect(tied('<b> climb on: --max-kickoffs 9, a--b -- c --x').text).toBe(
    '&lt;b&gt; climb on: <span class="whole">--max-kickoffs</span> 9, a--b -- c <span ' +
      'class="whole">--x</span>',
  )
})

test('what stands between backticks is code, and foreign text stays text', () => {
  expect(coded('From `recovery`, `a <b>`; a lone ` stays.').text).toBe(
    'From <code>recovery</code>, <code>a &lt;b&gt;</code>; a lone ` stays.',
  )
})
