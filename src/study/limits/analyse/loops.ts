/**
 * Short client loops that follow one execution within the limits that were found: to be pasted,
 * without a dependency.
 */

/** `waitForCrew(baseUrl, token, kickoffId)` for Node 20 and newer, and for browsers. */
export function typescriptLoop(intervalMs: number): string {
  return `const INTERVAL_MS = ${intervalMs}

export async function waitForCrew(baseUrl: string, token: string, kickoffId: string) {
  for (;;) {
    const response = await fetch(\`\${baseUrl}/status/\${encodeURIComponent(kickoffId)}\`, {
      headers: { authorization: \`Bearer \${token}\` },
    })
    const retryAfter = Number(response.headers.get('retry-after') ?? 0) * 1000
    if (response.ok) {
      const status = await response.json()
      const state = String(status.status ?? status.state).toLowerCase()
      if (!['started', 'pending', 'running', 'queued', 'paused'].includes(state)) return status
    } else if (response.status !== 429 && response.status !== 503) {
      throw new Error(\`status \${response.status}: \${await response.text()}\`)
    }
    const waitMs = Math.max(INTERVAL_MS, Number.isFinite(retryAfter) ? retryAfter : 0)
    await new Promise((resolve) => setTimeout(resolve, waitMs))
  }
}
`
}

/** `wait_for_crew(base_url, token, kickoff_id)`, by the standard library alone. */
export function pythonLoop(intervalMs: number): string {
  return `import json, time, urllib.error, urllib.parse, urllib.request

INTERVAL_S = ${intervalMs / 1_000}

def wait_for_crew(base_url, token, kickoff_id):
    url = base_url + "/status/" + urllib.parse.quote(kickoff_id, safe="")
    request = urllib.request.Request(url, headers={"Authorization": "Bearer " + token})
    while True:
        retry_after = "0"
        try:
            with urllib.request.urlopen(request, timeout=30) as response:
                status = json.load(response)
            state = str(status.get("status", status.get("state"))).lower()
            if state not in ("started", "pending", "running", "queued", "paused"):
                return status
        except urllib.error.HTTPError as error:
            if error.code not in (429, 503):
                raise
            retry_after = error.headers.get("Retry-After", "0")
        wait_s = float(retry_after) if retry_after.isdigit() else 0
        time.sleep(max(INTERVAL_S, wait_s))
`
}
