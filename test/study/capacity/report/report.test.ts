/** What the report of a search for capacity says, however it ended. */
import { capacity } from '../../../../src/study/capacity/study.ts'
import { describeStudy } from '../../reports.ts'
import { SAMPLES } from '../sample-capacities.ts'

describeStudy(capacity, SAMPLES)
