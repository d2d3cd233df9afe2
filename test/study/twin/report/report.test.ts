/** The report of a twin, by samples of every verdict. */
import { twin } from '../../../../src/study/twin/study.ts'
import { describeStudy } from '../../reports.ts'
import { differing, learned, mixed, tooFew } from '../sample-twins.ts'

describeStudy(twin, { learned, differing, mixed, tooFew })
