/** How a crew delivers its pushes to webhooks: when, how often, how surely, signed or not. */
import { z } from 'zod'
import type { Parsed } from '../schema/quantities.ts'
import { count, lasting, oneOf, share, time } from '../schema/quantities.ts'

const retry = z
  .strictObject({
    attempts: count(1)
      .prefault(3)
      .meta({ description: 'How often a push is sent at most, the first time included.' }),
    wait: lasting
      .prefault('1s')
      .meta({ description: 'The pause before the second attempt; it doubles with each.' }),
  })
  .meta({
    description:
      'A push without a 2xx answer is sent again. Default: never, as live deployments do.',
  })

export const webhooks = z
  .strictObject({
    delay: time.prefault('0s').meta({ description: 'From the event to the push.' }),
    lost: share.prefault(0).meta({ description: 'Probability that an attempt never arrives.' }),
    duplicated: share
      .prefault(0)
      .meta({ description: 'Probability that a push is sent a second time, after a delay.' }),
    early: share.prefault(0).meta({
      description:
        "Probability that the end is reported when the last task begins. A completed execution's " +
        'pushes of its end are then too early.',
    }),
    order: oneOf(['kept', 'any']).prefault('any').meta({
      description: 'Whether the pushes of an execution wait for each other. Default: they do not.',
    }),
    steps: count(0).prefault(1).meta({ description: 'Step pushes of each task, at its end.' }),
    signature: oneOf(['correct', 'wrong', 'none'])
      .prefault('correct')
      .meta({ description: 'How pushes are signed if the crew was given a secret.' }),
    retry: retry.exactOptional(),
    reach: oneOf(['loopback', 'anywhere'])
      .prefault('loopback')
      .meta({ description: 'Addresses to which pushes may go; a kickoff names any address.' }),
  })
  .meta({ description: 'How pushes are delivered to the webhooks that a kickoff names.' })

export type WebhooksProfile = Parsed<z.output<typeof webhooks>>

export const DEFAULT_WEBHOOKS: WebhooksProfile = webhooks.parse({})
