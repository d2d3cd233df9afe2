/**
 * Journal lines as the loggers of this world hand them on: one function a dialect, each as it was
 * seen or as its source says.
 */

/**
 * Whatever has to be escaped somewhere: quotes, braces, control characters, characters of every
 * width, half a surrogate pair.
 */
export const HOSTILE = 'ü€😀\u2028\u007F "q" \\ \u0001 \uD800 <b> } { [ {"type":"ended"} \t\r\n'

const TIME = '2026-11-21T12:00:00.123456789Z'

/**
 * Go's `%q`, which k6's text logger uses (logrus): printable characters stay, others have the
 * escapes of a Go string.
 */
function goQuoted(text: string): string {
  const escaped = Array.from(text, (char) => {
    const point = char.codePointAt(0)!
    if (char === '"' || char === '\\') return `\\${char}`
    if (point < 0x20 || point === 0x7f) return `\\x${point.toString(16).padStart(2, '0')}`
    if (char === '😀') return String.raw`\U0001f600`
    return char === '\u2028' ? String.raw`\u2028` : char
  })
  return `"${escaped.join('')}"`
}

/** Go's `encoding/json`, which k6's JSON logger and Docker use: it escapes for HTML too. */
function goJson(value: unknown): string {
  return JSON.stringify(value)
    .replaceAll('<', String.raw`\u003c`)
    .replaceAll('>', String.raw`\u003e`)
    .replaceAll('&', String.raw`\u0026`)
    .replaceAll('\u2028', String.raw`\u2028`)
}

const k6Text = (line: string): string =>
  `time="2026-11-21T12:14:56Z" level=info msg=${goQuoted(line)} source=console`
const k6Json = (line: string): string =>
  goJson({ level: 'info', msg: line, source: 'console', time: '2026-11-21T12:14:56Z' })

/** Seen from k6 2.2.0 where its name says so. */
export const DIALECTS: Readonly<Record<string, (line: string) => string>> = {
  'as it is': (line) => line,
  'with the line end of Windows': (line) => `${line}\r`,
  'k6 on a terminal': (line) =>
    `\u001B[36mINFO\u001B[0m[0000] ${line}  \u001B[36msource\u001B[0m=console\u001B[0K\r`,
  'k6, --log-format text': k6Text,
  'k6, --log-format json': k6Json,
  'kubectl logs --timestamps': (line) => `${TIME} ${line}`,
  'kubectl logs --prefix': (line) => `[pod/steady-3-x7k2p/k6] ${line}`,
  'kubectl logs --prefix --timestamps': (line) => `[pod/steady-3-x7k2p/k6] ${TIME} ${line}`,
  'stern, coloured': (line) => `\u001B[32msteady-3-x7k2p\u001B[0m \u001B[34mk6\u001B[0m ${line}`,
  'docker compose': (line) => `k6-3  | ${line}`,
  'a Kubernetes node': (line) => `${TIME} stdout F ${line}`,
  'a Kubernetes node, another zone, k6 text': (line) =>
    `2026-11-21T14:00:00.1+02:00 stderr F ${k6Text(line)}`,
  'Docker json-file': (line) => goJson({ log: `${line}\n`, stream: 'stdout', time: TIME }),
  'Docker json-file, k6 text': (line) =>
    goJson({ log: `${k6Text(line)}\n`, stream: 'stderr', time: TIME }),
  'Docker json-file, k6 JSON': (line) =>
    goJson({ log: `${k6Json(line)}\n`, stream: 'stderr', time: TIME }),
  'a collector that puts texts into JSON': (line) =>
    JSON.stringify({ insertId: 'a1', textPayload: line, labels: { pod: 'steady-3' } }),
  'a collector that parses JSON': (line) =>
    `{"insertId":"a1","jsonPayload":${line},"labels":{"pod":"steady-3"}}`,
  'behind a progress bar': (line) => `running (00m01.0s), 1/1 VUs\r${line}`,
  'before what was printed without a line end': (line) => `${line}default [ 10% ] 1 VUs`,
}

/** What stands in a log and is none of ours. */
export const FOREIGN: readonly string[] = [
  '',
  '         /\\      Grafana   /‾‾/  ',
  '     scenarios: (100.00%) 1 scenario, 1 max VUs, 10m30s max duration (incl. graceful stop):',
  'running (00m00.0s), 0/1 VUs, 2 complete and 0 interrupted iterations',
  'default ✓ [ 100% ] 1 VUs  00m00.0s/10m0s  2/2 shared iters',
  'time="2026-11-21T12:14:56Z" level=warning msg="Request Failed" error="dial: \\"refused\\""',
  `${TIME} stdout F `,
  `${TIME} stderr F {"type":"Metric","data":{"type":"counter"}}`,
  '{"log":"{\\"type\\":\\"unheard-of\\"}\\n","stream":"stdout","time":"t"}',
  '{"log":17,"stream":"stdout"}',
  '{"type":"Point","metric":"http_reqs","data":{"value":1}}',
  '{"type":12}',
  'no JSON } at all {',
  '\u001B[31mred\u001B[0m',
]
