/** Makes the laboratory: one file with the engine, the fake crew's model and a profile in it. */
import { toDigits } from '../../base/numbers.ts'
import { deflateSync } from 'node:zlib'
import { checkProfile, readNamed } from '../../../fake-crew/profiles.ts'
import type { ReadProfile } from '../../../fake-crew/profiles.ts'
import { html, Markup } from '../../report/text/markup.ts'
import { htmlDocument } from '../../report/frame/html-document.ts'
import type { KeptResult } from '../../result/document.ts'
import { MICROS_PER_SECOND } from '../../base/units.ts'
import { UserError } from '../../base/mistakes.ts'
import { visibleJson } from '../../base/visible.ts'
import { browserScript } from '../environment/package.ts'
import { readRun } from '../folder/stored.ts'
import { readRecipe } from '../plan/recipe.ts'
import type { LabSettings, LabProfile } from './settings.ts'
import { labProfile, USUAL } from './settings.ts'

export interface LabOptions {
  /** A run folder, which gives load and polling; its profile, unless another one is given. */
  run?: string | undefined
  /** A shipped name, or a file, such as the profile of a twin. Default: `default`. */
  profile?: string | undefined
}

/** A whole HTML document. Throws UserError. */
export async function labPage({ run, profile }: LabOptions): Promise<string> {
  const stored = run === undefined ? null : await readRun(run)
  const recipe = run === undefined ? null : await readRecipe(run)
  if (stored !== null && stored.result === null) throw unrendered(run!)
  const name = profile ?? recipe?.profile ?? (run === undefined ? 'default' : null)
  if (name === null) throw noProfile(run!)
  const { written: text, profile: read } = readNamed(name)
  const written = text as LabProfile
  const { workers } = read.capacity
  const settings = {
    ...USUAL,
    ...(workers !== null && { workers }),
    ...(stored?.result == null ? {} : settingsOf(stored.result)),
  }
  checkProfile(labProfile(written, settings) as ReadProfile['written'], name)
  return pageOf(read.name, { written, settings })
}

function noProfile(run: string): UserError {
  const problem =
    'the run had a target, whose crew is not known: give --profile, such as the one that ' +
    '"crewload twin" writes'
  return new UserError({ source: run, problem })
}

function unrendered(run: string): UserError {
  const problem = 'the run has no result; "crewload report render --recover" makes one'
  return new UserError({ source: run, problem })
}

/** What the sliders can set of the load and the client of a run. */
function settingsOf({ run, plan, arrivals }: KeptResult): Partial<LabSettings> {
  const { polling, deadlineMicros, seed } = plan
  const minutes = Math.max(1, Math.min(240, Math.round(run.durationMs / 60_000)))
  const perMinute = toDigits(arrivals / Math.max(1, run.durationMs / 60_000), 2)
  return {
    seed,
    minutes,
    ...(perMinute > 0 && { perMinute }),
    deadline: deadlineMicros / MICROS_PER_SECOND,
    ...(polling.kind === 'exponential' && {
      firstPoll: polling.initialMicros / MICROS_PER_SECOND,
      pollFactor: polling.factor,
      longestPoll: polling.maxMicros / MICROS_PER_SECOND,
    }),
  }
}

function pageOf(name: string, start: object): string {
  const worker = deflateSync(browserScript('lab-worker'), { level: 9 }).toString('base64')
  // In JSON only texts have this character.
  const json = visibleJson(start).replaceAll('<', String.raw`\u003c`)
  return htmlDocument({
    title: `crewload laboratory: ${name}`,
    body: html`<main id="lab">
        <h1>Laboratory: ${name}</h1>
        <p>
          Move a slider: crewload's engine runs the load against its fake crew in virtual time, in
          this page. Nothing leaves it. The same files give the same numbers in a run.
        </p>
        <noscript><p class="advice problem">The laboratory needs script.</p></noscript>
      </main>
      <script type="application/json" id="lab-start">
        ${new Markup(json)}
      </script>
      <script type="application/octet-stream" id="lab-worker">
        ${worker}
      </script>
      <script>
        ${new Markup(browserScript('lab'))}
      </script>`,
  })
}
